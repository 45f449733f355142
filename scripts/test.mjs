// npm test: builds stale files, then runs the tests. Passes its arguments to Jest. Tests that need a program, a privilege or a service
// missing from this machine are reported as skipped (test/support/needs.ts); with REQUIRE_SERVICES=1 each missing one is a failure.
// Tests that test/native/lanes.mjs calls nightly run with TEST_LONG=1, or when their file is named. A hanging run is stopped after
// TEST_MINUTES.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { prepareClients } from './client.mjs';
import { prepare, root } from './prepare.mjs';

/** Limit of a run. All tests, including the nightly ones, take a fraction of it on two cores. */
const MINUTES = Number(process.env.TEST_MINUTES ?? 80);

await prepare({ withTools: true });
prepareClients();
const isWhole = process.env.TEST_LONG ? process.env.TEST_LONG === '1' : process.argv.length > 2;
const onPostgres = Boolean(process.env.TEST_DATABASE_URL);
const projects = ['unit', 'sqlite', ...(onPostgres ? ['postgresql'] : [])];
const folder = mkdtempSync(join(tmpdir(), 'test-report-'));
const report = join(folder, 'report.json');
const skipped = join(folder, 'skipped');
writeFileSync(skipped, '');
const jest = createRequire(join(root, 'package.json')).resolve('jest/bin/jest');
const { status, error } = spawnSync(
  process.execPath,
  [jest, '--selectProjects', ...projects, '--json', '--outputFile', report, ...process.argv.slice(2)],
  {
    cwd: root,
    env: {
      ...process.env,
      TEST_LONG: isWhole ? '1' : '0',
      TEST_SKIPPED: skipped,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --no-warnings`,
    },
    timeout: MINUTES * 60_000,
    stdio: ['ignore', 'ignore', 'inherit'], // the report takes standard output, the progress is on standard error
  },
);
const missing = missingNeeds();
for (const line of missing) console.log(`skipped: ${line}`);
if (!isWhole) console.log('left out: what is nightly (set TEST_LONG=1)');
if (error?.code === 'ETIMEDOUT') console.log(`not done after ${MINUTES} minutes (TEST_MINUTES)`);
const {
  numPassedTests = 0,
  numFailedTests = 0,
  numFailedTestSuites = 0,
  numRuntimeErrorTestSuites = 1,
  testResults = [],
} = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
rmSync(folder, { recursive: true });
for (const suite of testResults) for (const fault of faultsOf(suite)) console.log(fault);
const isStrict = process.env.REQUIRE_SERVICES === '1' && missing.length > 0;
const failed = numFailedTests + numRuntimeErrorTestSuites + (isStrict ? missing.length : 0);
if (isStrict) console.log('REQUIRE_SERVICES=1: what was skipped counts as failed');
console.log(`${numPassedTests} passed, ${failed} failed${missing.length > 0 ? `, ${missing.length} skipped` : ''}`);
process.exitCode = status !== 0 || numFailedTestSuites > 0 || failed > 0 ? 1 : 0;

/** Returns what failed in a suite, to be printed last: what Jest prints stands far above, between the suites that passed. */
function faultsOf({ name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const faults = failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('\n')}`);
  if (assertionResults.length === 0) faults.push(message);
  const isOurs = (line) => line.trim() && !line.includes('node_modules');
  const lines = (text) => stripVTControlCharacters(text).trim().split('\n').filter(isOurs).slice(0, 30);
  return faults.map((fault) => `FAILED  ${relative(root, name)}: ${lines(fault).join('\n  ')}`);
}

/** Prints one line for each unmet need, with the test files that skip for it. */
function missingNeeds() {
  const specs = new Map();
  for (const line of readFileSync(skipped, 'utf8').split('\n').filter(Boolean)) {
    const { name, spec } = JSON.parse(line);
    specs.set(name, (specs.get(name) ?? new Set()).add(spec));
  }
  const lines = [...specs].sort().map(([name, found]) => `without ${name}: ${[...found].sort().join(', ')}`);
  return onPostgres ? lines : ['without PostgreSQL (set TEST_DATABASE_URL): all end-to-end tests once more', ...lines];
}
