import { readFileSync } from 'node:fs';

/** Files that a process opens besides connections and transfers: code, data, and connections of its own to other servers. */
const OTHER_FILES = 500;
/**
 * A transfer uses a connection, and a file or a connection to the store. Beyond this number, transfers would only wait for disk
 * and network.
 */
const MAX_TRANSFERS = 2_000;

/**
 * Returns how many connections the limit of open files leaves, besides those that transfers open. With more connections, no
 * file could be opened any more. Only Linux tells the limit; elsewhere this returns Infinity.
 */
export function connectionsByOpenFiles(limits = limitsOfThisProcess()): number {
  return filesOfCallers(limits) - transfersByOpenFiles(limits);
}

/** Returns how many transfers may run at once: a third of what is left for callers is for their files, up to 2,000. */
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
