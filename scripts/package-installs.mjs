// Shared by tests that install packed packages as a user does: npm and, on Node 20, the SQLite driver of this checkout in place of the
// one that npm would download.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './prepare.mjs';

const LIMIT_MS = 5 * 60_000;
export const DRIVER = 'better-sqlite3';
const isNode20 = Number(process.versions.napi) < 10;
const COMPILED = join('build', 'Release', 'better_sqlite3.node');
/** Path of the compiled driver in its package. */
export const BINARY = isNode20 ? COMPILED : 'prebuilds';
/** Options of npm. A test may install another build under the same version. */
export const FRESH = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
export const run = promisify(execFile);

/** Offers the driver in `folder` as npm's download, and returns an npm that finds it there. */
export async function npmWithDriver(folder) {
  const env = { ...process.env, ...(await driverSettings(folder)) };
  return (cwd, ...args) => run('npm', args, { cwd, env, timeout: LIMIT_MS, maxBuffer: 1 << 28 });
}

/** Offers the driver in `folder`, and returns the setting with which the install script of the same version finds it. */
export async function driverSettings(folder) {
  if (!isNode20) return {};
  const { version } = manifestOf(join(root, 'node_modules', DRIVER));
  const name = `${DRIVER}-v${version}-node-v${process.versions.modules}-${process.platform}-${process.arch}.tar.gz`;
  await run('tar', ['-czf', join(folder, name), COMPILED], { cwd: join(root, 'node_modules', DRIVER) });
  return { npm_config_better_sqlite3_local_prebuilds: folder };
}

export function manifestOf(path) {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
}
