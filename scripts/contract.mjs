// Compares schema/ with the wire contract beside the project, if there is one.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const checker = join(root, '..', 'shared', 'tools', 'contract-check.mjs');
if (!existsSync(checker)) {
  console.log('the wire contract is not beside this checkout: not compared');
  process.exit(0);
}
await prepare();
process.exitCode = spawnSync(process.execPath, [checker, 'schema'], { cwd: root, stdio: 'inherit' }).status ?? 1;
