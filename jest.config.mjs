import { availableParallelism } from 'node:os';

/** The same end-to-end tests run on both databases; what needs no database runs once. Tests run against the build. */
const swc = {
  jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' },
  module: { type: 'es6' },
};
/** Kill processes again and again, or wait for what takes a minute. Left out of a plain `npm test`, never out of CI. */
const LONG = [
  'crash', 'email-crash', 'log-storage', 'full-disk', 'template-attacks-browser', 'readme', 'bounds', 'bad-input',
]; // prettier-ignore
const NOT_NOW = process.env.TEST_LONG === '0' ? [`/(${LONG.join('|')})\\.(e2e-)?spec`] : [];
const project = (displayName, testMatch, databaseKind) => ({
  displayName,
  testMatch: [`<rootDir>/test/${testMatch}`],
  testPathIgnorePatterns: NOT_NOW,
  globals: { databaseKind },
  extensionsToTreatAsEsm: ['.ts'],
  // The build and what shares its classes are loaded by Node itself: see test/native.
  transform: { '^.+\\.ts$': ['@swc/jest', swc], '/(dist|@nestjs)/.+\\.js$': '<rootDir>/test/native/reexport.mjs' },
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
  // Tests import src/, types and all, and get what was built from it; beside them lie .ts files.
  moduleNameMapper: { '^(?:\\.{1,2}/)+src/(.*)\\.js$': '<rootDir>/dist/$1.js', '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironment: '<rootDir>/test/native/environment.mjs',
  modulePathIgnorePatterns: ['<rootDir>/data/'],
});

export default {
  projects: [
    project('unit', '**/*.spec.ts', 'none'),
    // Several nodes share a database over the network, and only a network falls silent.
    { ...project('sqlite', '**/*.e2e-spec.ts', 'sqlite'), testPathIgnorePatterns: [...NOT_NOW, '/(nodes|silence)\\.e2e-spec'] },
    project('postgresql', '**/*.e2e-spec.ts', 'postgresql'),
  ],
  maxWorkers: Math.ceil(availableParallelism() * 1.5), // many tests wait for processes
  testTimeout: 30_000,
};
