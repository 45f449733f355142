// node test/browser/client.mjs ADDRESS KEY: a page in a real browser uses the file for a <script> tag: uploads with progress, in one
// request and in parts that resume, downloads, and receives pushes. The key stays out of the page. CHROMIUM names the browser.
import { readFileSync } from 'node:fs';
import { createClient } from '../../clients/js/dist/index.js';
import { addressAndKey, check, finish, launch, until } from './browser.mjs';

const MIB = 1024 * 1024;
const SCRIPT = readFileSync(new URL('../../clients/js/dist/platform-services.js', import.meta.url), 'utf8');
const { address, key } = addressAndKey();
const { files, push } = createClient({ url: address, key });
const register = async () => (await push.registerRecipient({ input: { recipient: 'ann' } })).connectionUri;

const browser = await launch();
try {
  const page = await browser.newPage();
  await page.setBypassCSP(true); // it stands for a page of an application, which the policy of this answer is not about
  await page.goto(`${address}/health/live`);
  await page.addScriptTag({ content: SCRIPT });
  await page.exposeFunction('register', register);

  const whole = await files.createFile({ input: { name: 'page.bin' } }, { id: true, uploadUrl: true });
  const sent = await page.evaluate(async (url, size) => {
    globalThis.content = new Blob([new Uint8Array(size).fill(7)]);
    const steps = [];
    const etag = await PlatformServices.upload(content, url, { name: 'ü.bin', onProgress: ({ done }) => steps.push(done) });
    return { etag, last: steps.at(-1), sha256: await PlatformServices.sha256(content) };
  }, whole.uploadUrl, 6 * MIB); // prettier-ignore
  const stored = await files.file({ ID: whole.id }, { checksumSha256: true, etag: true, downloadUrl: true });
  check('a page uploads, and its SHA-256 is that of the server', stored.checksumSha256 === sent.sha256);
  check('an upload reports its progress and the ETag', sent.last === 6 * MIB && sent.etag === stored.etag);
  const read = await page.evaluate(async (url) => {
    const { stream, size } = await PlatformServices.download(url);
    return { size, text: (await new Response(stream).arrayBuffer()).byteLength };
  }, stored.downloadUrl);
  check('a page downloads what it uploaded', read.size === 6 * MIB && read.text === 6 * MIB);
  const refused = await page.evaluate(
    (url) =>
      PlatformServices.upload(content, url).catch((error) => [error.code, error instanceof PlatformServices.ForbiddenError]),
    `${whole.uploadUrl}0`,
  );
  check('a refused upload tells the page its code', JSON.stringify(refused) === '["FORBIDDEN",true]', JSON.stringify(refused));

  const { id } = await files.createFile({ input: { name: 'parts.bin' } }, { id: true });
  const { uploadId } = await files.initiateMultipartUpload({ input: { fileId: id } });
  const target = files.parts({ fileId: id, uploadId });
  let asked = 0;
  await page.exposeFunction('partUrl', (number) => ((asked += 1), target.partUrl(number)));
  await page.exposeFunction('parts', () => target.parts());
  await page.exposeFunction('complete', (parts) => target.complete(parts));
  const inParts = (limit) =>
    page.evaluate(
      (most, mib) => {
        const whole = new Blob([new Uint8Array(12 * mib).fill(9)]);
        const abort = new AbortController();
        const onProgress = ({ done }) => done >= most && abort.abort(new Error('stopped'));
        const options = { partBytes: 5 * mib, parallel: 1, onProgress, signal: abort.signal };
        return PlatformServices.upload(whole, { partUrl, parts, complete }, options).catch((error) => error.message);
      },
      limit,
      MIB,
    );
  const stopped = await inParts(6 * MIB);
  check('an upload in parts can be stopped', stopped === 'stopped', String(stopped));
  await page.reload();
  await page.addScriptTag({ content: SCRIPT });
  asked = 0;
  const joined = await inParts(Infinity);
  check('a stopped upload continues after a reload with the missing parts', joined.status === 'done' && asked < 3, `${asked}`);

  await page.evaluate(() => {
    globalThis.seen = [];
    globalThis.states = [];
    globalThis.connection = PlatformServices.connect(register, {
      onMessage: ({ message }) => seen.push(message),
      onState: ({ name }) => states.push(name),
    });
  });
  const inPage = (what) => until(what, () => page.evaluate(what));
  await inPage("states.includes('open')");
  await push.pushMessage({ input: { recipients: ['ann'], message: 'hello' } });
  await inPage("seen[0] === 'hello'");
  check('a page receives pushes', true);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
  check('a connection stops when its page is hidden', (await page.evaluate('states.at(-1)')) === 'hidden');
  await until('it is offline', async () => (await push.onlineRecipients()).count === 0);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await inPage("states.at(-1) === 'open'");
  check('a connection reopens when its page is shown', true);
  await push.disconnectRecipient({ recipient: 'ann' });
  await inPage("connection.state.name === 'closed'");
  check('a connection ends when the application disconnects it', (await page.evaluate('connection.state.code')) === 4403);
} finally {
  await browser.close();
}
finish();
