// npm test: builds what is stale, then runs the tests. Arguments go to Jest. Tests that need a service run if its TEST_…
// variable is set, and are named as skipped otherwise; with REQUIRE_SERVICES=1 a skip is a failure. What test/native/lanes.mjs calls
// nightly runs with TEST_LONG=1, and when its file is named.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareClients } from './client.mjs';
import { prepare, root } from './prepare.mjs';

const SERVICES = [
  { name: 'PostgreSQL', variable: 'TEST_DATABASE_URL', project: 'postgresql' },
  { name: 'Redis', variable: 'TEST_REDIS_URL' },
  { name: 'S3', variable: 'TEST_S3_ENDPOINT' },
  { name: 'Chromium', variable: 'TEST_CHROMIUM' },
];

await prepare({ withTools: true });
prepareClients();
const isWhole = process.env.TEST_LONG === '1' || process.argv.length > 2;
const missing = SERVICES.filter(({ variable }) => !process.env[variable]);
const projects = ['unit', 'sqlite', ...SERVICES.flatMap((service) => (missing.includes(service) ? [] : (service.project ?? [])))];
const folder = mkdtempSync(join(tmpdir(), 'test-report-'));
const report = join(folder, 'report.json');
const jest = createRequire(join(root, 'package.json')).resolve('jest/bin/jest');
const { status } = spawnSync(
  process.execPath,
  [jest, '--selectProjects', ...projects, '--json', '--outputFile', report, ...process.argv.slice(2)],
  {
    cwd: root,
    env: {
      ...process.env,
      TEST_LONG: isWhole ? '1' : '0',
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --no-warnings`,
    },
    stdio: ['ignore', 'ignore', 'inherit'], // the report takes standard output, the progress is on standard error
  },
);
for (const { name, variable } of missing) console.log(`skipped: everything on ${name} (set ${variable})`);
if (!isWhole) console.log('left out: what is nightly (set TEST_LONG=1)');
const { numPassedTests, numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites } = JSON.parse(
  readFileSync(report, 'utf8'),
);
rmSync(folder, { recursive: true });
const failed = numFailedTests + numRuntimeErrorTestSuites;
console.log(`${numPassedTests} passed, ${failed} failed${missing.length > 0 ? `, ${missing.length} skipped` : ''}`);
const incomplete = process.env.REQUIRE_SERVICES === '1' && missing.length > 0;
if (incomplete) console.log('REQUIRE_SERVICES=1: what was skipped counts as failed');
process.exitCode = status || numFailedTestSuites > 0 || incomplete ? 1 : 0;
