// npm run dev: compiles on every change and restarts the server.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

prepare();
const settings = join(root, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
const run = (...args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
const children = [
  run('node_modules/typescript/bin/tsc', '-p', '.', '--watch', '--preserveWatchOutput'),
  run('scripts/bundle.mjs', '--watch'), // the renderer, which is never started unbundled
  run('--watch', '--enable-source-maps', 'dist/main.js'),
];
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => children.forEach((child) => child.kill(signal)));
