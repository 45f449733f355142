// npm run bench -- [names]: runs bench/<name>.bench.mjs, or all of them in turn, each in its own process. Fails when a
// bench misses its target.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const ENDING = '.bench.mjs';
const folder = join(root, 'bench');
const known = readdirSync(folder)
  .filter((name) => name.endsWith(ENDING))
  .map((name) => name.slice(0, -ENDING.length))
  .sort();
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown bench: ${unknown.join(', ')}. Known: ${known.join(', ')}\n`);
  process.exit(1);
}

prepare();
for (const name of wanted) {
  const { status } = spawnSync(process.execPath, [join(folder, `${name}${ENDING}`)], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
