// node test/browser/push.mjs ADDRESS KEY: a page in a real browser receives pushes, and its pongs confirm them. One line for
// each check; exit code 1 when one failed. CHROMIUM names the browser.
import { addressAndKey, asker, check, finish, launch, WAIT_MS } from './browser.mjs';

const { address, key } = addressAndKey();
const ask = asker('websockets-manager', { address, key });

const register = async (input) =>
  (await ask('mutation($input:RegisterRecipientInput!){registerRecipient(input:$input){connectionUri}}', { input }))
    .registerRecipient.connectionUri;
const push = async (message) =>
  (
    await ask('mutation($message:String!){pushMessage(input:{recipients:["ann"],message:$message}){item{id} error{message}}}', {
      message,
    })
  ).pushMessage;

async function isDelivered(id) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end;) {
    const { messages } = await ask('{messages(filter:{recipient:"ann",status:DELIVERED}){items{id}}}');
    if (messages.items.some((item) => item.id === id)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** Opens a WebSocket in the page; resolves when it is open or closed. */
const connect = (page, uri) =>
  page.evaluate((target) => {
    const state = { frames: [], code: undefined };
    globalThis.state = state;
    const socket = new WebSocket(target);
    socket.addEventListener('message', ({ data }) => state.frames.push(JSON.parse(data)));
    return new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve((state.code = code)));
      socket.addEventListener('open', () => resolve('open'));
    });
  }, uri);
const inPage = (page, what) =>
  page.waitForFunction(what, { timeout: WAIT_MS }).then(
    () => true,
    () => false,
  );

const browser = await launch();
try {
  const page = await browser.newPage();
  await page.setBypassCSP(true); // it stands for a page of an application, which the policy of this answer is not about
  await page.goto(`${address}/health/live`);
  check(
    'a connection opens',
    (await connect(page, await register({ recipient: 'ann', origin: new URL(address).origin }))) === 'open',
  );
  const { item, error } = await push('hello <b>browser</b> 😀');
  check('the push finds it connected', error === null);
  check('the page receives the message', await inPage(page, `state.frames[0]?.message === 'hello <b>browser</b> 😀'`));
  check('the pong of a page confirms the message', await isDelivered(item.id));
  for (let index = 1; index < 20; index++) await push(`m${index}`);
  check(
    'a page receives messages in order',
    await inPage(
      page,
      `state.frames.slice(1).map((f) => f.message).join() === '${Array.from({ length: 19 }, (_, index) => `m${index + 1}`).join()}'`,
    ),
  );
  await ask('mutation{disconnectRecipient(recipient:"ann")}');
  check('a page can tell that the application disconnected it', await inPage(page, 'state.code === 4403'));
  await connect(page, `${(await register({ recipient: 'ann' })).split('=')[0]}=bad`);
  check('a page can tell that its token is invalid', await inPage(page, 'state.code === 4401'));
  const foreign = await connect(page, await register({ recipient: 'ann', origin: 'https://elsewhere.example' }));
  check('a page of another origin gets no connection', foreign === 1006);
} finally {
  await browser.close();
}
finish();
