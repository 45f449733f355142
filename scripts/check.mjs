// npm run check: all static checks.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { COMPILER, prepareClients } from './client.mjs';
import { prepare, root } from './prepare.mjs';

const CHECKS = {
  lint: ['oxlint', '--quiet'],
  format: ['prettier', '--check', '--log-level', 'warn', '.'],
  architecture: ['depcruise', 'src', '--config', '.dependency-cruiser.cjs', '--output-type', 'err'],
  'dead code': ['knip', '--no-progress'],
};
const TYPES = { types: 'test', 'types of Studio': 'studio' };
const SCRIPTS = { rules: 'rules.mjs', deployment: 'check-deploy.mjs', 'page sizes': 'check-pages.mjs' };
const OWN = Object.entries(SCRIPTS).map(([name, script]) => [name, [process.execPath, join(root, 'scripts', script)]]);

await prepare({ withTools: true });
prepareClients();
const types = Object.entries(TYPES).map(([name, project]) => [name, [process.execPath, COMPILER, '-p', project]]);
const installed = Object.entries(CHECKS).map(([name, [command, ...args]]) => [name, [`node_modules/.bin/${command}`, ...args]]);
const left = [...types, ...installed, ...OWN];
await Promise.all(Array.from({ length: availableParallelism() }, runNext));

/** Runs checks until none is left, and prints each with its output. */
async function runNext() {
  for (let next = left.shift(); next; next = left.shift()) {
    const [name, [command, ...args]] = next;
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise((done) => child.once('error', done).once('close', done));
    const output = await Promise.all([text(child.stdout), text(child.stderr)]);
    const isRight = (await ended) === 0;
    console.log(`${output.join('')}${isRight ? 'ok    ' : 'FAILED'} ${name}`);
    if (!isRight) process.exitCode = 1;
  }
}
