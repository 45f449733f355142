#!/usr/bin/env node
// platform-services start|keys|tenants|files|log: the server and its command line, in a checkout and in an image alike.
// Runs in a single process, so that signals reach the server.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
// A checkout may be stale; an image is built and cannot build.
if (existsSync(pathOf('scripts/prepare.mjs'))) await (await import('../scripts/prepare.mjs')).prepare();
const settings = pathOf('.env');
if (existsSync(settings)) process.loadEnvFile(settings);
const isStart = process.argv.length === 3 && process.argv[2] === 'start';
await import(isStart ? '../dist/bundle/main.js' : '../dist/bundle/cli.js');
