import { readFileSync } from 'node:fs';

/** Files that a process opens besides connections and transfers: code, data, and connections of its own to other servers. */
const OTHER_FILES = 500;
/** A transfer has a connection, and beside it a file or a connection to the store. More at once only wait for disk and line. */
const MAX_TRANSFERS = 2_000;

/**
 * Returns how many connections the limit of open files leaves, beside what transfers open. With more, nothing could be opened
 * any more, files of callers included. Only Linux tells the limit; elsewhere this returns Infinity.
 */
export function connectionsByOpenFiles(limits = limitsOfThisProcess()): number {
  return filesOfCallers(limits) - transfersByOpenFiles(limits);
}

/** Returns how many transfers may be under way: a third of what is left for callers is for their files, up to 2,000. */
export function transfersByOpenFiles(limits = limitsOfThisProcess()): number {
  return Math.min(Math.floor(filesOfCallers(limits) / 3), MAX_TRANSFERS);
}

function filesOfCallers(limits: string): number {
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.max(limit - OTHER_FILES, limit / 2);
}

function limitsOfThisProcess(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
