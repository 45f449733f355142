import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAbandoned, makeFolder, nameOwner } from './owned-folder.js';

/** Runs the server in Node, even for tests in Bun or Deno. */
export const NODE = process.versions.bun || process.versions.deno ? 'node' : process.execPath;
const LOOK_MS = 100;
/** Time limit of npm, which may compile the driver. */
const INSTALL_LIMIT_MS = 10 * 60_000;

/** Returns the command that starts the package, found from the folder of the tests. */
export async function installedServer(): Promise<string[]> {
  const require = createRequire(join(process.cwd(), 'package.json'));
  let manifest: string;
  try {
    manifest = require.resolve('platform-services/package.json');
  } catch (error) {
    throw new Error(
      'the package platform-services is not installed: add it beside @platform-services/testing, or give `command`',
      {
        cause: error,
      },
    );
  }
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> };
  const program = join(dirname(manifest), bin['platform-services']!);
  await replaceDriver(manifest, program);
  return [NODE, program, 'start'];
}

/**
 * Runs the command that replaces the SQLite driver on Node 20, once for all test files of the machine. npm may compile it for longer than
 * a start may take, and an aborted compilation starts over.
 */
async function replaceDriver(manifest: string, program: string): Promise<void> {
  const name = createHash('sha256').update(manifest).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `platform-services-driver-${process.getuid?.() ?? 'user'}-${name}`);
  for (; needsOlderDriver(manifest); await sleep(LOOK_MS)) {
    if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
    if (!makeFolder(folder)) continue;
    nameOwner(folder, process.pid);
    try {
      const child = spawn(NODE, [program, '--version'], { stdio: ['ignore', 'ignore', 'inherit'], timeout: INSTALL_LIMIT_MS });
      await once(child, 'close');
      return; // the start names a driver that is still missing
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Returns whether this is Node 20 and the package still has its bundled driver. */
function needsOlderDriver(manifest: string): boolean {
  if (Number(process.versions.napi) >= 10 || NODE !== process.execPath) return false;
  try {
    const { version } = createRequire(manifest)('better-sqlite3/package.json') as { version: string };
    return Number.parseInt(version, 10) >= 13;
  } catch {
    return false;
  }
}
