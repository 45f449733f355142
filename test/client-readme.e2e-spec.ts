// @nightly postgresql: no SQL of its own
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { printable } from './support/chromium.js';
import { mailOfPage, runProgram } from './support/language-clients.js';
import { freePort } from './support/process.js';
import { TestServer } from './support/server.js';
import { RECEIVER_SETTINGS } from './support/webhooks.js';

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const { settings, page: README, shown } = printable(readFileSync(pathOf('clients/js/README.md'), 'utf8'));
const OUTPUT = [
  'Hi Ann',
  'a.txt',
  'true NOT_FOUND',
  'sent 12000000',
  'done 12000000',
  ...shown,
  'page sent 5',
  '1 recorded',
  'hello, page',
  'tested: DELIVERED',
  '4 webhooks',
];

it('the snippets of the client README work one after another', async () => {
  const server = await TestServer.start({ ...RECEIVER_SETTINGS, ...settings });
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-client-'));
  mkdirSync(join(folder, 'node_modules', '@platform-services'), { recursive: true });
  symlinkSync(pathOf('clients/js'), join(folder, 'node_modules', '@platform-services', 'client'));
  const snippets = [...README.matchAll(/^```js\n(.*?)^```$/gms)].map(([, snippet]) => snippet);
  const program = snippets
    .join('\n')
    .replaceAll('8088', String(await freePort()))
    .replaceAll('8089', String(await freePort()));
  // Stands in for a page, which has a WebSocket that Node 20 lacks.
  const page = `import { WebSocket } from '${pathOf('node_modules/ws/wrapper.mjs')}';\nglobalThis.WebSocket = WebSocket;\n`;
  writeFileSync(join(folder, 'program.mjs'), page + program);
  const env = { ...process.env, PLATFORM_URL: server.address, PLATFORM_KEY: await server.createKey() };
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder, env });
  expect(stdout.trim().split('\n').sort()).toEqual([...OUTPUT].sort());
  expect(readFileSync(join(folder, 'copy.bin')).equals(readFileSync(join(folder, 'report.bin')))).toBe(true);
  rmSync(folder, { recursive: true });
  await server.stop();
});

describe('the five-minute page for JavaScript', () => {
  const page = 'docs/five-minutes-javascript.md';
  const file = 'mail.mjs';
  const withClient = (folder: string) => {
    mkdirSync(join(folder, 'node_modules', '@platform-services'), { recursive: true });
    symlinkSync(pathOf('clients/js'), join(folder, 'node_modules', '@platform-services', 'client'));
  };

  it('sends a mail with an uploaded attachment', async () => {
    const mail = await mailOfPage(page, {
      language: 'js',
      file,
      run: (folder, env) => (withClient(folder), runProgram(process.execPath, [file], folder, env)),
    });
    expect(mail.headers.get('to')).toBe('ann@example.com');
    const attachment = mail.parts.find(({ fileName }) => fileName === 'invoice.txt');
    expect(String(attachment!.content)).toBe('120 EUR');
  });

  it('quotes the errors that a newcomer meets', async () => {
    const text = readFileSync(pathOf(page), 'utf8');
    const quoted = [...text.matchAll(/^\| `(.*?)` +\|/gm)].map(([, message]) => message!);
    const server = await TestServer.start();
    const good = { PLATFORM_URL: server.address, PLATFORM_KEY: await server.createKey() };
    const closed = `http://127.0.0.1:${await freePort()}`;
    const folder = mkdtempSync(join(tmpdir(), 'platform-services-page-'));
    withClient(folder);
    // One attempt, since a client waits for a server that starts.
    const program = /^```js\n(.*?)^```$/ms.exec(text)![1]!.replace('createClient({', 'createClient({ retries: 0,');
    writeFileSync(join(folder, file), program);
    const envs = [
      { ...good, PLATFORM_KEY: undefined },
      { ...good, PLATFORM_KEY: 'psk_cut' },
      { ...good, PLATFORM_URL: closed },
      good,
    ];
    const met: string[] = [];
    writeFileSync(join(folder, 'invoice.txt'), '120 EUR');
    for (const env of envs) {
      if (env === good) rmSync(join(folder, 'invoice.txt'));
      met.push((await runProgram(process.execPath, [file], folder, env as Record<string, string>)).output);
    }
    expect(quoted).toHaveLength(met.length);
    for (const [index, message] of quoted.entries()) expect(met[index]).toContain(message);
    rmSync(folder, { recursive: true });
    await server.stop();
  });
});
