import { readFileSync } from 'node:fs';

/** Files that a process opens besides its connections: code, data, content, and connections of its own to other servers. */
const OTHER_FILES = 500;

/**
 * Returns how many connections the limit of open files leaves. With more, nothing could be opened any more, files of callers
 * included. Only Linux tells the limit; elsewhere this returns Infinity.
 */
export function connectionsByOpenFiles(limits = limitsOfThisProcess()): number {
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
