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
const SQLITE = 'better-sqlite3';

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
if (!isCheckout && !process.env.DATABASE_URL?.startsWith('postgres')) await replaceDriver();
await import(isStart ? '../dist/bundle/main.js' : '../dist/bundle/cli.js');

/**
 * Lets npm replace the driver of SQLite in the package, once, where this Node cannot load it: Node 20 needs an older one, and later versions
 * cannot load that. If npm fails, the server says what is missing.
 */
async function replaceDriver() {
  const { readFileSync } = await import('node:fs');
  const { spawnSync } = await import('node:child_process');
  const manifestIn = (...parts) => JSON.parse(readFileSync(join(root, ...parts, 'package.json'), 'utf8'));
  const isNode20 = Number(process.versions.napi) < 10;
  if (!existsSync(join(root, 'node_modules', SQLITE, 'package.json'))) return;
  const isOfNode20 = Number.parseInt(manifestIn('node_modules', SQLITE).version, 10) < 13;
  if (isNode20 === isOfNode20) return;
  const version = isNode20 ? SQLITE_OF_NODE_20 : manifestIn().dependencies[SQLITE];
  process.stderr.write(`Installing ${SQLITE} ${version} for Node ${process.versions.node}, once ...\n`);
  // The later ones come compiled; npm would compile them again.
  const scripts = isNode20 ? [] : ['--ignore-scripts'];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const args = ['install', '--prefix', root, '--no-save', ...quiet, ...scripts, `${SQLITE}@${version}`];
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
