// npm run check: everything that can be checked without running the code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { COMPILER, prepareClients } from './client.mjs';
import { prepare, root } from './prepare.mjs';

const CHECKS = {
  lint: ['oxlint', '--quiet'],
  format: ['prettier', '--check', '--log-level', 'warn', '.'],
  architecture: ['depcruise', 'src', '--config', '.dependency-cruiser.cjs', '--output-type', 'err'],
  'dead code': ['knip', '--no-progress'],
};
const TYPES = { types: 'test', 'types of Studio': 'studio' };
const SCRIPTS = { rules: 'rules.mjs', deployment: 'check-deploy.mjs', 'page sizes': 'check-pages.mjs' };
const OWN = Object.entries(SCRIPTS).map(([name, script]) => [name, [process.execPath, join(root, 'scripts', script)]]);

await prepare({ withTools: true });
prepareClients();
const types = Object.entries(TYPES).map(([name, project]) => [name, [process.execPath, COMPILER, '-p', project]]);
const installed = Object.entries(CHECKS).map(([name, [command, ...args]]) => [name, [`node_modules/.bin/${command}`, ...args]]);
const failed = [...types, ...installed, ...OWN].filter(([name, [command, ...args]]) => {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status !== 0;
});
process.exitCode = failed.length > 0 ? 1 : 0;
