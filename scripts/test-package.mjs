// npm run test:package: packs this build with `npm run package`, installs the tarball with npm into an empty folder and uses it there
// by npx: all services, a second start, the help of every command, doctor with and without the SQLite driver. Prints the duration of
// each step.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeSteps, step } from './counted-steps.mjs';
import { BINARY, DRIVER, FRESH, manifestOf, npmWithDriver, run } from './package-installs.mjs';
import { prepare, root } from './prepare.mjs';

const LIMIT_MS = 5 * 60_000;
/** All commands, as typed. */
const COMMANDS = ['start', 'doctor', 'keys create', 'keys list', 'keys revoke', 'keys bind', 'keys generate', 'tenants list',
  'demo', 'tenants limits', 'tenants suspend', 'tenants resume', 'tenants delete', 'files reconcile', 'rotate', 'log verify', 'migrate',
  'backup', 'restore']; // prettier-ignore

/** Folder inside the package, which includes the driver. */
const OURS = ['node_modules', 'platform-services', 'node_modules'];

await prepare({ withTools: true });
const { startMailServer, startServer, visit } = await import('../test/nodes/journey.mjs');
const work = mkdtempSync(join(tmpdir(), 'platform-services-package-'));
const folder = join(work, 'empty');
const prebuilt = join(work, 'prebuilt');
for (const path of [folder, prebuilt]) mkdirSync(path);
const npm = await npmWithDriver(prebuilt);
/** Results of the first test, for later ones. */
let tarball;
let filesOfModules;

await step('npm run package makes the tarballs of the server and its packages', async () => {
  const { version } = manifestOf(root);
  await npm(root, 'run', 'package', '--', work);
  const names = ['', '-client', '-testing', '-nestjs', '-react'].map((part) => `platform-services${part}-${version}.tgz`);
  assert.deepEqual(readdirSync(work).filter((file) => file.endsWith('.tgz')).sort(), names.sort()); // prettier-ignore
  tarball = join(
    work,
    names.find((name) => /services-\d/.test(name)),
  );
  return `${(statSync(tarball).size / 1024 ** 2).toFixed(1)} MB`;
});

await step('npm installs it into an empty folder, and again from the lock that this made', async () => {
  await npm(folder, 'install', tarball, ...FRESH);
  await npm(folder, 'ci', ...FRESH);
  // Replaces the driver on Node 20, as the first command does.
  await npm(folder, 'exec', '--no-install', 'platform-services', '--', '--version');
  filesOfModules = listing(join(folder, 'node_modules'));
});

await step('nothing comes along that is for development, or that the bundles hold', () => {
  const all = ['.', 'studio', 'bench', 'test'].map((part) => manifestOf(join(root, part)));
  const { dependencies } = manifestOf(join(folder, 'node_modules', 'platform-services'));
  assert.deepEqual(Object.keys(dependencies).sort(), [DRIVER, 'reflect-metadata', 'ws']);
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const names = Object.keys(packages).map((path) => path.split('node_modules/').at(-1));
  const ours = all
    .flatMap((one) => Object.keys({ ...one.devDependencies, ...one.dependencies }))
    .filter((name) => !(name in dependencies));
  // Excludes the package with which a driver downloaded by npm is unpacked.
  assert.deepEqual(names.filter((name) => ours.includes(name) && name !== 'tar-stream'), []); // prettier-ignore
});

await step('npx platform-services starts it, prints a key once, and all services work', async () => {
  const mail = await startMailServer();
  const server = startNpx('--smtp-url', mail.url, '--email-from', 'package@sender.example');
  try {
    const { address, key } = await server.connect();
    await Promise.race([visit(address, key, () => mail.received), server.died]);
    await server.stop();
  } catch (error) {
    throw new Error(`${error.message}\n${server.output().slice(-3_000)}`, { cause: error });
  } finally {
    server.kill();
    mail.close();
  }
});

await step('a second start needs no key', async () => {
  const server = startNpx();
  await server.address();
  assert.doesNotMatch(server.output(), /psk_/);
  const [, ms] = /"startMs":(\d+)/.exec(server.output());
  await server.stop();
  return `${ms} ms after Node began`;
});

await step('data is in ./data, and nothing was written into node_modules', () => {
  assert.ok(readdirSync(join(folder, 'data')).includes('platform-services.db'));
  assert.deepEqual(listing(join(folder, 'node_modules')), filesOfModules);
});

await step('each command has its help, and the program a version', async () => {
  const { stdout: all } = await platform('--help');
  for (const command of COMMANDS) {
    const { stdout } = await platform(...command.split(' '), '--help');
    assert.match(stdout, new RegExp(`^Usage: platform-services ${command}`));
    assert.match(all, new RegExp(`^  ${command.split(' ')[0]}\\b`, 'm'));
  }
  assert.match((await platform('help', 'start')).stdout, /--database-url <value>/);
  assert.equal((await platform('--version')).stdout.trim(), manifestOf(root).version);
});

await step('an option that does not exist is refused with the one that does', async () => {
  const { code, stderr } = await platform('start', '--prot', '4000');
  assert.equal(code, 2);
  assert.match(stderr, /unknown option '--prot'\n\(Did you mean --port\?\)/);
});

await step('options win over the environment, before and after a command', async () => {
  const elsewhere = join(folder, 'elsewhere');
  await platform('keys', 'create', '--tenant', 'a', '--scope', 'email-api:query:*', '--data-dir', elsewhere);
  assert.ok(readdirSync(elsewhere).includes('platform-services.db'));
  const { stdout } = await platform('--data-dir', elsewhere, 'keys', 'list');
  assert.match(stdout, /\ta\t/);
});

await step('doctor finds nothing that keeps it from working', async () => {
  const { code, stdout } = await platform('doctor', '--json', '--port', '0');
  assert.equal(code, 0, stdout);
  assert.equal(JSON.parse(stdout).checks.length, 14);
});

await step('without the driver doctor and a start say how to get it', async () => {
  const driver = join(folder, ...OURS, DRIVER);
  const advice = new RegExp(`npm install --prefix \\S+ --no-save ${DRIVER}@\\d`);
  renameSync(driver, join(work, DRIVER));
  const told = await platform('doctor', '--port', '0');
  const start = await platform('start', '--port', '0');
  renameSync(join(work, DRIVER), driver);
  assert.equal(told.code, 1);
  assert.match(told.stdout, /^failed {3}SQLite/m);
  assert.match(told.stdout, advice);
  assert.equal(start.code, 1);
  assert.match(start.stderr, advice);
});

await step('a driver for another Node, or one that was not compiled, is told from a missing one', async () => {
  const binary = join(folder, ...OURS, DRIVER, BINARY);
  renameSync(binary, `${binary}.aside`);
  const { code, stdout } = await platform('doctor', '--port', '0');
  renameSync(`${binary}.aside`, binary);
  assert.equal(code, 1);
  assert.match(stdout, /npm (rebuild|install) --prefix \S+ (--no-save )?better-sqlite3/);
});

await step('a driver that this Node cannot load, and npm cannot replace, is refused before it ends the process', async () => {
  const path = join(folder, ...OURS, DRIVER, 'package.json');
  const manifest = readFileSync(path, 'utf8');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(manifest), version: '99.0.0' }));
  const told = await platformWithoutNpm('doctor', '--port', '0');
  const start = await platformWithoutNpm('start', '--port', '0');
  writeFileSync(path, manifest);
  const advice = new RegExp(`npm install --prefix \\S+ --no-save ${DRIVER}@1[23]\\b`);
  assert.equal(told.code, 1);
  assert.match(told.stdout, advice);
  assert.equal(start.code, 1);
  assert.match(start.stderr, advice);
});

rmSync(work, { recursive: true, force: true });
closeSteps();

function startNpx(...settings) {
  const args = ['--no-install', 'platform-services', '--port', '0', '--host', '127.0.0.1', ...settings];
  return startServer('npx', folder, { HOME: process.env.HOME, PORT: '1' }, args);
}

/** Runs the command that npx finds, directly: each npx would take another second. */
function platform(...args) {
  return outcome(join(folder, 'node_modules', '.bin', 'platform-services'), args, process.env.PATH);
}

function platformWithoutNpm(...args) {
  const program = join(folder, 'node_modules', 'platform-services', 'bin', 'platform-services.mjs');
  return outcome(process.execPath, [program, ...args], folder);
}

function outcome(program, args, path) {
  const options = { cwd: folder, env: { PATH: path, HOST: '127.0.0.1' }, timeout: LIMIT_MS };
  return run(program, args, options).then(
    (output) => ({ code: 0, ...output }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

function listing(path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    return `${file} ${statSync(file).mtimeMs}`;
  });
}
