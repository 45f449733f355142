#!/usr/bin/env node
// platform-services COMMAND: the server and its command line, in a checkout, in an image and from a package alike.
// Runs in a single process, so that signals reach the server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFault, SQLITE_FLAGS, SQLITE_OF_NODE_20 } from './node-version.mjs';

const fault = nodeFault(process.versions.node);
if (fault) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
const root = fileURLToPath(new URL('../', import.meta.url));

const isCheckout = existsSync(join(root, 'scripts', 'prepare.mjs'));
const [command, ...others] = process.argv.slice(2);
// Most starts, which need not load the command line.
const isStart = others.length === 0 && (command === undefined || command === 'start');
// A checkout may be stale; an image and a package are built and cannot build.
if (isCheckout) await (await import('../scripts/prepare.mjs')).prepare({ isStart });
// A package lies among others, so its settings are in the folder where it is used.
const settings = join(isCheckout ? root : process.cwd(), '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
if (process.env.npm_command === 'exec') endWithNpx();
if (!isCheckout && Number(process.versions.napi) < 10 && !process.env.DATABASE_URL?.startsWith('postgres')) await replaceDriver();
await import(isStart ? '../dist/bundle/main.js' : '../dist/bundle/cli.js');

/** Node 20 cannot load the driver of SQLite in the package. npm puts an older one in its place, once; if it cannot, the server says what is missing. */
async function replaceDriver() {
  const { readFileSync } = await import('node:fs');
  const { spawnSync } = await import('node:child_process');
  const path = join(root, 'node_modules', 'better-sqlite3', 'package.json');
  if (!existsSync(path) || !JSON.parse(readFileSync(path, 'utf8')).version.startsWith('13.')) return;
  process.stderr.write('Installing better-sqlite3 12 for Node 20, once ...\n');
  const args = [
    'install',
    '--prefix',
    root,
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `better-sqlite3@${SQLITE_OF_NODE_20}`,
  ];
  const env = { ...SQLITE_FLAGS, ...process.env };
  spawnSync('npm', args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });
}

/** npx runs a program below a shell and passes no signal on: its end is the only sign that it was told to stop. */
function endWithNpx() {
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  look.unref();
}
