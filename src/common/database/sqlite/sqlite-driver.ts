import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Sqlite from 'better-sqlite3';
import { projectFile } from '../../project-file.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(projectFile('./'));
const PACKAGE = 'better-sqlite3';
/** better-sqlite3 13 comes compiled. It needs Node-API 10, as of Node 22.14: without, loading it ends the process. So Node 20 takes 12. */
const MAJOR = Number(process.versions.napi) >= 10 ? 13 : 12;
/** Codes of Node and beginnings of messages for a driver that is absent, was not compiled, or was compiled for another Node. */
const ABSENT = /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/;
const NOT_COMPILED = /Could not locate the bindings file/;

class MisfitDriver extends Error {}

/** Opens a file of SQLite. @throws what `driverFault` explains, before a driver is loaded that would end the process */
export function openSqlite(file: string, options?: Sqlite.Options): Sqlite.Database {
  const major = installedMajor();
  if (major !== undefined && major > MAJOR) throw new MisfitDriver();
  const Driver = require(PACKAGE) as typeof Sqlite;
  return new Driver(file, options);
}

/** Says why the driver of SQLite could not be loaded, and what to do; undefined if the error is another one. */
export function driverFault(error: Error): string | undefined {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const isDriver =
    error instanceof MisfitDriver || (ABSENT.test(code) && /better.sqlite3/.test(message)) || NOT_COMPILED.test(message);
  return isDriver ? `there is no driver of SQLite for Node ${process.versions.node}; run: ${remedy()}` : undefined;
}

/** Loads the driver and uses it. Returns the version of SQLite. */
export function tryDriver(): string {
  const db = openSqlite(':memory:');
  const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  db.close();
  return version;
}

function installedMajor(): number | undefined {
  try {
    const folder = dirname(require.resolve(`${PACKAGE}/package.json`));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return Number.parseInt(version, 10);
  } catch {
    return undefined;
  }
}

/** A line for a shell. */
function remedy(): string {
  if (MAJOR === 13) return `npm install --prefix ${root} --no-save ${PACKAGE}@13`;
  const command =
    installedMajor() === 12 ? `rebuild --prefix ${root} ${PACKAGE}` : `install --prefix ${root} --no-save ${PACKAGE}@12`;
  return `npm ${command} (where no compiled driver can be downloaded, that needs a C++ compiler, make and Python 3)`;
}
