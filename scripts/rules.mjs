// Rules of ARCHITECTURE.md and CONTRIBUTING.md beyond the linter and dependency-cruiser. Prints each finding; part of npm run check.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkRooms } from './rooms-page.mjs';
import { folderCircles } from './rules/circles.mjs';
import { crowdedFolders } from './rules/crowds.mjs';
import { checkMigrations, checkStamps, readMigrations } from './rules/migrations.mjs';
import { checkNames } from './rules/names.mjs';
import { checkPins } from './rules/pins.mjs';
import { readSources } from './rules/source.mjs';
import { checkStyles } from './rules/styles.mjs';
import { checkTests } from './rules/tests.mjs';
import { checkVersions } from './rules/versions.mjs';
import { checkWords } from './rules/words.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = readSources(root);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const migrations = readMigrations(root);
const findings = {
  names: checkNames(sources),
  circles: folderCircles(sources),
  rooms: checkRooms(root, sources),
  migrations: [...checkMigrations(migrations, version), ...checkStamps(migrations)],
  pins: checkPins(root),
  tests: checkTests(readSources(root, 'test', /\.(ts|mjs)$/)),
  styles: checkStyles(root),
  versions: checkVersions(root, version),
  words: checkWords(root),
};

// A crowded folder may be right: a reader judges it.
for (const one of crowdedFolders(sources)) console.log(`warning crowds: ${one}`);
for (const [rule, found] of Object.entries(findings)) {
  for (const one of found) console.log(`error ${rule}: ${one}`);
  if (found.length > 0) process.exitCode = 1;
}
