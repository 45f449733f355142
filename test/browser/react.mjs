// node test/browser/react.mjs ADDRESS KEY: a component in a real browser uses the hooks of clients/react. CHROMIUM names the browser.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createClient } from '../../clients/js/dist/index.js';
import { addressAndKey, check, finish, launch, until } from './browser.mjs';

const PAGE = `
  import { createElement, StrictMode, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { useInbox, usePushes, useUpload } from '@platform-services/react';

  function Application() {
    const [isShown, setShown] = useState(true);
    globalThis.hide = () => setShown(false);
    return isShown ? createElement(Page) : null;
  }
  function Page() {
    const upload = useUpload(() => uploadUrl());
    const { messages, state } = usePushes(() => register(), { limit: 2 });
    const inbox = useInbox({ load: (nextToken) => load(nextToken), connectionUri: () => register() });
    Object.assign(globalThis, { upload, messages, connection: state, inbox });
    return createElement('p', null, upload.state.name);
  }
  createRoot(document.body).render(createElement(StrictMode, null, createElement(Application)));
`;
const { address, key } = addressAndKey();
const { files, push } = createClient({ url: address, key });
const { outputFiles } = await build({
  stdin: { contents: PAGE, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
  bundle: true,
  define: { 'process.env.NODE_ENV': '"development"' },
  write: false,
});
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.setBypassCSP(true);
  await page.goto(`${address}/health/live`);
  await page.exposeFunction(
    'register',
    async () => (await push.registerRecipient({ input: { recipient: 'ann', inbox: true } })).connectionUri,
  );
  await page.exposeFunction('load', (nextToken) => push.inbox({ recipient: 'ann', nextToken: nextToken ?? undefined }));
  let created;
  await page.exposeFunction('uploadUrl', async () => {
    created = await files.createFile({ input: { name: 'page.txt' } }, { id: true, uploadUrl: true });
    return created.uploadUrl;
  });
  await page.addScriptTag({ content: outputFiles[0].text });
  const shown = (text) => until(text, () => page.evaluate((wanted) => document.body.textContent === wanted, text));

  await until('a connection', () => page.evaluate(() => globalThis.connection?.name === 'open'));
  const count = async () => (await push.onlineRecipients({})).items.find(({ recipient }) => recipient === 'ann')?.connections;
  await until('two connections', async () => (await count()) === 2);
  check('each hook of a component in strict mode keeps one connection', (await count()) === 2);
  for (const message of ['one', 'two', 'three']) await push.pushMessage({ input: { recipients: ['ann'], message } });
  await until('the third message', () => page.evaluate(() => globalThis.messages.at(-1)?.message === 'three'));
  const messages = await page.evaluate(() => globalThis.messages.map(({ message }) => message));
  check('usePushes keeps the newest messages in order', messages.join() === 'two,three', messages.join());

  await push.pushMessage({ input: { recipients: ['ann'], message: 'kept', inbox: true } });
  const inbox = (what) => page.evaluate(`globalThis.inbox.${what}`);
  await until('an unread message', async () => (await inbox('unread')) === 1 && (await inbox('messages.length')) === 1);
  await inbox(`mark(globalThis.inbox.messages[0].id, 'read')`);
  await until('no unread message', async () => (await inbox('unread')) === 0);
  check('useInbox shows messages and marks them', (await push.inbox({ recipient: 'ann' })).items[0].readAt !== null);

  await shown('idle');
  await page.evaluate(() => globalThis.upload.start(new Blob(['120 EUR'])));
  await shown('done');
  const { status, contentLength } = await files.file({ ID: created.id });
  check('useUpload sends a file and is done', status === 'done' && contentLength === 7);
  await page.evaluate(() => globalThis.upload.start(new Blob([new Uint8Array(8_000_000)])) && void globalThis.upload.cancel());
  await shown('idle');
  check('a cancelled upload is idle again', true);
  await page.evaluate(() => {
    globalThis.uploadUrl = () => Promise.reject(new Error('the server is down'));
    return globalThis.upload.start(new Blob(['x']));
  });
  await shown('failed');
  const failure = await page.evaluate(() => globalThis.upload.state.error.message);
  check('a failed upload shows its error', failure === 'the server is down', failure);

  await page.evaluate(() => globalThis.hide());
  await until('no connection', async () => !(await count()));
  check('a component that unmounts closes its connection', true);
} finally {
  await browser.close();
}
finish();
