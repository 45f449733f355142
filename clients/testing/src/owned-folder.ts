import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const OWNER = 'pid';
/** Age at which a folder without a process id was left by a dead process. */
const UNFINISHED_MS = 60_000;

/** Returns whether this call created the folder, and so owns the work. */
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

/** Stores the process whose exit abandons the folder. */
export function nameOwner(folder: string, pid: number): void {
  writeFileSync(join(folder, OWNER), String(pid));
}

/** Returns whether the owner of the folder is dead, or never registered. */
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
