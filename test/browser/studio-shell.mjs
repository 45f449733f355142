// node test/browser/studio-shell.mjs ADDRESS KEY ADMIN_KEY: Studio around its pages: keys that are entered, wrong, narrow and forgotten,
// the palette, shortcuts, the requests of a page and the console, the overview, a phone, and a server that is stopped and started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../nodes/free-port.mjs';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { PHONE, StudioTab, WIDE } from './studio.mjs';

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));
const { address, key, adminKey } = addressAndKey();
const browser = await launch();
try {
  await keyIsAskedFor();
  await everythingIsReached();
  await motionIsShort();
  await opening();
  await phone();
  await narrowKey();
  await restart();
} catch (error) {
  check('the checks of the shell end', false, error.stack);
} finally {
  await browser.close();
}
finish();

async function keyIsAskedFor() {
  const tab = await StudioTab.open(browser, { address });
  await tab.sees('Service access key');
  await tab.review('login');
  await tab.fill('Service access key', 'psk_wrong');
  await tab.click('button', 'Sign in');
  await tab.sees('not well-formed', 'form');
  check('a wrong key is refused with its reason, and is not kept', (await kept(tab)) === null);
  await tab.fill('Service access key', key);
  await tab.click('button', 'Sign in');
  await tab.sees('Overview', 'h1');
  const { href, storage } = await tab.page.evaluate(() => ({
    href: location.href,
    storage: JSON.stringify({ ...localStorage }) + document.cookie,
  }));
  check('the key is stored for the session only, and in no URL', (await kept(tab)) === key && !(href + storage).includes(key));
  await tab.click('button', 'Menu');
  await tab.click('menuitem', 'Sign out');
  await tab.sees('Service access key');
  check('a forgotten key is removed from the tab', (await kept(tab)) === null);
  tab.checkClean('login');
}

function kept(tab) {
  return tab.page.evaluate(() => sessionStorage.getItem('platform-services-key'));
}

async function everythingIsReached() {
  const tab = await StudioTab.open(browser, { address, key });
  await tab.sees('First steps');
  await tab.review('first-steps');
  await makeData();
  await tab.go('');
  await tab.sees('3 waiting', '[aria-label=Messages]');
  await tab.sees('1 record today', '[aria-label="Log records"]');
  await tab.review('overview');
  await tab.sees('Nothing needs your attention');
  check('the overview counts what there is, and says that nothing is wrong', true);
  await failSomething();
  await tab.sees('1 email failed today', '[aria-labelledby=attention]');
  await tab.sees('Suppressed', '[aria-labelledby=attention]');
  await tab.review('overview-attention');
  check('the overview shows a new problem with its reason', true);
  for (const [letter, word] of [
    ['f', 'Files'],
    ['t', 'Templates'],
    ['p', 'Push'],
    ['l', 'Log'],
    ['e', 'Email'],
    ['o', 'Overview'],
  ]) {
    await tab.page.keyboard.press('g');
    await tab.page.keyboard.press(letter);
    await tab.page.waitForFunction(
      (wanted) => document.querySelector('nav [aria-current="page"]')?.innerText.includes(wanted),
      {},
      word,
    );
  }
  check('G and a letter lead to every page', true);
  await tab.page.keyboard.down('Control');
  await tab.page.keyboard.press('k');
  await tab.page.keyboard.up('Control');
  await tab.page.waitForSelector('.shell-palette-input');
  await tab.page.keyboard.type('file');
  await tab.axe('palette');
  await tab.page.keyboard.press('Enter');
  await tab.page.waitForFunction(() => location.pathname === '/studio/files');
  check('the palette opens the chosen page', true);
  await find(tab, 'a.tx');
  await tab.sees('a.txt', '.shell-palette-list');
  await tab.axe('what was found');
  await tab.page.keyboard.press('Enter');
  await tab.sees('a.txt', '.detail h2');
  const rendering = asker('document-rendering', { address, key });
  await rendering('mutation { createPartial(input: {name: "Found by Ctrl K", contentType: plain, body: "x"}) { id } }');
  await find(tab, 'by ctrl');
  await tab.sees('Found by Ctrl K', '.shell-palette-list');
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.shell-palette', { hidden: true });
  await find(tab, 'ann@example.com');
  await tab.sees('Hello to ann@example.com', '.shell-palette-list');
  check('the palette finds objects of the services', true);
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.shell-palette', { hidden: true });
  await tab.page.keyboard.press('?');
  await tab.sees('Escape', '[role="dialog"]');
  await tab.axe('shortcuts');
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('[role="dialog"]', { hidden: true });
  await tab.page.keyboard.press('i');
  await tab.sees('GraphQL', '[role="dialog"]');
  await tab.axe('requests');
  const opened = new Promise((resolve) => tab.page.once('popup', resolve));
  const addresses = [];
  browser.on('targetchanged', (target) => addresses.push(target.url()));
  await tab.click('button', 'Open in console');
  const page = await opened;
  await page.waitForFunction(() => document.querySelector('.graphiql-query-editor')?.innerText.includes('query'));
  check('the request of a page is one click from the console', page.url().endsWith('/graphql'), page.url());
  check('a query and its variables are in no URL', !addresses.some((one) => /[?#]/.test(one)), addresses.join(' '));
  const left = await Promise.all(
    [tab.page, page].map((one) => one.evaluate(() => sessionStorage.getItem('platform-services-query'))),
  );
  check(
    'a query and its variables are in no storage once the console has them',
    left.every((one) => one === null),
    left.join(),
  );
  await page.close();
  tab.checkClean('pages');
}

async function find(tab, text) {
  await tab.page.keyboard.down('Control');
  await tab.page.keyboard.press('k');
  await tab.page.keyboard.up('Control');
  await tab.page.waitForSelector('.shell-palette-input');
  await tab.page.keyboard.type(text);
}

/** Sends a mail to an address that gets none. */
async function failSomething() {
  const email = asker('email', { address, key });
  await email('mutation { createSuppressions(input: [{ address: "eve@example.com" }]) { __typename } }');
  await email('mutation { sendMessage(input: { to: { address: "eve@example.com" }, subject: "Hello", textBody: "x" }) { id } }');
}

/** A little of everything, for the overview. */
async function makeData() {
  const of = (service) => asker(service, { address, key });
  const { createFile } = await of('file-management')('mutation { createFile(input: { name: "a.txt" }) { uploadUrl } }');
  await fetch(createFile.uploadUrl, { method: 'PUT', body: 'Hello, file', headers: { 'content-type': 'text/plain' } });
  const push = { recipients: ['ann', 'bob', 'eve'], message: 'Hello', expiresAt: new Date(Date.now() + 3_600_000) };
  await of('websockets-manager')('mutation ($input: MessageInput!) { pushMessage(input: $input) { item { id } } }', {
    input: push,
  });
  const input = Array.from({ length: 12 }, (_, at) => ({
    documentType: 'invoice',
    documentId: '17',
    dateTime: new Date(Date.now() - at * 86_400_000 * 2),
    attribute: { id: 'status' },
  }));
  await of('document-log')('mutation ($input: [CreateLogInput!]!) { createLogBatch(input: $input) { results { itemId } } }', {
    input,
  });
  const mail = { to: [{ address: 'ann@example.com' }], subject: 'Hello', textBody: 'Hello' };
  await of('email')('mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }', { input: mail });
}

async function motionIsShort() {
  const tab = await StudioTab.open(browser, { address, key });
  await tab.sees('Overview', 'h1');
  const font = await tab.page.evaluate(() => document.fonts.check('16px "Inter Variable"'));
  check('texts are set in the font of the page', font);
  const seconds = { 'no-preference': '0.14s', reduce: '0s' };
  for (const [value, wanted] of Object.entries(seconds)) {
    await tab.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value }]);
    await tab.page.keyboard.press('?');
    await tab.page.waitForSelector('.dialog');
    const lasts = await tab.page.$eval('.dialog', (dialog) => getComputedStyle(dialog).transitionDuration.split(', ')[0]);
    check(`a dialog moves for ${wanted} where the system says ${value}`, lasts === wanted, lasts);
    await tab.page.keyboard.press('Escape');
    await tab.page.waitForSelector('.dialog', { hidden: true });
  }
  tab.checkClean('motion');
}

/** A page whose scripts never arrive. */
async function opening() {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport(WIDE);
  await page.setRequestInterception(true);
  page.on('request', (request) => (request.resourceType() === 'script' ? undefined : request.continue()));
  void page.goto(`${address}/studio`).catch(() => undefined); // which never ends
  await page.waitForFunction(() => document.querySelector('.shell-rail')?.clientWidth > 100);
  const barsOf = () => page.$$eval('.skeleton', (all) => all.filter(({ clientWidth }) => clientWidth > 50).length);
  const five = until('five bars', async () => (await barsOf()) === 5); // the rail may be drawn before the rest has arrived
  check(
    'the frame of a page is seen before its scripts',
    await five.then(
      () => true,
      () => false,
    ),
    String(await barsOf()),
  );
  await context.close();
}

async function phone() {
  const tab = await StudioTab.open(browser, { address, key, size: PHONE });
  await tab.sees('Overview', 'h1');
  await tab.review('overview');
  const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
  check('a phone shows it without scrolling sideways', width <= PHONE.width, String(width));
  const words = await tab.page.$$eval('nav .shell-place', (places) => places.map(({ innerText }) => innerText.trim()));
  check(
    'a phone has five places with their words, and More',
    words.join() === 'Overview,Files,Templates,Push,Log,More',
    words.join(),
  );
  await tab.click('button', 'More');
  await tab.axe('the menu of a phone');
  await tab.click('menuitem', 'Email');
  await tab.sees('Email', 'h1');
  const current = await tab.page.$eval('nav [aria-current=page]', ({ innerText }) => innerText.trim());
  check('the other places are in the menu of a phone', current === 'More', current);
  tab.checkClean('phone');
}

async function narrowKey() {
  const admin = asker('admin', { address, key: adminKey });
  const { createTenant } = await admin('mutation ($name: String!) { createTenant(input: { name: $name }) { id } }', {
    name: `narrow ${Date.now()}`,
  });
  const scope = ['file-management-api:query:*'];
  const { createKey } = await admin('mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }', {
    input: { tenantId: createTenant.id, scope },
  });
  const tab = await StudioTab.open(browser, { address, key: createKey.secret, path: '/email' });
  await tab.sees('This key needs email-api:query:*');
  await tab.review('no-permission');
  await tab.go('/files');
  await tab.sees('Files', 'h1');
  const isRefused = await tab.page.waitForSelector('main button[aria-disabled="true"]').then(Boolean);
  check('a narrow key sees why a page or an action is not for it', isRefused);
  tab.checkClean('narrow key');
}

/** A server of its own, since the other checks need the given one. */
async function restart() {
  const folder = mkdtempSync(join(tmpdir(), 'studio-'));
  const port = await freePort();
  const own = { address: `http://localhost:${port}`, key };
  const env = { ...process.env, DATA_DIR: folder, PORT: String(port), BOOTSTRAP_API_KEY: key, DATABASE_URL: '' };
  delete env.DATABASE_URL;
  const start = async () => {
    const server = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    process.once('exit', () => server.kill('SIGKILL')); // also when a check before its end fails
    const lines = createInterface({ input: server.stdout });
    await new Promise((resolve) => lines.on('line', (line) => line.includes('"msg":"ready"') && resolve()));
    return server;
  };
  const stop = async (server) => {
    server.kill();
    await once(server, 'exit');
  };
  let server = await start();
  const tab = await StudioTab.open(browser, { ...own, path: '/files' });
  await tab.sees('Files', 'h1');
  await stop(server);
  await tab.click('link', 'Overview');
  await tab.sees('Can’t reach the server');
  await tab.axe('a lost server');
  server = await start();
  await tab.page.waitForFunction(() => !document.querySelector('.shell-lost'));
  await tab.sees('Server healthy');
  check('Studio says that the server is gone, and continues by itself when it is back', true);
  await stop(server);
  rmSync(folder, { recursive: true, force: true });
}
