// node scripts/assemble.mjs FOLDER: puts everything that is released, and nothing else, into a new folder: the image has it as it is, and
// package.mjs makes the package of it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root, SQLITE_OF_NODE_20 } from './prepare.mjs';
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

/** Files that help to develop with a package, or to build it. */
const UNUSED = /\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|gyp)$/;
/** The driver for this machine: better-sqlite3 has those of all platforms, and on Node 20 one that was compiled here. */
const DRIVER_FILES = `prebuilds|prebuilds/${process.platform}-${process.arch}\\.node|build|build/Release|build/Release/better_sqlite3\\.node`;
/** The files that are loaded, for packages of which that is a small part. */
const USED = {
  'better-sqlite3': new RegExp(`^(package\\.json|LICENSE|lib(/.*)?|${DRIVER_FILES})$`),
};

/** Without it, all but SQLite works: an installation does not fail where it can be neither downloaded nor compiled. */
const OPTIONAL = 'better-sqlite3';

/** Expects a build. */
export function assemble(folder) {
  for (const part of PARTS) cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const path of closure(loadedPackages())) copyPackage(path, folder);
  writeFileSync(join(folder, 'package.json'), json(assembledManifest()));
  writeLegalTexts(folder);
}

/**
 * Names the packages beside the bundles, in the versions that were tested here, and no others. Of the two versions of the driver npm
 * takes the one whose `engines` has the Node at hand.
 */
function assembledManifest() {
  const { name, version, description, license, type, engines, bin } = readManifest();
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const exact = (one) => [one, packages[`node_modules/${one}`].version];
  const needed = loadedPackages().filter((one) => one !== OPTIONAL);
  const dependencies = Object.fromEntries(needed.map(exact));
  const optionalDependencies = { [OPTIONAL]: `${SQLITE_OF_NODE_20} || ${packages[`node_modules/${OPTIONAL}`].version}` };
  return { name, version, description, license, type, engines, bin, dependencies, optionalDependencies };
}

function copyPackage(path, folder) {
  const used = USED[nameOf(path)];
  cpSync(path, join(folder, relative(root, path)), {
    recursive: true,
    filter: (source) => {
      const inside = relative(path, source);
      if (inside === '') return true;
      // Packages inside of a package are copied by themselves, if they are needed.
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
