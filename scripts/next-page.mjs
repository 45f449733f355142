// Follows docs/five-minutes-nextjs.md with a packed client, for npm run test:clients: its route, in Node and at the edge, stores an
// upload and sends it as the attachment of a mail.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../deploy/three-nodes.mjs';
import { readPage } from './five-minute-pages.mjs';
import { root } from './prepare.mjs';

const ROUTES = { invoices: '', edge: "export const runtime = 'edge';\n" };
const LAYOUT = 'export default ({ children }) => <html><body>{children}</body></html>;\n';
const CONTENT = '120 EUR';
const START_MS = 60_000;

/** Builds the application of the page in a folder with its packages, starts it and sends it a file. */
export async function followNextPage(folder, run) {
  const { 'app/invoices/route.js': source } = readPage('nextjs').files;
  for (const [name, firstLine] of Object.entries(ROUTES)) {
    mkdirSync(join(folder, 'app', name), { recursive: true });
    writeFileSync(join(folder, 'app', name, 'route.js'), firstLine + source);
  }
  writeFileSync(join(folder, 'app', 'layout.js'), LAYOUT);
  const next = join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');
  await run(folder, [process.execPath, next, 'build']);

  const { startPlatform } = await import('../clients/testing/dist/index.js');
  const platform = await startPlatform({ command: [process.execPath, join(root, 'dist', 'bundle', 'main.js')] });
  const tenant = await platform.newTenant();
  const port = await freePort();
  const env = { ...process.env, PLATFORM_URL: tenant.address, PLATFORM_KEY: tenant.key };
  const server = spawn(process.execPath, [next, 'start', '-p', String(port)], { cwd: folder, env, stdio: 'ignore' });
  try {
    for (const name of Object.keys(ROUTES)) await send(`http://127.0.0.1:${port}/${name}`, tenant);
  } finally {
    server.kill();
    await platform.stop();
  }
}

async function send(url, tenant) {
  const body = new FormData();
  body.append('invoice', new File([CONTENT], 'invoice.txt'));
  const response = await patiently(() => fetch(url, { method: 'POST', body }));
  assert.equal(response.status, 200, `${url}: ${await response.text()}`);
  const { attachments } = await tenant.nextMail({ to: 'ann@example.com' });
  const found = attachments.map(({ name, content }) => [name, Buffer.from(content).toString()]);
  assert.deepEqual(found, [['invoice.txt', CONTENT]]);
}

/** Repeats a request until the server listens. */
async function patiently(request) {
  for (const end = Date.now() + START_MS; ;) {
    try {
      return await request();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
