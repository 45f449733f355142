// Runs in a container, whose checkout cannot be written: copies it, and types README's two commands there with no other programs on the PATH
// than node, npm and sh. Prints the seconds until the server was ready, what the tests print, and the counts of both.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../nodes/free-port.mjs';
import { programPath } from '../nodes/programs.mjs';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAMS = ['node', 'npm', 'npx', 'sh'];
const READY_MS = 10 * 60_000;
/** Helpers that start programs without declaring a need, so that a spec that forgets to declare it fails here. */
const STARTERS = [
  'test/nodes/name-server.mjs',
  'test/nodes/postgres-server.mjs',
  'test/support/dkim.ts',
  'test/support/redis.ts',
];
/** Specs that depend on the machine: those that name a need or start programs, and those whose texts depend on the version of Node. */
const ON_THE_MACHINE = ['--findRelatedTests', 'test/support/needs.ts', ...STARTERS, 'test/unit/template-locales.spec.ts'];

const home = mkdtempSync(join(homedir(), 'bare-'));
const cwd = join(home, 'platform-services');
cpSync(CHECKOUT, cwd, { recursive: true, verbatimSymlinks: true });
const PATH = mkdtempSync(join(tmpdir(), 'programs-'));
for (const name of PROGRAMS) symlinkSync(realpathSync(programPath(name)), join(PATH, name));

let [passed, failed] = [0, 0];
await start().then(
  () => (passed += 1),
  (error) => {
    failed += 1;
    console.log(`FAILED  npm start: ${error.stack}`);
  },
);
await test();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function start() {
  const begun = performance.now();
  const port = await freePort();
  const { child, ended } = type('start', [], { PORT: String(port) });
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), READY_MS);
  try {
    const key = await keyOf(child, ended);
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const question = { method: 'POST', headers, body: JSON.stringify({ query: '{ version }' }) };
    const answer = await fetch(`http://localhost:${port}/file-management/graphql`, question);
    assert.match((await answer.json()).data.version, /^\d/);
    console.log(`ok      npm start: ready after ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
    process.kill(-child.pid, 'SIGTERM');
    await ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the key that the first start prints, once the server is ready. */
async function keyOf(child, ended) {
  let output = '';
  const both = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += String(chunk);
        const [key] = /psk_\w+(?=\n)/.exec(output) ?? [];
        if (key && output.includes('"msg":"ready"')) resolve(key);
      });
  });
  const tooEarly = ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${output.slice(-5_000)}`)));
  return Promise.race([both, tooEarly]);
}

async function test() {
  const isShort = process.argv.includes('--short');
  const { child, ended } = type('test', isShort ? ON_THE_MACHINE : [], { TEST_LONG: '0' });
  let counts;
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => {
      if (!/^PASS|^$/.test(line)) console.log(line);
      counts = /^(\d+) passed, (\d+) failed/.exec(line) ?? counts;
    });
  const code = await ended;
  const [, ok = 0, bad = 0] = counts ?? [];
  passed += Number(ok);
  failed += Number(bad) || (code === 0 && counts ? 0 : 1);
}

/** Runs a command of npm, in a process group of its own. */
function type(command, args, env) {
  const options = { cwd, env: { ...process.env, PATH, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] };
  const child = spawn(join(PATH, 'npm'), [command, ...(args.length > 0 ? ['--', ...args] : [])], options);
  return {
    child,
    ended: new Promise((resolve, reject) => child.once('error', reject).once('close', (code, signal) => resolve(code ?? signal))),
  };
}
