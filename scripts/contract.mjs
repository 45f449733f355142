// Compares schema/ with the wire contract beside the project, where there is one. What is still to be built stands in
// schema/pending.txt: a difference that is not listed there fails, and so does a line that no longer differs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const checker = join(root, '..', 'shared', 'tools', 'contract-check.mjs');
if (!existsSync(checker)) {
  console.log('the wire contract is not beside this checkout: not compared');
  process.exit(0);
}
prepare();
const { stdout } = spawnSync(process.execPath, [checker, 'schema'], { cwd: root, encoding: 'utf8' });
const lines = (text) => text.split('\n').filter(Boolean);
const differences = lines(stdout).slice(0, -1);
const pending = existsSync(join(root, 'schema/pending.txt')) ? lines(readFileSync(join(root, 'schema/pending.txt'), 'utf8')) : [];
const unexpected = differences.filter((line) => !pending.includes(line));
const done = pending.filter((line) => !differences.includes(line));
for (const line of unexpected) console.log(line);
for (const line of done) console.log(`schema/pending.txt lists what is there already: ${line}`);
console.log(
  `contract: ${unexpected.length} differences${pending.length > 0 ? `, ${pending.length - done.length} members still to be built` : ''}`,
);
process.exitCode = unexpected.length + done.length > 0 ? 1 : 0;
