// node scripts/assemble.mjs FOLDER: puts everything that runs in an image, and nothing else, into a new folder.
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { prepare, root } from './prepare.mjs';
import { closure, loadedPackages, PARTS, releasedManifest, writeJson, writeLegalTexts } from './release-parts.mjs';

/** Files that help to develop with a package, or to build it. */
const UNUSED = /\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|gyp)$/;
/** The files that are loaded, for packages of which that is a small part. */
const USED = {
  'better-sqlite3': /^(package\.json|LICENSE|lib(\/.*)?|build|build\/Release|build\/Release\/better_sqlite3\.node)$/,
};

const [target] = process.argv.slice(2);
if (!target) throw new Error('usage: node scripts/assemble.mjs FOLDER');
if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`${target} is not empty`);
await prepare();
const folder = resolve(target);
mkdirSync(folder, { recursive: true });
for (const part of PARTS) cpSync(join(root, part), join(folder, part), { recursive: true });
for (const path of closure(loadedPackages())) copyPackage(path);
writeJson(join(folder, 'package.json'), releasedManifest());
writeLegalTexts(folder);

function copyPackage(path) {
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
