// node scripts/assemble.mjs FOLDER: copies all released files, and nothing else, to a new folder, for the image and for package.mjs.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root, run } from './prepare.mjs';
import { closure, json, loadedPackages, readManifest, writeLegalTexts } from './release-parts.mjs';

const PARTS = [
  'bin',
  'dist/bundle',
  'prisma/sqlite/migrations',
  'prisma/postgresql/migrations',
  'schema',
  'studio/dist',
  'LICENSE',
];

/** Files for development or build only. */
const UNUSED = /\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|gyp)$/;
/** SQLite driver, compiled for each platform; on Node 20 the one compiled here. */
const DRIVER = 'better-sqlite3';
const HERE = `${process.platform}-${process.arch}`;
const driverFiles = (platforms) =>
  new RegExp(
    `^(package\\.json|LICENSE|lib(/.*)?|prebuilds(/${platforms}\\.node)?|build|build/Release|build/Release/better_sqlite3\\.node)$`,
  );

/** Assembles a finished build: for all platforms with `isPackage`, otherwise for this machine. */
export function assemble(folder, { isPackage = false } = {}) {
  for (const part of PARTS) cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const path of closure(loadedPackages())) copyPackage(path, folder, driverFiles(HERE));
  if (isPackage) bundleDriver(folder);
  writeFileSync(join(folder, 'package.json'), json(assembledManifest()));
  writeLegalTexts(folder);
}

/** Lists the packages not in the bundles, in exactly the tested versions. npm leaves bundled ones as they are. */
function assembledManifest() {
  const { name, version, description, license, type, engines, bin } = readManifest();
  const exact = (one) => [one, lockedVersion(one)];
  const dependencies = Object.fromEntries(loadedPackages().map(exact));
  return { name, version, description, license, type, engines, bin, dependencies, bundleDependencies: [DRIVER] };
}

/**
 * Adds the driver without its sources: given a lock, npm would compile it, and omit it without a compiler. Node 20 uses an older one in
 * this checkout, so npm fetches it.
 */
function bundleDriver(folder) {
  const target = join(folder, 'node_modules', DRIVER);
  rmSync(target, { recursive: true, force: true });
  const draft = mkdtempSync(join(tmpdir(), 'platform-services-driver-'));
  const source = join(draft, 'node_modules', DRIVER);
  run('Fetching the driver', 'npm', [
    'install',
    '--prefix',
    draft,
    '--no-save',
    '--ignore-scripts',
    '--loglevel=error',
    `${DRIVER}@${lockedVersion(DRIVER)}`,
  ]);
  copyTo(target, source, driverFiles('[\\w-]+'));
  const { dependencies: _headers, ...manifest } = readManifest(target);
  writeFileSync(join(target, 'package.json'), json(manifest));
  rmSync(draft, { recursive: true });
}

function lockedVersion(name) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return packages[`node_modules/${name}`].version;
}

function copyPackage(path, folder, driver) {
  copyTo(join(folder, relative(root, path)), path, nameOf(path) === DRIVER ? driver : undefined);
}

/** Copies a package without files for its development or build. `used` lists the files that are loaded, if they are few. */
function copyTo(target, path, used) {
  cpSync(path, target, {
    recursive: true,
    filter: (source) => {
      const inside = relative(path, source);
      if (inside === '') return true;
      // Nested packages are copied separately, if needed.
      if (inside.split('/')[0] === 'node_modules' || UNUSED.test(inside)) return false;
      return used ? used.test(inside) : true;
    },
  });
}

function nameOf(path) {
  return relative(join(root, 'node_modules'), path).split('node_modules/').at(-1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [target] = process.argv.slice(2);
  if (!target) throw new Error('usage: node scripts/assemble.mjs FOLDER');
  const folder = resolve(target);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  mkdirSync(folder, { recursive: true });
  await prepare();
  assemble(folder);
}
