// npm run test:examples: packs this build, its client and its testing package, installs them for a copy of the examples as their
// READMEs say, and runs all examples against one server. Examples in a language or for a browser that is not installed are reported as
// skipped.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { FRESH, npmWithDriver, run } from './package-installs.mjs';
import { prepare, root } from './prepare.mjs';

const LIMIT_MS = 3 * 60_000;
/** Output of the examples in other languages. */
const PRINTED = [
  'downloaded 29 bytes',
  'rendered <p>Hi Ann &lt;Smith&gt;</p>',
  'mailed to ann@example.com',
  'received Your report is ready',
  'logged status sent',
  'refused NOT_FOUND',
];

await prepare({ withTools: true });
const work = mkdtempSync(join(tmpdir(), 'platform-services-examples-'));
const [packages, prebuilt, shop, browser] = ['packages', 'prebuilt', 'shop', 'browser'].map((name) => join(work, name));
for (const path of [packages, prebuilt]) mkdirSync(path);
cpSync(join(root, 'examples'), work, { recursive: true, filter: (path) => !path.endsWith('node_modules') });
let passed = 0;
let failed = 0;
let platform;

await test('the packages are packed, and installed for the shop and the page', async () => {
  const npm = await npmWithDriver(prebuilt);
  await npm(root, 'run', 'package', '--', packages);
  const tarballs = readdirSync(packages).map((name) => join(packages, name));
  await npm(shop, 'install', '--no-save', ...tarballs, ...FRESH);
  await npm(browser, 'install', '--no-save', ...tarballs.filter((path) => path.includes('-client-')), ...FRESH);
});

if (failed === 0) {
  process.chdir(shop); // the testing package is for the folder that tests run in
  const main = createRequire(join(shop, 'package.json')).resolve('@platform-services/testing');
  const { startPlatform } = await import(pathToFileURL(main).href);
  platform = await startPlatform();
  await test('the suite of the shop passes', () => runTests(shop));
  await test('the application of README passes its test in an empty folder', runReadme);
  const ofPython = { PYTHONPATH: join(root, 'clients', 'python', 'src'), PYTHONDONTWRITEBYTECODE: '1' };
  await test('Python uses all services', () => uses('python', 'python3', ['example.py'], ofPython), 'python3');
  await test('Go uses all services', useGo, 'go');
  await test('the page uploads and hears of it in a real browser', usePage, process.env.TEST_CHROMIUM ?? 'chromium');
  await platform.stop();
}
rmSync(work, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs `npm test`, and returns the number of tests. */
async function runTests(folder) {
  const { stdout } = await execute('npm', ['test', '--silent'], folder, {});
  const [, count] = /^(?:#|ℹ) pass (\d+)$/m.exec(stdout) ?? [];
  assert.ok(Number(count) > 0, stdout);
  return `${count} tests`;
}

/** Creates the files given in README, and uses the packages of the shop. */
async function runReadme() {
  const folder = join(shop, 'readme');
  mkdirSync(folder);
  const [, source] = /^```js\n(.*?)^```$/ms.exec(readFileSync(join(root, 'README.md'), 'utf8'));
  writeFileSync(join(folder, 'orders.test.mjs'), source);
  const { stdout } = await execute(process.execPath, ['--test'], folder, {});
  assert.match(stdout, /^(?:#|ℹ) pass 1$/m);
}

/** Runs an example with a separate tenant, and checks what it printed, sent and pushed. */
async function uses(name, program, args, settings = {}) {
  const tenant = await platform.newTenant();
  const env = { PLATFORM_URL: tenant.address, PLATFORM_KEY: tenant.key, ...settings };
  const { stdout } = await execute(program, args, join(work, name), env);
  assert.deepEqual(stdout.trim().split('\n'), PRINTED);
  const mail = await tenant.nextMail({ to: 'ann@example.com', timeoutMs: 30_000 });
  assert.deepEqual(mail.attachments.map(({ name, content }) => [name, content.length]), [['report.csv', 29]]); // prettier-ignore
}

/** Runs the Go example with the client of this checkout. Needs nothing from a network, and no C compiler without cgo. */
async function useGo() {
  const module = join(work, 'go', 'go.mod');
  writeFileSync(module, readFileSync(module, 'utf8').replace('../../clients/go', join(root, 'clients', 'go')));
  await uses('go', 'go', ['run', '.'], { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOPROXY: 'off' });
}

/** Starts the server of the example page, and uses it in a browser. */
async function usePage() {
  const tenant = await platform.newTenant();
  const env = { ...process.env, PLATFORM_URL: tenant.address, PLATFORM_KEY: tenant.key, PORT: '0' };
  const server = spawn(process.execPath, ['server.js'], { cwd: browser, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const { value = '' } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
    const [address] = /http:\S+/.exec(value) ?? [];
    const args = [join(root, 'test', 'browser', 'example.mjs'), tenant.address, tenant.key, address];
    const { stdout } = await execute(process.execPath, args, browser, { CHROMIUM: process.env.TEST_CHROMIUM ?? 'chromium' });
    return `${stdout.match(/^ok /gm).length} checks`;
  } finally {
    server.kill();
  }
}

/** Runs a program. An error begins with its standard output. */
async function execute(program, args, cwd, env) {
  return run(program, args, { cwd, env: { ...process.env, ...env }, timeout: LIMIT_MS }).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}`, { cause: error });
  });
}

async function test(name, check, needed) {
  if (needed && !(await isHere(needed))) return console.log(`skipped ${name}: ${needed} is not here`);
  const begun = performance.now();
  try {
    const note = await check();
    const seconds = `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
    console.log(`ok      ${name} (${[seconds, note].filter(Boolean).join(', ')})`);
    passed++;
  } catch (error) {
    console.log(`FAILED  ${name}: ${error.message}`);
    failed++;
  }
}

async function isHere(program) {
  return run('which', [program]).then(
    () => true,
    () => false,
  );
}
