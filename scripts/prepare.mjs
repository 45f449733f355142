// Brings a checkout into a state that can run: installed, generated, built. Does only what is stale.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);
/** The first that is supported of each line of Node with long-term support. */
export const FIRST_VERSIONS = ['20.19.0', '22.12.0', '24.0.0', '26.0.0'];
const SQLITE = 'better-sqlite3';
const LAST_GOOD_HEADERS = '24.18.1';
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
const OTHER_NODE = 'start with Node 20, Node 22, or Node 24 before 24.19';
const COMPILER = `Where no better-sqlite3 can be downloaded it is compiled: install a C++ compiler, make and Python 3, or ${OTHER_NODE}`;
const STAMPS = at('node_modules', '.cache', 'platform-services');

export function prepare() {
  if (!isSupported(process.versions.node)) {
    fail(`Node 20 from 20.19, Node 22 from 22.12, or Node 24 or newer is needed; this is ${process.versions.node}`);
  }
  install();
  step(
    'generate',
    [...files(at('prisma'), '.prisma'), at('package-lock.json')],
    at('src', 'generated', 'postgresql', 'client.ts'),
    () => {
      rmSync(at('src', 'generated'), { recursive: true, force: true });
      for (const provider of ['sqlite', 'postgresql']) generate(provider);
    },
  );
  const sources = [...files(at('src'), '.ts'), at('tsconfig.json'), at('package-lock.json'), at('scripts', 'bundle.mjs')];
  step('build', sources, at('dist', 'bundle', 'main.js'), () => {
    rmSync(at('dist'), { recursive: true, force: true });
    const tsc = createRequire(at('package.json')).resolve('typescript/bin/tsc');
    run('Building', process.execPath, [tsc, '-p', at('tsconfig.json')]);
    run('Bundling', process.execPath, [at('scripts', 'bundle.mjs')], { errors: 'inherit' });
  });
}

/** Packages for this version of Node: another one than the last asks for another binary of better-sqlite3. */
export function install() {
  const lock = at('package-lock.json');
  step('install', [lock], at('node_modules', '.package-lock.json'), () => {
    const env = sqliteHeaders();
    run('Installing packages', 'npm', ['install', '--include=dev', '--no-save', ...QUIET], { env, advice: COMPILER });
    if (isSqliteUsable()) return;
    run(`Installing better-sqlite3 for Node ${process.versions.node}`, 'npm', ['rebuild', SQLITE, ...QUIET], {
      env,
      advice: COMPILER,
    });
    if (!isSqliteUsable()) fail(`better-sqlite3 does not work on Node ${process.versions.node}: ${OTHER_NODE}`);
  });
}

/**
 * Compiled with the headers of Node 24.19 or newer, better-sqlite3 aborts on these (nodejs/node#65446); compiled with older
 * ones of the same line it does not.
 */
function sqliteHeaders() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major === 24 && minor >= 19 ? { npm_config_target: LAST_GOOD_HEADERS } : {};
}

function isSqliteUsable() {
  const script = `new (require('${SQLITE}'))(':memory:').close()`;
  if (spawnSync(process.execPath, ['-e', script], { cwd: root }).status !== 0) return false;
  const binary = at('node_modules', SQLITE, 'build', 'Release', 'better_sqlite3.node');
  const isAborting = process.versions.node.startsWith('24.') && readFileSync(binary).includes('RemoveEnvironmentCleanupHook');
  return !isAborting;
}

/** As `engines` of package.json has it: what the packages of the lock ask for. */
function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
}

/** Prisma looks for an engine that generating does not need, and would download it: any executable will do. */
function generate(provider) {
  const cli = createRequire(at('package.json')).resolve('prisma/build/index.js');
  run(`Generating the database client for ${provider}`, process.execPath, [cli, 'generate', '--schema', at('prisma', provider)], {
    env: {
      PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
}

/** Runs `work` when the inputs or the kind of Node are not those of its last success, or its product is missing. */
function step(name, inputs, product, work) {
  const hash = createHash('sha256');
  if (name === 'install') hash.update([process.platform, process.arch, process.versions.modules].join());
  for (const file of inputs) hash.update(file.slice(root.length)).update(readFileSync(file));
  const digest = hash.digest('hex');
  const stamp = join(STAMPS, name);
  if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  work();
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(stamp, digest);
}

function files(folder, ending) {
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory() && entry.name !== 'generated') found.push(...files(path, ending));
    else if (statSync(path).isFile() && path.endsWith(ending)) found.push(path);
  }
  return found.sort();
}

/** What it prints goes to standard error, so that a command's own output stays clean. */
function run(what, command, args, { env = {}, errors = 'pipe', advice = '' } = {}) {
  process.stderr.write(`${what} ...\n`);
  const options = {
    cwd: root,
    // npm runs on this Node, whichever comes first elsewhere.
    env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`, ...env },
    stdio: ['ignore', 'pipe', errors],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status !== 0) fail(`${what} failed${error ? `: ${error.message}` : ''}\n${stdout ?? ''}${stderr ?? ''}${advice}`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) prepare();
