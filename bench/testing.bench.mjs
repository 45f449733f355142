// A hundred tests of an application on one server of the testing package: four files, run in parallel, each test with its own tenant
// that uploads, renders, mails, pushes and logs. Left out: the first start of the package, which builds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startPlatform } from '../clients/testing/dist/index.js';
import { median, report } from './support/report.mjs';

const FILES = 4;
const STARTS = 3;
const TARGET_SECONDS = 20;
const TARGET_READY_SECONDS = 1;
const file = fileURLToPath(new URL('./support/application.test.mjs', import.meta.url));
const command = [process.execPath, 'dist/bundle/main.js'];

const begun = performance.now();
const outcomes = await Promise.all(Array.from({ length: FILES }, () => run()));
const seconds = (performance.now() - begun) / 1_000;
if (outcomes.some((code) => code !== 0)) throw new Error('tests failed');

const ready = [];
for (let i = 0; i < STARTS; i++) {
  const since = performance.now();
  const platform = await startPlatform({ command, exclusive: true });
  ready.push((performance.now() - since) / 1_000);
  await platform.stop();
}
const readySeconds = median(ready);
report('testing: seconds', [
  {
    what: '100 tests in 4 files, the start included',
    ours: seconds.toFixed(1),
    target: `< ${TARGET_SECONDS}`,
    met: seconds < TARGET_SECONDS,
  },
  {
    what: `startPlatform, exclusive, median of ${STARTS}`,
    ours: readySeconds.toFixed(2),
    target: `< ${TARGET_READY_SECONDS}`,
    met: readySeconds < TARGET_READY_SECONDS,
  },
]);

async function run() {
  const child = spawn(process.execPath, ['--test', '--test-reporter=dot', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  return (await once(child, 'exit'))[0];
}
