// npm run test:clients [-- NAME …]: packs the packages of clients/, installs those for tests and the client into empty folders, and checks them as
// applications load them: attw and publint, each module resolution of TypeScript under `strict`, and a test that uploads a file and
// reads a mail under each runner, the page for Next.js, and the OpenAPI document by Spectral. The tools are stored in node_modules/.cache/test-clients and come from npm; missing ones are reported
// as skipped.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prepareClients } from './client.mjs';
import { followNextPage } from './next-page.mjs';
import { lintOpenApi } from './openapi-lint.mjs';
import { prepare, root } from './prepare.mjs';

const execute = promisify(execFile);
const CACHE = join(root, 'node_modules', '.cache', 'test-clients');
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
const LIMIT_MS = 3 * 60_000;
/** Programs that npm may not provide for this machine. */
const OPTIONAL = { bun: '^1', deno: '^2' };
const NEXT = ['next@^16', 'react@^19', 'react-dom@^19'];
const TOOLS = {
  '@arethetypeswrong/cli': '^0.18',
  '@babel/core': '^7',
  '@babel/preset-env': '^7',
  '@stoplight/spectral-core': '^1',
  '@stoplight/spectral-parsers': '^1',
  '@stoplight/spectral-rulesets': '^1',
  '@types/jest': '^30',
  '@types/node': '^20',
  'babel-jest': '^30',
  jest: '^30',
  publint: '^0.3',
  'ts-jest': '^29',
  typescript: '~5.9', // the last that resolves as node10
  vitest: '^3',
};

const body = (assert) => `
  const platform = await startPlatform();
  const tenant = await platform.newTenant();
  const client = createClient({ url: tenant.address, key: tenant.key });
  const file = await client.files.upload(new TextEncoder().encode('Hello'), { name: 'hello.txt' });
  await client.email.sendMessage({ input: { to: [{ address: 'ann@example.com' }], subject: 'Hi', textBody: 'Hello', attachments: [{ fileId: file.id, name: 'hello.txt' }] } });
  const mail = await tenant.nextMail({ to: 'ann@example.com' });
  const error = await client.files.createFile({ input: { expiresIn: 0 } }).catch((refusal) => refusal);
  ${assert('file.contentLength', '5')};
  ${assert('mail.subject', "'Hi'")};
  ${assert('error instanceof BadUserInputError && typeof verifyWebhook === "function" && typeof upload === "function"', 'true')};
  await platform.stop();
`;
const IMPORTS = [
  ['createClient, BadUserInputError', '@platform-services/client'],
  ['upload', '@platform-services/client/browser'],
  ['verifyWebhook', '@platform-services/client/webhooks'],
  ['startPlatform', '@platform-services/testing'],
];
const imports = IMPORTS.map(([names, from]) => `import { ${names} } from '${from}';\n`).join('');
const requires = IMPORTS.map(([names, from]) => `const { ${names} } = require('${from}');\n`).join('');
const equal = (actual, expected) => `assert.equal(${actual}, ${expected})`;
const expects = (actual, expected) => `expect(${actual}).toBe(${expected})`;
const asTest = `test('works', async () => {${body(expects)}}, 120_000);\n`;
const whole = `(async () => {${body(equal)}console.log('worked');})();\n`;
const assertImport = "import assert from 'node:assert/strict';\n";
const assertRequire = "const assert = require('node:assert/strict');\n";
const nodeTest = `test('works', async () => {${body(equal)}});\n`;

/** Checks, each with the files of its project and the program that must succeed. */
const RUNS = {
  'node, CommonJS': { files: { 'a.cjs': assertRequire + requires + whole }, run: [process.execPath, 'a.cjs'] },
  'node, ESM': { files: { 'a.mjs': assertImport + imports + whole }, run: [process.execPath, 'a.mjs'] },
  'node:test, CommonJS': {
    files: { 'a.test.cjs': `const test = require('node:test');\n${assertRequire}${requires}${nodeTest}` },
    run: [process.execPath, '--test', 'a.test.cjs'],
  },
  'node:test, ESM': {
    files: { 'a.test.mjs': `import test from 'node:test';\n${assertImport}${imports}${nodeTest}` },
    run: [process.execPath, '--test', 'a.test.mjs'],
  },
  'Jest, CommonJS': { files: { 'jest.config.js': '', 'a.test.js': requires + asTest }, tool: 'jest' },
  'Jest, ts-jest': {
    files: {
      'jest.config.js': "module.exports = { preset: 'ts-jest' };\n",
      'tsconfig.json': JSON.stringify({
        compilerOptions: { strict: true, esModuleInterop: true, skipLibCheck: true, types: ['jest', 'node'] },
      }),
      'a.test.ts': imports + asTest,
    },
    tool: 'jest',
  },
  'Jest, babel-jest': {
    files: {
      'babel.config.js': "module.exports = { presets: [['@babel/preset-env', { targets: { node: 'current' } }]] };\n",
      'a.test.js': imports + asTest,
    },
    tool: 'jest',
  },
  Vitest: {
    files: { 'a.test.ts': `import { expect, test } from 'vitest';\n${imports}${asTest}` },
    tool: 'vitest',
    args: ['run'],
  },
  Bun: { files: { 'a.mjs': assertImport + imports + whole }, tool: 'bun', args: ['a.mjs'] },
  Deno: {
    files: { 'a.mjs': assertImport + imports + whole },
    tool: 'deno',
    args: ['run', '--allow-all', '--node-modules-dir=manual', 'a.mjs'],
  },
};

const RESOLUTIONS = [
  ['node10', 'commonjs', 'commonjs'],
  ['node16', 'node16', 'commonjs'],
  ['node16', 'node16', 'module'],
  ['nodenext', 'nodenext', 'commonjs'],
  ['nodenext', 'nodenext', 'module'],
  ['bundler', 'esnext', 'module'],
];

const scratch = mkdtempSync(join(tmpdir(), 'platform-services-clients-'));
const outcomes = [];
const wanted = process.argv.slice(2);
try {
  await prepare();
  prepareClients();
  const tools = installTools();
  const tarballs = pack();
  const checks = new Map([
    ...shapes(tools, tarballs),
    ...types(tools, tarballs),
    ...runs(tools, tarballs),
    ...frameworks(tarballs),
    ['OpenAPI, Spectral', () => lintOpenApi(tools)],
  ]);
  for (const [name, check] of checks) {
    if (wanted.length > 0 && !wanted.some((part) => name.toLowerCase().includes(part.toLowerCase()))) continue;
    await judge(name, check);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const count = (outcome) => outcomes.filter((one) => one === outcome).length;
console.log(`${count('ok')} passed, ${count('FAILED')} failed, ${count('skipped')} skipped`);
process.exitCode = count('FAILED') > 0 || count('ok') === 0 ? 1 : 0;

async function judge(name, check) {
  const begun = performance.now();
  let [outcome, more] = ['ok', ''];
  try {
    const skipped = await check();
    if (skipped) [outcome, more] = ['skipped', skipped];
  } catch (error) {
    [outcome, more] = ['FAILED', `${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`];
  }
  outcomes.push(outcome);
  console.log(`${outcome.padEnd(8)}${name} (${((performance.now() - begun) / 1_000).toFixed(1)} s)${more && `: ${more}`}`);
}

/** Installs missing tools. Installs Bun and Deno separately, since npm may not provide them for this machine. */
function installTools() {
  const folder = join(
    CACHE,
    createHash('sha256')
      .update(JSON.stringify([TOOLS, OPTIONAL]))
      .digest('hex')
      .slice(0, 12),
  );
  const named = (packages) => Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const install = (...packages) => spawnSync('npm', ['install', ...QUIET, ...packages], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0; // prettier-ignore
  if (existsSync(join(folder, 'complete'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  if (!install(...named(TOOLS))) throw new Error('the tools could not be installed; npm says why above');
  for (const one of named(OPTIONAL)) install(one);
  writeFileSync(join(folder, 'complete'), '');
  return folder;
}

function pack() {
  const packages = ['js', 'testing', 'nestjs', 'react'].map((name) => `./clients/${name}`);
  const args = ['pack', '--pack-destination', scratch, '--loglevel=error', ...packages];
  if (spawnSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
    throw new Error('npm pack failed');
  return readdirSync(scratch).filter((name) => name.endsWith('.tgz')).map((name) => join(scratch, name)); // prettier-ignore
}

/** Creates an empty project with the packed packages, the server of this checkout and the tools. */
function project(tools, tarballs, kind, files) {
  const folder = mkdtempSync(join(scratch, 'project-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: kind }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  // Skips peer dependencies: the server is one, and is linked here.
  const { status } = spawnSync('npm', ['install', ...QUIET, '--legacy-peer-deps', ...tarballs], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }); // prettier-ignore
  if (status !== 0) throw new Error('npm install failed');
  symlinkSync(root, join(folder, 'node_modules', 'platform-services'));
  for (const name of ['vitest', '@babel', '@types', 'ts-jest', 'typescript', 'jest', 'babel-jest']) {
    const found = join(tools, 'node_modules', name);
    if (existsSync(found)) symlinkSync(found, join(folder, 'node_modules', name));
  }
  return folder;
}

function program(tools, name) {
  return join(tools, 'node_modules', '.bin', name);
}

function runIn(cwd, [command, ...args]) {
  return execute(command, args, { cwd, timeout: LIMIT_MS, maxBuffer: 2 ** 26, env: { ...process.env, CI: '1' } });
}

function* shapes(tools, tarballs) {
  for (const tarball of tarballs) {
    const name = /platform-services-(\w+)-[^/]+$/.exec(tarball)[1];
    // Excludes the file for a <script> tag, which has no types and is not imported.
    yield [
      `attw, ${name}`,
      () => runIn(scratch, [program(tools, 'attw'), tarball, '--exclude-entrypoints', 'script']).then(() => ''),
    ];
    yield [`publint, ${name}`, () => runIn(scratch, [program(tools, 'publint'), 'run', tarball, '--strict']).then(() => '')];
  }
}

function* types(tools, tarballs) {
  for (const [moduleResolution, module, kind] of RESOLUTIONS) {
    yield [
      `types, ${moduleResolution}, ${kind}`,
      async () => {
        const compilerOptions = { moduleResolution, module, strict: true, noEmit: true, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'] }; // prettier-ignore
        const files = {
          'tsconfig.json': JSON.stringify({ compilerOptions, include: ['a.ts'] }),
          'a.ts': `import assert from 'node:assert/strict';\n${imports}export const works = async () => {${body(equal)}};\n`,
        };
        if (kind === 'commonjs')
          files['tsconfig.json'] = files['tsconfig.json'].replace('"strict"', '"esModuleInterop":true,"strict"');
        await runIn(project(tools, tarballs, kind, files), [program(tools, 'tsc'), '-p', '.']);
      },
    ];
  }
}

function* runs(tools, tarballs) {
  for (const [name, { files, run, tool, args = [] }] of Object.entries(RUNS)) {
    yield [
      name,
      async () => {
        if (tool && !existsSync(program(tools, tool))) return `npm has no ${tool} for this machine`;
        const folder = project(tools, tarballs, 'commonjs', files);
        await runIn(folder, run ?? [program(tools, tool), ...args]);
      },
    ];
  }
}

function* frameworks(tarballs) {
  yield [
    'Next.js, Node and the edge',
    async () => {
      const folder = mkdtempSync(join(scratch, 'project-'));
      writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
      const client = tarballs.find((path) => path.includes('-client-'));
      const install = (...packages) => spawnSync('npm', ['install', ...QUIET, ...packages], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0; // prettier-ignore
      if (!install(client)) throw new Error('npm install failed');
      if (!install(...NEXT)) return 'npm has no Next.js for this machine';
      await followNextPage(folder, runIn);
    },
  ];
}
