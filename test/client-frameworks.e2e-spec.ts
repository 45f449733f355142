// @nightly postgresql: no SQL of its own
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MimePart } from './support/mime.js';
import { mailOfPage, pathOf, runProgram } from './support/language-clients.js';
import { needing, SERVICE } from './support/needs.js';
import { freePort } from './support/process.js';
import { until } from './support/websockets.js';

const FASTAPI = ['-c', 'import fastapi, multipart, uvicorn'];
const PYTHON = ['python3', '/usr/bin/python3'].find((one) => spawnSync(one, FASTAPI).status === 0);
const itWithFastApi = needing({
  name: 'FastAPI, python-multipart and uvicorn for Python',
  isMet: PYTHON !== undefined,
}).it;

function expectInvoice(mail: MimePart): void {
  expect(mail.headers.get('to')).toBe('ann@example.com');
  const attachment = mail.parts.find(({ fileName }) => fileName === 'invoice.txt');
  expect(String(attachment?.content)).toBe('120 EUR');
}

/** Does something while a server of a page runs. */
async function beside<T>(
  [program, ...args]: string[],
  { folder, env, address }: { folder: string; env: Record<string, string>; address: string },
  act: () => Promise<T>,
): Promise<T> {
  const server = spawn(program!, args, { cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    await until(() => fetch(address).catch(() => undefined));
    return await act();
  } finally {
    server.kill();
    await ended;
  }
}

/** Stands in for `npm install`. */
function linkPackages(folder: string, names: string[]): void {
  for (const name of names) {
    const path = join(folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(pathOf(`node_modules/${name}`), path);
  }
}

it('the five-minute page for NestJS sends a mail with an uploaded attachment', async () => {
  const file = 'mail.mjs';
  const mail = await mailOfPage('docs/five-minutes-nestjs.md', {
    language: 'js',
    file,
    run: (folder, env) => {
      linkPackages(folder, ['@nestjs/core', '@platform-services/nestjs', 'reflect-metadata']);
      return runProgram(process.execPath, [file], folder, env);
    },
  });
  expectInvoice(mail);
});

itWithFastApi('the five-minute page for FastAPI sends a mail with an uploaded attachment', async () => {
  const mail = await mailOfPage('docs/five-minutes-fastapi.md', {
    language: 'python',
    file: 'invoices.py',
    run: async (folder, env) => {
      const port = await freePort();
      const source = { PYTHONPATH: pathOf('clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
      const args = ['-m', 'uvicorn', 'invoices:app', '--port', String(port)];
      const address = `http://127.0.0.1:${port}`;
      const command = ['-sS', '--fail', '-F', 'invoice=@invoice.txt', `${address}/invoices?to=ann@example.com`];
      return beside([PYTHON!, ...args], { folder, env: { ...env, ...source }, address: `${address}/docs` }, () =>
        runProgram('curl', command, folder, {}),
      );
    },
  });
  expectInvoice(mail);
});

needing(SERVICE.chromium).it('the five-minute page for React sends a mail with a file that its page uploads', async () => {
  const page = 'docs/five-minutes-react.md';
  const text = readFileSync(pathOf(page), 'utf8');
  const mail = await mailOfPage(page, {
    language: 'jsx',
    file: 'page.jsx',
    run: async (folder, env) => {
      const [, config] = /^```js\n(.*?)^```$/ms.exec(text)!;
      const [, markup] = /^echo '(.*)' > index.html$/m.exec(text)!;
      writeFileSync(join(folder, 'vite.config.mjs'), config!);
      writeFileSync(join(folder, 'index.html'), markup!);
      linkPackages(folder, ['@platform-services/client', '@platform-services/react', 'react', 'react-dom', 'vite']);
      const vite = [join(folder, 'node_modules/vite/bin/vite.js')];
      const built = await runProgram(process.execPath, [...vite, 'build'], folder, env);
      expect(built).toMatchObject({ output: expect.any(String), status: 0 });
      const port = await freePort();
      const address = `http://127.0.0.1:${port}`;
      const args = [...vite, 'preview', '--host', '127.0.0.1', '--port', String(port)];
      const program = [pathOf('test/browser/react-page.mjs'), address, join(folder, 'invoice.txt')];
      const chromium = { CHROMIUM: process.env.TEST_CHROMIUM! };
      return beside([process.execPath, ...args], { folder, env, address }, () =>
        runProgram(process.execPath, program, folder, chromium),
      );
    },
  });
  expectInvoice(mail);
});
