import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const OWNER = 'pid';
/** A folder without the id of a process by then was left by one that died. */
const UNFINISHED_MS = 60_000;

/** Returns whether the folder was made now, and so the work for it is ours. */
export function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    const isOurs = !stat || (stat.isDirectory() && (process.getuid === undefined || stat.uid === process.getuid()));
    if (!isOurs) throw new Error(`${folder} belongs to another user; remove it`, { cause: error });
    return false;
  }
}

/** Notes the process whose end leaves the folder behind. */
export function nameOwner(folder: string, pid: number): void {
  writeFileSync(join(folder, OWNER), String(pid));
}

/** Returns whether the owner of the folder was killed, or the process that should have named one. */
export function isAbandoned(folder: string): boolean {
  try {
    process.kill(Number(readFileSync(join(folder, OWNER), 'utf8')), 0);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return true;
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    return code === 'ENOENT' && stat !== undefined && Date.now() - stat.mtimeMs > UNFINISHED_MS;
  }
}
