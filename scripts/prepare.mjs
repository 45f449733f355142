// Installs, generates and builds whatever is stale in a checkout, so that it can run.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeFault, SQLITE_OF_NODE_20 } from '../bin/node-version.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);
/** The first supported version of each long-term line of Node. */
export const FIRST_VERSIONS = ['20.19.0', '22.14.0', '24.0.0', '26.0.0'];
const SQLITE = 'better-sqlite3';
/** Packages that it loads. */
const USED_BY_IT = ['bindings', 'file-uri-to-path'];
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
const TOOLS =
  'Without a compiled better-sqlite3 to download it is compiled here: install a C++ compiler, make and Python 3, or start with Node 22 or newer';
export const COMPILER = at('node_modules', 'typescript-7', 'bin', 'tsc');
const STAMPS = at('node_modules', '.cache', 'platform-services');
/** Studio is the only workspace that is built and served. */
const SERVED = ['--workspace', 'studio', '--include-workspace-root'];

/** `withTools` also installs what tests, checks and measurements need. */
export async function prepare({ withTools = false } = {}) {
  const fault = nodeFault(process.versions.node);
  if (fault) fail(fault);
  const driver = install({ withTools });
  const studio = buildStudio();
  await generateClients();
  const scripts = ['bundle.mjs', 'console-page.mjs'].map((name) => join('scripts', name));
  const settings = ['tsconfig.json', 'package-lock.json', ...scripts];
  const page = files(at('src', 'common', 'graphql', 'console', 'page'), '');
  const sources = [...files(at('src'), '.ts'), ...page, ...settings.map((name) => at(name))];
  step('build', sources, at('dist', 'bundle', 'main.js'), () => {
    rmSync(at('dist'), { recursive: true, force: true });
    compile();
    run('Bundling', process.execPath, [at('scripts', 'bundle.mjs')], { errors: 'inherit' });
  });
  await Promise.all([driver, studio]);
}

/** Builds Studio, beside the server. The server runs without it too, so a platform that its bundler does not know only lacks it. */
async function buildStudio() {
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
  const done = staleness('studio', inputs, at('studio', 'dist', 'index.html'));
  if (!done) return;
  run('Generating the types of the client', process.execPath, [generator]);
  const vite = join(dirname(createRequire(at('package.json')).resolve('vite/package.json')), 'bin', 'vite.js');
  const build = [vite, 'build', at('studio'), '--logLevel', 'error'];
  if (await runBeside('Building Studio', process.execPath, build, { mayFail: /native binding/i })) done();
}

/** Builds with the native compiler: the files are those of TypeScript 6, which `nest build` calls, for a quarter of its processor time. */
function compile() {
  run('Building', process.execPath, [COMPILER, '-p', at('tsconfig.json')]);
}

/**
 * Installs the packages. `npm ci` would remove node_modules first, with what the last build noted. The returned promise is for the
 * driver that Node 20 needs, while the build goes on.
 */
export function install({ withTools = false } = {}) {
  const placeDriver = driverOfNode20();
  const { platform, arch, versions } = process;
  const stale = (kind) => {
    const product = at('node_modules', '.package-lock.json');
    return staleness('install', [at('package-lock.json')], product, [platform, arch, versions.modules, kind].join());
  };
  const noteAll = stale('all');
  const done = withTools || !noteAll ? noteAll : stale('served');
  if (done) {
    const what = withTools ? 'Installing all packages' : 'Installing packages';
    run(what, 'npm', ['install', '--include=dev', '--no-save', '--ignore-scripts', ...QUIET, ...(withTools ? [] : SERVED)]);
    done();
  }
  return placeDriver?.();
}

/**
 * Begins to install what Node 20 takes in the place of better-sqlite3 13, which comes compiled but needs Node-API 10: the last version
 * before it. npm compiles it, for a minute of a core. It is kept, since each `npm install` puts the other back. Returns what puts it in its place.
 */
function driverOfNode20() {
  const { platform, arch, versions } = process;
  if (Number(versions.napi) >= 10) return undefined;
  const kept = join(STAMPS, 'driver');
  const built = join(kept, 'node_modules', SQLITE, 'build');
  const done = staleness('driver-of-node-20', [], built, [platform, arch, versions.modules, SQLITE_OF_NODE_20].join());
  const installing = done && installDriver(kept);
  return async () => {
    await installing;
    done?.();
    const place = at('node_modules', SQLITE);
    if (existsSync(join(place, 'build')) && !done) return;
    rmSync(place, { recursive: true, force: true });
    cpSync(join(kept, 'node_modules', SQLITE), place, { recursive: true });
    for (const name of USED_BY_IT)
      cpSync(join(kept, 'node_modules', name), join(place, 'node_modules', name), { recursive: true });
  };
}

/** With -O2 it compiles in 38 s and not in 49 s, and takes the same time for inserts and reads (1.00). */
function installDriver(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  const what = `Installing better-sqlite3 for Node ${process.versions.node}`;
  const { CFLAGS = '-O2', CXXFLAGS = '-O2' } = process.env;
  const options = { cwd: folder, env: { CFLAGS, CXXFLAGS }, advice: TOOLS };
  return runBeside(what, 'npm', ['install', `${SQLITE}@${SQLITE_OF_NODE_20}`, ...QUIET], options);
}

/** Generates the clients of both databases, beside each other. */
async function generateClients() {
  const sources = [...files(at('prisma'), '.prisma'), at('package-lock.json')];
  const done = staleness('generate', sources, at('src', 'generated', 'postgresql', 'client.ts'));
  if (!done) return;
  rmSync(at('src', 'generated'), { recursive: true, force: true });
  await Promise.all(['sqlite', 'postgresql'].map(generate));
  done();
}

/** Names any executable as Prisma's engine, which generating does not need: Prisma would download it otherwise. */
function generate(provider) {
  const cli = createRequire(at('package.json')).resolve('prisma-cli/build/index.js');
  return runBeside(
    `Generating the database client for ${provider}`,
    process.execPath,
    [cli, 'generate', '--schema', at('prisma', provider)],
    {
      env: {
        PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
}

/** Runs `work` if the inputs changed since its last success, or its product is missing. */
export function step(name, inputs, product, work) {
  const done = staleness(name, inputs, product);
  if (!done) return;
  work();
  done();
}

/** Returns a function that notes the success of a step, or nothing if it need not run. */
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

/** The same, while other steps go on. It ends with this process. Returns whether it succeeded: it may fail for one reason. */
async function runBeside(what, command, args, { cwd = root, env, advice = '', mayFail }) {
  process.stderr.write(`${what} ...\n`);
  const child = spawn(command, args, { ...surroundings(env), cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  process.on('exit', end);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const fault = await new Promise((resolve) => {
    child.once('error', (error) => resolve(`: ${error.message}`));
    child.once('close', (status) => resolve(status === 0 ? undefined : ''));
  });
  process.off('exit', end);
  if (fault === undefined) return true;
  const message = `${what} failed${fault}\n${output}${advice}`;
  if (!mayFail?.test(output)) fail(message);
  process.stderr.write(`${message}\n`);
  return false;
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
