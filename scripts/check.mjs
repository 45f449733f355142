// npm run check: everything that can be checked without running the code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const CHECKS = {
  types: ['tsc', '-p', 'test'],
  lint: ['oxlint', '--quiet'],
  format: ['prettier', '--check', '--log-level', 'warn', '.'],
  architecture: ['depcruise', 'src', '--config', '.dependency-cruiser.cjs', '--output-type', 'err'],
  'dead code': ['knip', '--no-progress'],
};
const RULES = [process.execPath, join(root, 'scripts', 'rules.mjs')];

await prepare();
const installed = Object.entries(CHECKS).map(([name, [command, ...args]]) => [name, [`node_modules/.bin/${command}`, ...args]]);
const failed = [...installed, ['rules', RULES]].filter(([name, [command, ...args]]) => {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status !== 0;
});
process.exitCode = failed.length > 0 ? 1 : 0;
