import { availableParallelism } from 'node:os';

/** End-to-end tests run on both databases, all others once. Tests run against the build. */
const swc = {
  jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' },
  module: { type: 'es6' },
};
/** Tests that start and kill processes repeatedly or wait for a minute. Left out of a plain `npm test`, never out of CI. */
const LONG = [
  'start', 'start-refused', 'workers', 'crash', 'email-crash', 'log-storage', 'full-disk', 'template-attacks-browser', 'install', 'readme',
  'bounds', 'bad-input', 'rotation', 'tenant-deletion', 'migrations', 'backup', 'monitoring', 'traces-nodes', 'redis-cluster',
  'log-erasure', 'person-erasure', 'testing-package', 'doctor', 'database-failover',
]; // prettier-ignore
const NOT_NOW = process.env.TEST_LONG === '0' ? [`/(${LONG.join('|')})\\.(e2e-)?spec`] : [];
const project = (displayName, testMatch, databaseKind) => ({
  displayName,
  testMatch: [`<rootDir>/test/${testMatch}`],
  testPathIgnorePatterns: NOT_NOW,
  globals: { databaseKind },
  extensionsToTreatAsEsm: ['.ts'],
  // Node itself loads the build and the packages that share its classes: see test/native.
  transform: { '^.+\\.ts$': ['@swc/jest', swc], '/(dist|@nestjs|test/nodes)/.+\\.m?js$': '<rootDir>/test/native/reexport.mjs' },
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
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
    // Several nodes share a database over the network, where poolers are, and only a network falls silent.
    {
      ...project('sqlite', '**/*.e2e-spec.ts', 'sqlite'),
      testPathIgnorePatterns: [...NOT_NOW, '/(nodes|redis-cluster|silence|pooler|database-failover)\\.e2e-spec'],
    },
    project('postgresql', '**/*.e2e-spec.ts', 'postgresql'),
  ],
  // Many tests wait, so twice as many run as there are cores.
  maxWorkers: availableParallelism() * 2,
  testTimeout: 120_000, // for machines that do much else; nothing waits for it otherwise
};
