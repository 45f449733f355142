import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { leftOut } from './test/native/lanes.mjs';

const isJest = /[/\\]jest(\.js)?$/.test(process.argv[1] ?? '');
if (isJest && !vm.SourceTextModule) await runAsNpmTest();

/** As an editor runs Jest: builds what is stale first, and runs it again with the flag by which Node gives it modules. */
async function runAsNpmTest() {
  const [{ prepare }, { prepareClients }] = await Promise.all([import('./scripts/prepare.mjs'), import('./scripts/client.mjs')]);
  await prepare({ withTools: true });
  prepareClients();
  const flags = ['--experimental-vm-modules', '--no-warnings'];
  const { status } = spawnSync(process.execPath, [...flags, ...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

/** End-to-end tests run on both databases, all others once; `test/native/lanes.mjs` says what is left out. Tests run against the build. */
const swc = {
  jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' },
  module: { type: 'es6' },
};
const tests = fileURLToPath(new URL('test', import.meta.url));
const isLong = process.env.TEST_LONG !== '0';
const project = (displayName, testMatch, databaseKind) => ({
  displayName,
  testMatch: [`<rootDir>/test/${testMatch}`],
  testPathIgnorePatterns: leftOut(tests, databaseKind, isLong).map((path) => `<rootDir>/test/${path}`),
  globals: { databaseKind },
  extensionsToTreatAsEsm: ['.ts'],
  // Node itself loads the build, the packages that share its classes, and what is native: see test/native.
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc],
    '/(dist|@nestjs|test/nodes|test/soak)/.+\\.m?js$': '<rootDir>/test/native/reexport.mjs',
  },
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/|rolldown/)'],
  // Imports of src/ are typed by it and loaded from its build; files beside a test are .ts.
  moduleNameMapper: { '^(?:\\.{1,2}/)+src/(.*)\\.js$': '<rootDir>/dist/$1.js', '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironment: '<rootDir>/test/native/environment.mjs',
  modulePathIgnorePatterns: ['<rootDir>/data/'],
});

export default {
  globalSetup: '<rootDir>/test/native/memory-folder.mjs',
  testSequencer: '<rootDir>/test/native/longest-first.mjs',
  projects: [
    project('unit', '**/*.spec.ts', 'none'),
    project('sqlite', '**/*.e2e-spec.ts', 'sqlite'),
    ...(process.env.TEST_DATABASE_URL ? [project('postgresql', '**/*.e2e-spec.ts', 'postgresql')] : []),
  ],
  // Many tests wait, so twice as many run as there are cores.
  maxWorkers: availableParallelism() * 2,
  testTimeout: 600_000, // only a test that hangs gets there, also on a machine that does much else
};
