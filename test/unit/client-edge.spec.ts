import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { readMail } from '../support/mime.js';
import { TestServer } from '../support/server.js';
import { until } from '../support/websockets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Size of the client with the verification of webhooks. */
const MOST_BYTES = 12_000;
/** Conditions by which edge runtimes choose an export: Next.js and Vercel, Cloudflare. */
const RUNTIMES = ['edge-light', 'workerd'];
const IMPORTS = "import { createClient, verifyWebhook } from '@platform-services/client';\n";

/** Bundles a program for an edge runtime. */
async function bundled(program: string, condition: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: IMPORTS + program, resolveDir: join(root, 'test') },
    bundle: true,
    conditions: [condition],
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'iife',
    minify: true,
    write: false,
  });
  return outputFiles[0]!.text;
}

describe.each(RUNTIMES)('a bundle of the client for %s', (condition) => {
  it(`has no module of Node, and at most ${MOST_BYTES} bytes compressed`, async () => {
    const code = await bundled('globalThis.used = [createClient, verifyWebhook];', condition);
    expect(code).toContain('x-api-key');
    expect(code).not.toMatch(/node:|\brequire\(/);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(MOST_BYTES);
  });

  it('uploads, downloads and sends a mail where only the APIs of the web exist', async () => {
    const server = await TestServer.start();
    try {
      const code = await bundled(
        `globalThis.answer = (async () => {
          const client = createClient(settings);
          const file = await client.files.upload(new Blob(['120 EUR'], { type: 'text/plain' }), { name: 'invoice.txt' });
          const to = { address: 'ann@example.com' };
          await client.email.sendMessage({ input: { to, subject: 'Paid', textBody: 'Thank you.', attachments: { fileId: file.id, name: file.name } } });
          const { stream } = await client.files.download(file.id);
          const errors = [client.files.upload('invoice.txt'), client.files.downloadTo(file.id, 'a.txt')];
          const refused = await Promise.allSettled(errors);
          return { text: await new Response(stream).text(), type: file.contentType, refused: refused.map(({ reason }) => reason.message) };
        })();`,
        condition,
      );
      const { fetch, Blob, File, Response, Headers, URL, crypto, TextEncoder, TextDecoder, atob, btoa } = globalThis;
      const { AbortSignal, AbortController, TransformStream, ReadableStream, setTimeout, clearTimeout } = globalThis;
      const web = { fetch, Blob, File, Response, Headers, URL, crypto, TextEncoder, TextDecoder, atob, btoa, AbortSignal };
      const more = { AbortController, TransformStream, ReadableStream, setTimeout, clearTimeout };
      const settings = { url: server.address, key: await server.createKey() };
      const context = createContext({ ...web, ...more, settings });
      runInContext(code, context);
      expect(await context['answer']).toEqual({
        text: '120 EUR',
        type: 'text/plain',
        refused: ['The source of an upload at the edge must be a Blob or bytes', 'There are no files at the edge: use download'],
      });
      const mails = join(server.dataDir, 'mail');
      const [name] = await until(() => {
        const found = existsSync(mails) ? readdirSync(mails).filter((one) => one.endsWith('.eml')) : [];
        return found.length > 0 ? found : undefined;
      });
      const mail = readMail(readFileSync(join(mails, name!)));
      expect(String(mail.parts.find(({ fileName }) => fileName === 'invoice.txt')!.content)).toBe('120 EUR');
    } finally {
      await server.stop();
    }
  });
});

it('an application of Node gets the client with files on disk', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'clients/js/package.json'), 'utf8')) as {
    exports: Record<string, object>;
  };
  expect(Object.keys(exports['.']!)).toEqual(['workerd', 'edge-light', 'import', 'require']);
});
