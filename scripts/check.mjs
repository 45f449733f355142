// npm run check: everything that can be said of the code without running it.
import { spawnSync } from 'node:child_process';
import { prepare, root } from './prepare.mjs';

const CHECKS = {
  types: ['tsc', '-p', 'test'],
  lint: ['oxlint', '--quiet'],
  format: ['prettier', '--check', '--log-level', 'warn', '.'],
  architecture: ['depcruise', 'src', '--config', '.dependency-cruiser.cjs', '--output-type', 'err'],
  'dead code': ['knip', '--no-progress'],
};

prepare();
const failed = Object.entries(CHECKS).filter(([name, [command, ...args]]) => {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { cwd: root, stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status !== 0;
});
process.exitCode = failed.length > 0 ? 1 : 0;
