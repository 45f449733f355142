// npm run test:nodes [-- VERSION …]: packs this build. With each given version of Node, installs it with npm into an empty folder,
// again from the lock, starts it on SQLite, runs a journey through all services, and restarts it four times. By default: the oldest
// supported version, the first and the newest of each later line, and 24.19.0, against whose headers a driver compiled for Node 24
// could abort. On Node 22 and newer, nothing may need a compiler. Finally, the newest version takes over the folder of Node 20. The
// programs are stored in node_modules/.cache/test-nodes; packages come from npm.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { driverSettings } from './package-installs.mjs';
import { FIRST_VERSIONS, prepare, root } from './prepare.mjs';

const CACHE = join(root, 'node_modules', '.cache', 'test-nodes');
const PACKAGE = `node-${process.platform}-${process.arch}`;
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
const STARTS = 5;
/** Compiler options that build SQLite in a fraction of the time. Nothing is measured here. */
const UNOPTIMIZED = { CFLAGS: '-O0', CXXFLAGS: '-O0' };
/** Programs used by npm itself. With no others on the PATH, anything that needs a compiler or Python fails. */
const WITHOUT_COMPILER = ['npm', 'sh', 'env'];
const LIMIT_MS = 10 * 60_000;
const run = promisify(execFile);

await prepare({ withTools: true });
const { travel } = await import('../test/nodes/journey.mjs');
mkdirSync(CACHE, { recursive: true });
const versions = process.argv.length > 2 ? process.argv.slice(2) : await firstAndNewest();
/** Tests an upgrade if both are among the versions: a later Node takes over the folder of Node 20, including its driver. */
const node20 = versions.findLast((version) => majorOf(version) === 20);
const later = node20 && versions.findLast((version) => majorOf(version) > 20);
const total = versions.length + (later ? 1 : 0);
const work = mkdtempSync(join(CACHE, 'run-'));
const tarball = await packed();
let passed = 0;
const waiting = [...versions];
await Promise.all(Array.from({ length: availableParallelism() }, travelAll));
if (later && (await passes(later, { after: node20 }))) passed++;
rmSync(work, { recursive: true, force: true });
console.log(`${passed} passed, ${total - passed} failed`);
process.exitCode = passed < total ? 1 : 0;

async function travelAll() {
  for (let version = waiting.shift(); version; version = waiting.shift()) if (await passes(version)) passed++;
}

/** Tests a version. With `after`, uses the folder of that version instead of a new installation. */
async function passes(version, { after } = {}) {
  const name = after ? `${version} after ${after}` : version;
  try {
    const node = await program(version);
    const folder = join(work, after ?? version);
    let begun = performance.now();
    const seconds = () => ((performance.now() - begun) / 1_000).toFixed(1);
    const env = await surroundings(node);
    if (!after) await installPackage(node, folder, env);
    // The first command replaces a driver for another Node.
    await npm(node, folder, 'exec', '--no-install', 'platform-services', '--', '--version', env);
    const installed = seconds();
    begun = performance.now();
    const command = join(folder, 'node_modules', 'platform-services', 'bin', 'platform-services.mjs');
    await travel(node, folder, { args: [command], starts: STARTS });
    console.log(
      `ok      Node ${name}: installed in ${installed} s; all services on SQLite and ${STARTS} starts in ${seconds()} s`,
    );
    return true;
  } catch (error) {
    console.log(`FAILED  Node ${name}: ${error.message}\n${error.stderr ?? ''}`);
    return false;
  }
}

async function installPackage(node, folder, env) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  await npm(node, folder, 'install', tarball, ...QUIET, env);
  await npm(node, folder, 'ci', ...QUIET, env);
}

async function packed() {
  await npm(process.execPath, root, 'run', 'package', '--', work);
  return join(
    work,
    readdirSync(work).find((name) => /^platform-services-\d.*\.tgz$/.test(name)),
  );
}

/** Returns npm's environment. Node 20 uses the driver of this checkout if that runs on Node 20 too, and otherwise compiles one. */
async function surroundings(node) {
  const read = async (name) => (await run(node, ['-p', `process.versions.${name}`])).stdout.trim();
  if (Number(await read('napi')) >= 10) return { PATH: programs() };
  const isOwnLine = (await read('modules')) === process.versions.modules;
  if (isOwnLine) return driverSettings(work);
  return { npm_config_nodedir: dirname(dirname(node)), npm_config_build_from_source: 'better-sqlite3', ...UNOPTIMIZED };
}

/** Returns a folder with only the programs that npm needs. */
function programs() {
  const folder = join(work, 'programs');
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  const all = process.env.PATH.split(delimiter);
  for (const name of WITHOUT_COMPILER) {
    const found = all.map((one) => join(one, name)).find((path) => existsSync(path));
    symlinkSync(found, join(folder, name));
  }
  return folder;
}

function majorOf(version) {
  return Number(version.split('.')[0]);
}

async function firstAndNewest() {
  const published = JSON.parse(await npm(process.execPath, root, 'view', PACKAGE, 'versions', '--json'));
  const [oldest, ...others] = FIRST_VERSIONS;
  const found = [oldest, '24.19.0', ...others.flatMap((first) => [first, newestOf(majorOf(first), published)])];
  return [...new Set(found)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

function newestOf(major, published) {
  const releases = published.filter((version) => majorOf(version) === major && !version.includes('-'));
  return releases.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
}

/** Returns the program of a version, with its headers beside it. Downloads it once. */
async function program(version) {
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

/** Runs npm on a version of Node. */
async function npm(node, cwd, ...args) {
  const { PATH = process.env.PATH, ...env } = typeof args.at(-1) === 'string' ? {} : args.pop();
  const path = `${dirname(node)}${delimiter}${PATH}`;
  const options = { cwd, env: { ...process.env, ...env, PATH: path }, timeout: LIMIT_MS, maxBuffer: 1 << 28 };
  return (await run('npm', args, options)).stdout;
}
