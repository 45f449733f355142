import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Sqlite from 'better-sqlite3';
import { projectFile } from '../../base/project-file.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(projectFile('./'));
const PACKAGE = 'better-sqlite3';
/** better-sqlite3 13 is precompiled, but needs Node-API 10 (Node 22.14): an older Node crashes while loading it, so Node 20 uses 12. */
const MAJOR = Number(process.versions.napi) >= 10 ? 13 : 12;
/** Node codes of a driver that is missing or was compiled for another Node. */
const ABSENT = /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/;
const NOT_COMPILED = /Could not locate the bindings file/;

class MisfitDriver extends Error {}

/** Opens a SQLite file. @throws an error that `driverFault` explains, before loading a driver that would crash the process */
export function openSqlite(file: string, options?: Sqlite.Options): Sqlite.Database {
  const major = installedMajor();
  if (major !== undefined && major > MAJOR) throw new MisfitDriver();
  const Driver = require(PACKAGE) as typeof Sqlite;
  return new Driver(file, options);
}

/** Explains why the SQLite driver could not be loaded, and the remedy. Returns undefined for any other error. */
export function driverFault(error: Error): string | undefined {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const isDriver =
    error instanceof MisfitDriver || (ABSENT.test(code) && /better.sqlite3/.test(message)) || NOT_COMPILED.test(message);
  return isDriver ? `there is no SQLite driver for Node ${process.versions.node}; run: ${remedy()}` : undefined;
}

/** Loads the driver and runs a query. Returns the version of SQLite. */
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

/** Returns a shell command that installs the driver. */
function remedy(): string {
  if (MAJOR === 13) return `npm install --prefix ${root} --no-save ${PACKAGE}@13`;
  const command =
    installedMajor() === 12 ? `rebuild --prefix ${root} ${PACKAGE}` : `install --prefix ${root} --no-save ${PACKAGE}@12`;
  return `npm ${command} (where no compiled driver can be downloaded, that needs a C++ compiler, make and Python 3)`;
}
