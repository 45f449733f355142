// npm pack and npm publish run this before and, with --undo, after they make the tarball: builds, adds the legal texts, and puts the
// package.json of the package in the place of the one to develop with. Its dependencies are what the bundles do not hold.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';
import {
  BILL_OF_MATERIALS,
  loadedPackages,
  NOTICES,
  PARTS,
  readManifest,
  releasedManifest,
  writeJson,
  writeLegalTexts,
} from './release-parts.mjs';

const MANIFEST = join(root, 'package.json');
/** Where the one to develop with is meanwhile. */
const SET_ASIDE = join(root, 'node_modules', '.cache', 'platform-services', 'package.json');
/** Without it, all but SQLite works: an installation does not fail where it can be neither downloaded nor compiled. */
const OPTIONAL = 'better-sqlite3';

undo(); // what a pack left that was broken off
if (process.argv[2] !== '--undo') {
  await prepare();
  writeLegalTexts(root);
  const packed = packedManifest();
  writeFileSync(SET_ASIDE, readFileSync(MANIFEST));
  writeJson(MANIFEST, packed);
}

/** A package.json with scripts is one to develop with: somebody has put it back already. */
function undo() {
  if (existsSync(SET_ASIDE) && !readManifest().scripts) renameSync(SET_ASIDE, MANIFEST);
  rmSync(SET_ASIDE, { force: true });
  for (const name of [NOTICES, BILL_OF_MATERIALS]) rmSync(join(root, name), { force: true });
}

/** Names the versions that were tested here, and no others. */
function packedManifest() {
  const exact = (name) => [name, readManifest(join(root, 'node_modules', name)).version];
  const names = loadedPackages();
  return {
    ...releasedManifest(),
    files: [...PARTS, NOTICES, BILL_OF_MATERIALS],
    dependencies: Object.fromEntries(names.filter((name) => name !== OPTIONAL).map(exact)),
    optionalDependencies: Object.fromEntries([exact(OPTIONAL)]),
  };
}
