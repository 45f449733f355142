import { readFileSync } from 'node:fs';

/** Files that a process opens besides connections and transfers: code, data, and its own connections to other servers. */
const OTHER_FILES = 500;
/**
 * Maximum number of transfers. Each uses a connection, and a file or a connection to the store. Above this, transfers would only wait
 * for disk and network.
 */
const MAX_TRANSFERS = 2_000;

/**
 * Returns how many connections the limit of open files leaves, besides those that transfers open. With more connections, no
 * file could be opened any more. Only Linux reports the limit; elsewhere this returns Infinity.
 */
export function connectionsByOpenFiles(limits = limitsOfThisProcess()): number {
  return filesOfCallers(limits) - transfersByOpenFiles(limits);
}

/** Returns the maximum number of concurrent transfers: a third of the files left for callers, up to 2,000. */
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
