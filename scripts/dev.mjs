// npm run dev: builds, then recompiles and restarts the server on every change.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare({ withTools: true });
const settings = join(root, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
const run = (...args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
const nest = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const server = run(nest, 'start', '--watch', '--preserveWatchOutput', '--no-shell');
const bundler = run('scripts/bundle.mjs', '--watch'); // the renderer always runs from its bundle
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => {
  bundler.kill();
  process.exitCode = code ?? 1;
});
