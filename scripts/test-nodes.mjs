// npm run test:nodes [-- VERSION …]: on the oldest supported Node, and on the first and the newest of each later line, installs
// this build, starts it on SQLite, and goes through one journey over all services. The programs and their compiled packages are
// kept in node_modules/.cache/test-nodes; packages come from npm.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FIRST_VERSIONS, prepare, root } from './prepare.mjs';

const CACHE = join(root, 'node_modules', '.cache', 'test-nodes');
const PACKAGE = `node-${process.platform}-${process.arch}`;
const SQLITE = join('node_modules', 'better-sqlite3');
const BINARY = join('build', 'Release', 'better_sqlite3.node');
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
/** Compiles SQLite in a fraction of the time; nothing is measured here. */
const UNOPTIMIZED = { CFLAGS: '-O0', CXXFLAGS: '-O0' };
const PARTS = ['dist', 'prisma', 'schema', 'package.json', 'package-lock.json'];
const LIMIT_MS = 10 * 60_000;
const run = promisify(execFile);

await prepare({ withTools: true });
const { travel } = await import('../test/nodes/journey.mjs');
mkdirSync(CACHE, { recursive: true });
const versions = process.argv.length > 2 ? process.argv.slice(2) : await firstAndNewest();
const programs = new Map();
const packages = install(versions[0]);
const outcomes = [];
// Versions of a line share compiled packages and run in turn; lines run beside each other.
const lines = new Map(versions.map((version) => [majorOf(version), []]));
for (const version of versions) lines.get(majorOf(version)).push(version);
const waiting = [...lines.values()];
await Promise.all(Array.from({ length: Math.min(availableParallelism(), waiting.length) }, work));
const failed = outcomes.filter((ok) => !ok).length;
console.log(`${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function work() {
  for (let line = waiting.shift(); line; line = waiting.shift()) {
    for (const version of line) outcomes.push(await passes(version));
  }
}

async function passes(version) {
  try {
    const node = await program(version);
    const folder = await installed(version);
    await addSqlite(folder, version, node);
    const begun = performance.now();
    await travel(node, folder);
    console.log(`ok      Node ${version}: all services, on SQLite, in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    return true;
  } catch (error) {
    console.log(`FAILED  Node ${version}: ${error.message}\n${error.stderr ?? ''}`);
    return false;
  }
}

function majorOf(version) {
  return Number(version.split('.')[0]);
}

async function firstAndNewest() {
  const published = JSON.parse(await npm(process.execPath, root, 'view', PACKAGE, 'versions', '--json'));
  const [oldest, ...others] = FIRST_VERSIONS;
  return [oldest, ...others.flatMap((first) => [first, newestOf(majorOf(first), published)])];
}

function newestOf(major, published) {
  const releases = published.filter((version) => majorOf(version) === major && !version.includes('-'));
  return releases.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
}

/** Returns the program of a version, which is fetched once however many ask for it. */
function program(version) {
  if (!programs.has(version)) programs.set(version, fetched(version));
  return programs.get(version);
}

/** Fetches the program of a version, with its headers beside it. */
async function fetched(version) {
  const folder = join(CACHE, version);
  const node = join(folder, 'bin', 'node');
  if (existsSync(node)) return node;
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  await npm(process.execPath, draft, 'pack', '--silent', `${PACKAGE}@${version}`);
  const archive = `${PACKAGE}-${version}.tgz`;
  await run('tar', ['-xzf', archive, '--strip-components=1', 'package/bin/node', 'package/include'], { cwd: draft });
  rmSync(join(draft, archive));
  renameSync(draft, folder);
  return node;
}

/** Makes a folder with the contents of an image. The packages are the same for each version, but for what is compiled. */
async function installed(version) {
  const folder = join(CACHE, version, 'app');
  mkdirSync(folder, { recursive: true });
  for (const part of PARTS) {
    rmSync(join(folder, part), { recursive: true, force: true });
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  await run('cp', ['-al', join(await packages, 'node_modules'), folder]);
  return folder;
}

/** Installs the packages, with the oldest version that is tried. */
async function install(version) {
  const folder = join(CACHE, 'packages');
  const digest = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex'); // prettier-ignore
  const stamp = join(folder, 'node_modules', '.stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const part of ['package.json', 'package-lock.json']) copyFileSync(join(root, part), join(folder, part));
  await npm(
    await program(version),
    folder,
    'install',
    '--omit=dev',
    '--omit=optional',
    '--ignore-scripts',
    '--no-save',
    ...QUIET,
  );
  writeFileSync(stamp, digest);
  return folder;
}

/**
 * Adds the binary that the versions of a line share: the one of this checkout on its own line, else one compiled with the headers
 * of the line's first version, since better-sqlite3 can abort when compiled with those of Node 24.19 or newer.
 */
async function addSqlite(folder, version, node) {
  const target = join(folder, SQLITE, BINARY);
  mkdirSync(dirname(target), { recursive: true });
  const { stdout: abi } = await run(node, ['-p', 'process.versions.modules']);
  if (abi.trim() === process.versions.modules) return copyFileSync(join(root, SQLITE, BINARY), target);
  const { version: sqlite } = JSON.parse(readFileSync(join(folder, SQLITE, 'package.json'), 'utf8'));
  const compiled = join(CACHE, `better-sqlite3-${sqlite}-${abi.trim()}.node`);
  if (existsSync(compiled)) return copyFileSync(compiled, target);
  const first = FIRST_VERSIONS.find((one) => majorOf(one) === majorOf(version)) ?? version;
  const headers = dirname(dirname(await program(first)));
  const env = { npm_config_nodedir: headers, npm_config_build_from_source: 'better-sqlite3', ...UNOPTIMIZED };
  await npm(node, folder, 'rebuild', 'better-sqlite3', ...QUIET, { env });
  copyFileSync(target, `${compiled}.draft`);
  return renameSync(`${compiled}.draft`, compiled);
}

/** Runs npm on a version of Node. */
async function npm(node, cwd, ...args) {
  const { env } = typeof args.at(-1) === 'string' ? {} : args.pop();
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const options = { cwd, env: { ...process.env, PATH: path, ...env }, timeout: LIMIT_MS, maxBuffer: 1 << 28 };
  return (await run('npm', args, options)).stdout;
}
