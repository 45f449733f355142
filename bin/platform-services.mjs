#!/usr/bin/env node
// platform-services COMMAND: the server and its command line, in a checkout, in an image and from a package alike.
// Runs in a single process, so that signals reach the server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFault } from './node-version.mjs';

const fault = nodeFault(process.versions.node);
if (fault) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
const root = fileURLToPath(new URL('../', import.meta.url));

const isCheckout = existsSync(join(root, 'scripts', 'prepare.mjs'));
// A checkout may be stale; an image and a package are built and cannot build.
if (isCheckout) await (await import('../scripts/prepare.mjs')).prepare();
// A package lies among others, so its settings are in the folder where it is used.
const settings = join(isCheckout ? root : process.cwd(), '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
if (process.env.npm_command === 'exec') endWithNpx();
const [command, ...others] = process.argv.slice(2);
// What most starts are need not load the command line.
const isStart = others.length === 0 && (command === undefined || command === 'start');
await import(isStart ? '../dist/bundle/main.js' : '../dist/bundle/cli.js');

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
