// node test/browser/inbox.mjs ADDRESS KEY: `<platform-inbox>` in two tabs of a real browser, with the keyboard, with axe in light and dark,
// and with values that are scripts. CHROMIUM names the browser.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import { build } from 'esbuild';
import { createClient } from '../../clients/js/dist/index.js';
import { addressAndKey, check, finish, launch, until } from './browser.mjs';

/** Size of the element with its connection, minified and compressed. */
const MOST_BYTES = 7_000;
const HOSTILE = '<img src=x onerror="hacked()">';
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const PAGE = '<!doctype html><html lang="en" style="color-scheme: light dark"><title>Inbox</title><main><h1>Page</h1></main>';

const { address, key } = addressAndKey();
const { push } = createClient({ url: address, key });
const { outputFiles } = await build({
  stdin: {
    contents: `export { defineInbox } from '@platform-services/client/inbox';`,
    resolveDir: fileURLToPath(new URL('..', import.meta.url)),
  },
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'Platform',
  write: false,
});
const [{ text: script }] = outputFiles;
const bytes = gzipSync(script, { level: 9 }).length;
check(`the element has at most ${MOST_BYTES} bytes`, bytes <= MOST_BYTES, String(bytes));

const inboxOf = (recipient, filter = {}) => push.inbox({ recipient, filter, limit: 100 });
const send = async (recipient, message) =>
  (await push.pushMessage({ input: { recipients: [recipient], message, inbox: true } })).item.id;

/** Opens a page with the inbox of a recipient. */
async function open(browser, recipient, { limit = 100, lang = 'en', texts = {} } = {}) {
  const page = await browser.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.setBypassCSP(true); // it stands for a page of an application
  await page.goto(`${address}/health/live`);
  await page.exposeFunction('load', (nextToken) => push.inbox({ recipient, limit, nextToken: nextToken ?? undefined }));
  await page.exposeFunction('hacked', () => faults.push('a stored value ran'));
  await page.exposeFunction('markAll', () => push.markMessages({ recipient, all: true, state: 'READ' }));
  await page.exposeFunction(
    'connectionUri',
    async () => (await push.registerRecipient({ input: { recipient, inbox: true } })).connectionUri,
  );
  await page.evaluate((html) => document.write(html), PAGE);
  await page.addScriptTag({ content: script });
  await page.evaluate(
    (language, given) => {
      const { load, connectionUri, markAll, Platform } = globalThis;
      Platform.defineInbox();
      document.documentElement.lang = language;
      const inbox = document.createElement('platform-inbox');
      globalThis.told = [];
      inbox.addEventListener('platform-unread', ({ detail }) => globalThis.told.push(detail));
      document.querySelector('main').append(inbox);
      Object.assign(inbox, { load, connectionUri, markAll, texts: given });
    },
    lang,
    texts,
  );
  const inShadow = (what) =>
    page.evaluate(`(() => { const root = document.querySelector('platform-inbox').shadowRoot; return ${what}; })()`);
  const tab = { page, faults, inShadow };
  tab.shown = () => inShadow(`[...root.querySelectorAll('article')].map((one) => one.querySelector('[part=text]').textContent)`);
  tab.badge = () => inShadow(`root.querySelector('[part=badge]').textContent`);
  tab.focused = () =>
    inShadow(`root.activeElement?.querySelector?.('[part=text]')?.textContent ?? root.activeElement?.textContent`);
  return tab;
}

async function judge(tab, what) {
  for (const theme of ['light', 'dark']) {
    await tab.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await tab.page.evaluate(axe.source);
    const found = await tab.page.evaluate(async (values) => {
      const { violations } = await globalThis.axe.run(document, { runOnly: { type: 'tag', values } });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ; ')}`);
    }, TAGS);
    check(`${what}, ${theme}: axe finds no violation`, found.length === 0, found.join(' | ').slice(0, 800));
  }
}

async function keyboard(browser) {
  for (let index = 0; index < 7; index++) await send('keys', `m${index}`);
  const tab = await open(browser, 'keys', { limit: 5 });
  const { page } = tab;
  await until('five messages', async () => (await tab.shown()).length === 5);
  check('the unread ones of all pages are counted', (await tab.badge()) === '7 unread', await tab.badge());
  await judge(tab, 'a page of messages');
  await page.keyboard.press('Tab'); // the button that marks all
  await page.keyboard.press('Tab');
  check('Tab reaches the newest message', (await tab.focused()) === 'Unread: m6', await tab.focused());
  await page.keyboard.press('PageDown');
  check('Page Down moves to the next message', (await tab.focused()) === 'Unread: m5', await tab.focused());
  await page.keyboard.press('Enter');
  await until('one is read', async () => (await inboxOf('keys', { read: true })).items[0]?.message === 'm5');
  check('Enter reads it, and the focus stays', (await tab.focused()) === 'm5', await tab.focused());
  await until('six are unread', async () => (await tab.badge()) === '6 unread');
  await page.keyboard.press('PageUp');
  check('Page Up moves back', (await tab.focused()) === 'Unread: m6', await tab.focused());
  for (let count = 0; count < 5; count++) await page.keyboard.press('PageDown');
  await until('seven messages', async () => (await tab.shown()).length === 7);
  await page.keyboard.press('PageDown');
  check('Page Down after the last message loads the next page', (await tab.focused()) === 'Unread: m1', await tab.focused());
  const positions = await tab.inShadow(
    `[...root.querySelectorAll('article')].map((one) => one.ariaPosInSet + '/' + one.ariaSetSize).join()`,
  );
  check('each message has its position', positions === '1/7,2/7,3/7,4/7,5/7,6/7,7/7', positions);
  await page.keyboard.down('Control');
  await page.keyboard.press('Home');
  await page.keyboard.up('Control');
  check('Ctrl+Home leaves the messages upward', (await tab.focused()) === 'Mark all as read', await tab.focused());
  await page.keyboard.press('Enter');
  await until('none is unread', async () => (await tab.badge()) === '');
  check('all are marked as read on the server', (await inboxOf('keys')).unread === 0);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter'); // Archive of the newest message
  await until('six messages', async () => (await tab.shown()).length === 6);
  check('the focus moves to the next message when one is archived', (await tab.focused()) === 'm5', await tab.focused());
  check('the keyboard alone breaks nothing', tab.faults.length === 0, tab.faults.join());
}

async function twoTabs(browser) {
  const [one, two] = [await open(browser, 'tabs'), await open(browser, 'tabs')];
  await until(
    'both are empty',
    async () => (await one.inShadow(`root.querySelector('[part=empty]').textContent`)) === 'No messages',
  );
  await judge(one, 'an empty inbox');
  await send('tabs', 'first');
  await send('tabs', HOSTILE);
  for (const tab of [one, two]) await until('two messages', async () => (await tab.shown()).length === 2);
  check('a stored script is a text', (await two.shown())[0] === `Unread: ${HOSTILE}`, (await two.shown()).join());
  await one.page.bringToFront();
  await one.inShadow(`root.querySelector('article button').click()`);
  for (const tab of [one, two]) await until('one is unread', async () => (await tab.badge()) === '1 unread');
  await until('the other tab shows it as read', async () => (await two.shown())[0] === HOSTILE);
  check('a message read in one tab is read in the other', true);
  await two.page.bringToFront();
  await two.inShadow(`root.querySelectorAll('article button')[1].click()`);
  await until('the other tab shows one message', async () => (await one.shown()).join() === 'Unread: first');
  check('a message archived in one tab leaves the other', (await inboxOf('tabs')).items.length === 1);
  await until('it was seen', async () => (await inboxOf('tabs')).items[0].seenAt);
  check('a message on the screen is seen', true);
  const told = await one.page.evaluate(() => globalThis.told.at(-1));
  check('the page is told the number of unread messages', told === 1, String(told));
  for (const { faults } of [one, two]) check('nothing went wrong in a tab', faults.length === 0, faults.join());
}

async function otherWords(browser) {
  await send('worte', 'Hallo');
  const tab = await open(browser, 'worte', { lang: 'de', texts: { heading: 'Posteingang', unread: '{n} ungelesen' } });
  await until('German', async () => (await tab.badge()) === '1 ungelesen');
  check('texts are those of the page', (await tab.inShadow(`root.querySelector('h2').textContent`)) === 'Posteingang');
  await tab.page.evaluate(() => {
    const inbox = document.querySelector('platform-inbox');
    inbox.texts = {};
    inbox.setAttribute('text-heading', 'Nachrichten');
    inbox.load = async () => {
      throw new Error('down');
    };
    inbox.start();
  });
  await until('a fault', () =>
    tab.inShadow(`root.querySelector('[part=fault]').textContent === 'The inbox could not be loaded'`),
  );
  check('a fault is told, and can be retried', await tab.inShadow(`!root.querySelector('[part=retry]').hidden`));
  check('attributes have texts too', (await tab.inShadow(`root.querySelector('h2').textContent`)) === 'Nachrichten');
  await judge(tab, 'a fault');
}

const browser = await launch();
try {
  await keyboard(browser);
  await twoTabs(browser);
  await otherWords(browser);
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
}
finish();
