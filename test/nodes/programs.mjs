import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Folders of servers, which are not on the PATH of an ordinary user. */
const SERVERS = ['/usr/sbin', '/sbin'];

/**
 * Returns the path of a program of this machine, or undefined if it is not installed.
 * @param {string} name
 */
export function findProgram(name) {
  if (name.includes('/')) return isProgram(name) ? name : undefined;
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SERVERS];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/**
 * Returns the path of a program of this machine. Tests that start one name it as a need: see test/support/needs.ts.
 * @param {string} name
 * @throws an error with the code ENOENT if it is not installed
 */
export function programPath(name) {
  const path = findProgram(name);
  if (!path) throw Object.assign(new Error(`${name} is not installed on this machine`), { code: 'ENOENT' });
  return path;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
