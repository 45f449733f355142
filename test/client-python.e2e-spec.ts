// @nightly postgresql: no SQL of its own
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printable } from './support/chromium.js';
import { mailOfPage, pathOf, runProgram, serverBehindProxy } from './support/language-clients.js';
import { needing, program } from './support/needs.js';
import { freePort } from './support/process.js';
import { TestServer } from './support/server.js';
import { RECEIVER_SETTINGS } from './support/webhooks.js';

const PYTHON = 'python3';
const CLIENT = pathOf('clients/python');
const FROM_SOURCE = { PYTHONPATH: join(CLIENT, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
const BUILDING = ['-c', 'import setuptools, wheel, pip'];
/** An interpreter with build tools: that of the system if the one on the PATH has none. */
const BUILDER = [PYTHON, '/usr/bin/python3'].find((one) => spawnSync(one, BUILDING).status === 0);
const { settings, page: readme, shown } = printable(readFileSync(join(CLIENT, 'README.md'), 'utf8'));
/** Output of the README's snippets. */
const SHOWN = [
  'Hi Ann',
  'a.txt',
  'NOT_FOUND',
  "['async-0', 'async-1', 'async-2']",
  'sent 14000000',
  'done 14000000 14000000',
  ...shown,
  'hello, Ann',
  '1 recorded',
  'received ping',
  'tested: DELIVERED',
  '4 webhooks',
];

const itInPython = needing(program(PYTHON)).it;
const itWithMypy = needing(program('mypy')).it;
const itWithBuilder = needing({ name: 'setuptools, wheel and pip for Python', isMet: BUILDER !== undefined }).it;

itInPython('the tests of the Python client pass against a server', async () => {
  const { stop, env } = await serverBehindProxy();
  const args = ['-W', 'error', '-m', 'unittest', '-v'];
  const { output, status } = await runProgram(PYTHON, args, join(CLIENT, 'tests'), { ...env, ...FROM_SOURCE });
  await stop();
  const failed = [...output.matchAll(/^(?:FAIL|ERROR): .*$[^]*?(?=^={70}|^-{70}\nRan )/gm)].map(([text]) => text);
  expect(failed).toEqual([]);
  expect(output).toMatch(/^Ran [1-9]\d+ tests in .*\n\nOK$/m);
  expect(status).toBe(0);
});

itWithMypy('the Python client passes mypy in strict mode', async () => {
  const { output, status } = await runProgram('mypy', ['--cache-dir=/dev/null', 'src'], CLIENT, {});
  expect({ output: output.trim(), status }).toEqual({ output: expect.stringMatching(/^Success: no issues/), status: 0 });
});

it('the Python client passes pyright in strict mode', async () => {
  const { output, status } = await runProgram(process.execPath, [pathOf('node_modules/pyright/index.js')], CLIENT, {});
  expect({ output: output.trim(), status }).toEqual({ output: '0 errors, 0 warnings, 0 informations', status: 0 });
});

itInPython('the five lines of the Python page send a mail with an uploaded attachment', async () => {
  const run = (folder: string, env: Record<string, string>) =>
    runProgram(PYTHON, ['mail.py'], folder, { ...env, ...FROM_SOURCE });
  const mail = await mailOfPage('docs/five-minutes-python.md', { language: 'python', file: 'mail.py', run });
  expect(mail.headers.get('to')).toBe('ann@example.com');
  const attachment = mail.parts.find(({ fileName }) => fileName === 'invoice.txt');
  expect(String(attachment!.content)).toBe('120 EUR');
});

itInPython('the snippets of the README of the Python client work, one after another', async () => {
  const server = await TestServer.start({ ...RECEIVER_SETTINGS, ...settings });
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-python-'));
  const snippets = [...readme.matchAll(/^```python\n(.*?)^```$/gms)].map(([, snippet]) => snippet);
  writeFileSync(join(folder, 'program.py'), snippets.join('\n').replaceAll('8089', String(await freePort())));
  const env = { ...FROM_SOURCE, PLATFORM_URL: server.address, PLATFORM_KEY: await server.createKey() };
  const { stdout } = await runProgram(PYTHON, ['program.py'], folder, env);
  expect(stdout.trim().split('\n')).toEqual(SHOWN);
  expect(readFileSync(join(folder, 'copy.bin')).equals(readFileSync(join(folder, 'report.bin')))).toBe(true);
  rmSync(folder, { recursive: true });
  await server.stop();
});

itWithBuilder('the Python client installs as a package with its types and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-python-'));
  cpSync(CLIENT, join(folder, 'client'), { recursive: true }); // pip builds beside the sources
  const options = ['--no-index', '--no-build-isolation', '--no-deps', '--target', 'installed'];
  const installed = await runProgram(BUILDER!, ['-m', 'pip', 'install', ...options, './client'], folder, {});
  expect(installed).toMatchObject({ output: expect.any(String), status: 0 });
  const program = `import importlib.metadata, platform_services.types.email
print(importlib.metadata.version('platform-services-client'), platform_services.types.email.EmailStatus.SENT)`;
  const { output } = await runProgram(BUILDER!, ['-c', program], folder, { PYTHONPATH: join(folder, 'installed') });
  const { version } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as { version: string };
  expect(output).toBe(`${version} SENT\n`);
  rmSync(folder, { recursive: true });
});
