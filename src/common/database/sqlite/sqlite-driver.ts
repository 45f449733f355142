import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFile } from '../../project-file.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(projectFile('./'));
const PACKAGE = 'better-sqlite3';
/** Codes of Node and beginnings of messages for a driver that is absent, was not compiled, or was compiled for another Node. */
const ABSENT = /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/;
const NOT_COMPILED = /Could not locate the bindings file/;
/** With headers of Node 24.19 or newer it can abort (nodejs/node#65446); then it contains the name of this function. */
const ABORTS = 'RemoveEnvironmentCleanupHook';
const GOOD_HEADERS = '24.18.1';

/** How to get the driver for this version of Node: a line for a shell, and what it needs. */
function driverAdvice(): string {
  return `run: ${rebuild()} (where no compiled driver can be downloaded, that needs a C++ compiler, make and Python 3)`;
}

/** Says why the driver of SQLite could not be loaded, and what to do; undefined if the error is another one. */
export function driverFault({ message, code = '' }: NodeJS.ErrnoException): string | undefined {
  const isDriver = (ABSENT.test(code) && /better.sqlite3/.test(message)) || NOT_COMPILED.test(message);
  return isDriver ? `there is no driver of SQLite for Node ${process.versions.node}; ${driverAdvice()}` : undefined;
}

/** Loads the driver and uses it. Returns the version of SQLite. */
export async function tryDriver(): Promise<string> {
  const { default: Sqlite } = await import('better-sqlite3');
  const db = new Sqlite(':memory:');
  const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  db.close();
  return version;
}

/** Returns how to replace a driver that can abort, if this one can. */
export function driverRemedy(): string | undefined {
  const folder = driverFolder();
  if (!folder || !process.versions.node.startsWith('24.')) return undefined;
  const canAbort = readFileSync(join(folder, 'build', 'Release', 'better_sqlite3.node')).includes(ABORTS);
  return canAbort ? `run: npm_config_target=${GOOD_HEADERS} ${rebuild()}` : undefined;
}

function driverFolder(): string | undefined {
  try {
    return dirname(require.resolve(`${PACKAGE}/package.json`));
  } catch {
    return undefined;
  }
}

/** Where npm put this package: a folder of its user, or the checkout itself. */
function rebuild(): string {
  const [folder = root] = root.split(`${sep}node_modules${sep}`);
  if (driverFolder()) return `npm rebuild --prefix ${folder} ${PACKAGE}`;
  const { optionalDependencies = {} } = require(join(root, 'package.json')) as { optionalDependencies?: Record<string, string> };
  return `npm install --prefix ${folder} --no-save ${PACKAGE}@${optionalDependencies[PACKAGE] ?? 'latest'}`;
}
