// Installs, generates and builds whatever is stale in a checkout, so that it can run.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, constants, setPriority } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeFault, SQLITE_FLAGS, SQLITE_OF_NODE_20 } from '../bin/node-version.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);
/** First supported version of each long-term line of Node. */
export const FIRST_VERSIONS = ['20.19.0', '22.14.0', '24.0.0', '26.0.0'];
const BUNDLER = 'Where Rolldown does not run, take the package of a release: docs/install.md';
const SQLITE = 'better-sqlite3';
const SQLITE_BINARY = join('build', 'Release', 'better_sqlite3.node');
/** Packages that the driver loads. */
const USED_BY_IT = ['bindings', 'file-uri-to-path'];
const QUIET = ['--logs-max=0', '--no-audit', '--no-fund', '--loglevel=error'];
const TOOLS =
  'Without a compiled better-sqlite3 to download it is compiled here: install a C++ compiler, make and Python 3, or start with Node 22 or newer';
/** Number of npm's unpacking threads. More of them, or a log of npm, would slow it down on two cores. */
const UNPACKERS = Math.min(4, availableParallelism());
const STUDIO_PAGE = at('studio', 'dist', 'index.html');
const STAMPS = at('node_modules', '.cache', 'platform-services');
/**
 * Installs Studio, the only workspace that is built and served. Omits peer dependencies: none is needed, and one is Prisma's command
 * line, for development.
 */
const SERVED = ['--workspace', 'studio', '--include-workspace-root', '--legacy-peer-deps'];

/**
 * Prepares the checkout. `withTools` also installs tools for tests, checks and measurements. `isStart` does not wait for the first
 * build of Studio.
 */
export async function prepare({ withTools = false, isStart = false } = {}) {
  const fault = nodeFault(process.versions.node);
  if (fault) fail(fault);
  const driver = install({ withTools });
  const isLast = isStart && !existsSync(STUDIO_PAGE);
  const studio = buildStudio(isLast);
  if (isLast) studio.catch((error) => process.stderr.write(`${error.stack}\n`)); // the server that runs by then continues
  generateClients();
  const scripts = ['transpile.mjs', 'bundle.mjs', 'console-page.mjs'].map((name) => join('scripts', name));
  const settings = ['tsconfig.json', 'package-lock.json', ...scripts];
  const page = files(at('src', 'common', 'graphql', 'console', 'page'), '');
  const sources = [...files(at('src'), '.ts'), ...page, ...settings.map((name) => at(name))];
  step('build', sources, at('dist', 'bundle', 'main.js'), () => {
    run('Building', process.execPath, [at('scripts', 'transpile.mjs')], { advice: BUNDLER });
    run('Bundling', process.execPath, [at('scripts', 'bundle.mjs')], { errors: 'inherit' });
  });
  if (await isPending(driver)) process.stderr.write(`Waiting for ${SQLITE}, which is still being installed ...\n`);
  await Promise.all([driver, isLast || studio]);
}

/** Returns whether something is still in progress after a turn of the event loop. */
function isPending(work) {
  return Promise.race([Promise.resolve(work).then(() => false), new Promise((done) => setImmediate(done, true))]);
}

/**
 * Builds Studio concurrently with the server if its sources changed; a first build runs after everything that the server needs. The
 * server polls for it, so the folder appears atomically.
 */
async function buildStudio(isLast) {
  const generator = at('clients', 'js', 'scripts', 'generate.mjs');
  const sources = ['.ts', '.tsx', '.css'].flatMap((ending) => files(at('studio', 'src'), ending));
  const settings = ['index.html', 'vite.config.mjs', 'tsconfig.json'].map((name) => at('studio', name));
  const inputs = [
    ...sources,
    ...settings,
    ...files(at('studio', 'public'), ''),
    ...files(at('schema'), '.graphql'),
    ...files(at('clients', 'js', 'src'), '.ts'),
    ...files(at('clients', 'js', 'scripts'), '.mjs'),
    at('package-lock.json'),
  ];
  const done = staleness('studio', inputs, STUDIO_PAGE);
  if (!done) return;
  if (!(await runBeside('Generating the types of the client', process.execPath, [generator], { isLast }))) return;
  const vite = join(dirname(createRequire(at('package.json')).resolve('vite/package.json')), 'bin', 'vite.js');
  const [place, draft] = [at('studio', 'dist'), join(STAMPS, 'studio.dist')];
  const build = [vite, 'build', at('studio'), '--logLevel', 'error', '--outDir', draft, '--emptyOutDir'];
  // React in production, also where a test begins the build.
  const env = { NODE_ENV: 'production' };
  if (!(await runBeside('Building Studio', process.execPath, build, { env, isLast }))) return;
  rmSync(place, { recursive: true, force: true });
  renameSync(draft, place);
  done();
}

/**
 * Installs the packages. `npm ci` would remove node_modules first, with the stamps of the last build. The returned promise is for the
 * driver that Node 20 needs, while the build continues.
 */
export function install({ withTools = false } = {}) {
  const placeDriver = driverOfNode20();
  if (!placeDriver) removeDriverOfNode20();
  const { platform, arch, versions } = process;
  const stale = (kind) => {
    const product = at('node_modules', '.package-lock.json');
    return staleness('install', [at('package-lock.json')], product, [platform, arch, versions.modules, kind].join());
  };
  const noteAll = stale('all');
  const done = withTools || !noteAll ? noteAll : stale('served');
  if (done) {
    const what = withTools ? 'Installing all packages' : 'Installing packages';
    const options = ['--include=dev', '--no-save', '--ignore-scripts', ...QUIET, ...(withTools ? [] : SERVED)];
    run(what, 'npm', ['install', ...options], { env: { UV_THREADPOOL_SIZE: String(UNPACKERS) } });
    done();
  }
  return placeDriver?.();
}

/**
 * Starts the installation of the last driver for Node 20: better-sqlite3 13 is precompiled but needs Node-API 10. npm compiles the
 * older version in a core minute. The result is stored, since each `npm install` restores the locked version. Returns a function that
 * puts it in place.
 */
function driverOfNode20() {
  const { platform, arch, versions } = process;
  if (Number(versions.napi) >= 10) return undefined;
  const kept = join(STAMPS, 'driver');
  const built = join(kept, 'node_modules', SQLITE, SQLITE_BINARY);
  const done = staleness('driver-of-node-20', [], built, [platform, arch, versions.modules, SQLITE_OF_NODE_20].join());
  const installing = done && installDriver(kept);
  return async () => {
    await installing;
    done?.();
    const place = at('node_modules', SQLITE);
    if (isDriverOfNode20(place) && !done) return;
    rmSync(place, { recursive: true, force: true });
    cpSync(join(kept, 'node_modules', SQLITE), place, { recursive: true });
    for (const name of USED_BY_IT)
      cpSync(join(kept, 'node_modules', name), join(place, 'node_modules', name), { recursive: true });
  };
}

/** Removes the driver of Node 20, and npm's list of installed packages, so that the locked driver is installed again. */
function removeDriverOfNode20() {
  const place = at('node_modules', SQLITE);
  if (sqliteVersionIn(place) !== SQLITE_OF_NODE_20) return;
  rmSync(place, { recursive: true, force: true });
  rmSync(at('node_modules', '.package-lock.json'), { force: true });
}

/** Returns whether a folder has the compiled driver of Node 20. For others npm runs node-gyp, which leaves a `build` without a binary. */
function isDriverOfNode20(folder) {
  return existsSync(join(folder, SQLITE_BINARY)) && sqliteVersionIn(folder) === SQLITE_OF_NODE_20;
}

function sqliteVersionIn(folder) {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
}

function installDriver(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  const what = `Installing better-sqlite3 for Node ${process.versions.node}`;
  const { CFLAGS, CXXFLAGS } = { ...SQLITE_FLAGS, ...process.env };
  const options = { cwd: folder, env: { CFLAGS, CXXFLAGS }, advice: TOOLS };
  return runBeside(what, 'npm', ['install', `${SQLITE}@${SQLITE_OF_NODE_20}`, ...QUIET], options);
}

function generateClients() {
  const generator = at('scripts', 'database-clients.mjs');
  const sources = [...files(at('prisma'), '.prisma'), generator, at('package-lock.json')];
  const done = staleness('generate', sources, at('src', 'generated', 'postgresql', 'client.ts'));
  if (!done) return;
  rmSync(at('src', 'generated'), { recursive: true, force: true });
  run('Generating the database clients', process.execPath, [generator]);
  done();
}

/** Runs `work` if the inputs changed since its last success, or its product is missing. */
export function step(name, inputs, product, work) {
  const done = staleness(name, inputs, product);
  if (!done) return;
  work();
  done();
}

/** Returns a function that records the success of a step, or nothing if it need not run. */
function staleness(name, inputs, product, platform = '') {
  const hash = createHash('sha256').update(platform);
  for (const file of inputs) hash.update(file.slice(root.length)).update(readFileSync(file));
  const digest = hash.digest('hex');
  const stamp = join(STAMPS, name);
  if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return undefined;
  return () => {
    mkdirSync(STAMPS, { recursive: true });
    writeFileSync(stamp, digest);
  };
}

export function files(folder, ending) {
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory() && entry.name !== 'generated') found.push(...files(path, ending));
    else if (statSync(path).isFile() && path.endsWith(ending)) found.push(path);
  }
  return found.sort();
}

/** Runs a program. Prints to standard error only, so that a command's own output stays clean. */
export function run(what, command, args, { env = {}, errors = 'pipe', advice = '' } = {}) {
  process.stderr.write(`${what} ...\n`);
  const options = { ...surroundings(env), stdio: ['ignore', 'pipe', errors], encoding: 'utf8', maxBuffer: 1 << 28 };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status !== 0) fail(`${what} failed${error ? `: ${error.message}` : ''}\n${stdout ?? ''}${stderr ?? ''}${advice}`);
}

/**
 * Runs a program like `run`, in parallel with other steps and at low priority, since a start waits for npm. It is stopped with this
 * process, which neither waits for the last one nor fails with it. Returns whether it succeeded.
 */
async function runBeside(what, command, args, { cwd = root, env, advice = '', isLast = false }) {
  process.stderr.write(`${what} ...\n`);
  const child = spawn(command, args, { ...surroundings(env), cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  process.on('exit', end);
  giveWay(child);
  if (isLast) for (const held of [child, child.stdout, child.stderr]) held.unref();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const fault = await new Promise((resolve) => {
    child.once('error', (error) => resolve(`: ${error.message}`));
    child.once('close', (status) => resolve(status === 0 ? undefined : ''));
  });
  process.off('exit', end);
  if (fault === undefined) return true;
  const message = `${what} failed${fault}\n${output}${advice}`;
  if (!isLast) fail(message);
  if (!child.signalCode) process.stderr.write(`${message}\n`);
  return false;
}

function giveWay({ pid }) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The program did not start; its error was printed.
  }
}

/** npm must run on this Node, whichever comes first on the PATH. */
function surroundings(env) {
  return { cwd: root, env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`, ...env } };
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await prepare();
