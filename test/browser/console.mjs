// node test/browser/console.mjs ADDRESS KEY [SCREENSHOT-FOLDER]: the five consoles of a running server in a real
// browser, as a person meets them. One line for each check; exit code 1 when one failed. CHROMIUM names the browser.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';

const SERVICES = ['file-management', 'document-rendering', 'websockets-manager', 'document-log', 'email'];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const SIZE = { width: 1280, height: 800 };
const WAIT_MS = 20_000;
const SETTLE_MS = 1_000;
const HEADER_LINES = '.graphiql-editor-tool .view-line';
const DOCUMENTATION = '.graphiql-doc-explorer';

const [address, key, screenshots] = process.argv.slice(2);
if (!address || !key) {
  console.error('usage: node test/browser/console.mjs ADDRESS KEY [SCREENSHOT-FOLDER]');
  process.exit(1);
}
if (screenshots) mkdirSync(screenshots, { recursive: true });
let failures = 0;

function check(service, what, problem) {
  if (problem) failures += 1;
  const reason = problem ? `: ${problem.replaceAll(key, '<the key>').replace(/\s+/g, ' ')}` : '';
  console.log(`${problem ? 'FAIL' : 'ok  '} ${service} ${what}${reason}`);
}

/** One console, with a record of what it sent and of what went wrong in it. */
class ConsolePage {
  posts = [];
  foreign = new Set();
  faults = [];

  static async open(browser, service) {
    const opened = new ConsolePage();
    opened.service = service;
    opened.url = new URL(`/${service}/graphql`, address);
    opened.page = await browser.newPage();
    await opened.page.setViewport(SIZE);
    await opened.record();
    await opened.load(() => opened.page.goto(opened.url.href, { waitUntil: 'domcontentloaded', timeout: WAIT_MS }));
    return opened;
  }

  async record() {
    const { page } = this;
    page.on('response', (response) => this.posts.push(this.describe(response)));
    page.on('pageerror', (error) => this.faults.push(`page error: ${error.message}`));
    page.on('console', (message) => this.noteMessage(message));
    page.on('workercreated', (worker) => this.watch(worker.client));
    await this.watch(await page.createCDPSession());
    await page.exposeFunction('noteViolation', (text) => this.faults.push(`CSP violation: ${text}`));
    await page.evaluateOnNewDocument(() =>
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        window.noteViolation(`${effectiveDirective} ${blockedURI}`),
      ),
    );
  }

  noteAddress(text) {
    const { protocol, host } = new URL(text);
    if (!['data:', 'blob:', 'about:'].includes(protocol) && host !== this.url.host) this.foreign.add(text);
  }

  noteMessage(message) {
    const refused = message.text().includes('401') && message.location().url?.startsWith(this.url.href);
    if (message.type() === 'error' && !refused) this.faults.push(`console error: ${message.text()}`);
  }

  /** What a page or a worker sends, sockets included. */
  async watch(client) {
    client.on('Network.requestWillBeSent', ({ request }) => this.noteAddress(request.url));
    client.on('Network.webSocketCreated', ({ url }) => this.noteAddress(url));
    await client.send('Network.enable').catch(() => undefined); // a worker that has ended
  }

  async describe(response) {
    const request = response.request();
    if (request.method() !== 'POST') return undefined;
    return { status: response.status(), body: request.postData() ?? '' };
  }

  /** The answers to introspection so far, oldest first. */
  async introspections() {
    const posts = await Promise.all(this.posts);
    return posts.filter((post) => post?.body.includes('__schema')).map((post) => post.status);
  }

  /** Runs `action` and waits until the introspection that it causes is answered. */
  async load(action) {
    const before = (await this.introspections()).length;
    await action();
    await until('an answer to introspection', async () => (await this.introspections()).length > before);
    await this.page.waitForSelector('.graphiql-query-editor .view-line', { timeout: WAIT_MS });
    await pause(SETTLE_MS); // the page shows what came
  }

  async click(label) {
    const button = await this.page.waitForSelector(`button[aria-label^="${label}"]`, { visible: true, timeout: WAIT_MS });
    await button.click();
  }

  /** What the documentation explorer shows; opened when it is not. */
  async documentation() {
    if (!(await this.page.$(DOCUMENTATION))) await this.click('Show Documentation Explorer');
    await this.page.waitForSelector(DOCUMENTATION, { visible: true, timeout: WAIT_MS });
    return this.text(DOCUMENTATION);
  }

  /** Whether the explorer names the root type Query. */
  async showsSchema() {
    return /\bQuery\b/.test(await this.documentation());
  }

  text(selector) {
    return this.page.$eval(selector, (element) => element.innerText.replaceAll('\u00a0', ' '));
  }

  /** The lines of the headers editor that a person sees; none when it is closed or outside the window. */
  async headers() {
    return this.page.$$eval(HEADER_LINES, (lines) => {
      const visible = lines.filter((line) => {
        const { top, bottom, left, height } = line.getBoundingClientRect();
        const inside = top >= 0 && left >= 0 && bottom <= window.innerHeight && left < window.innerWidth;
        return inside && height >= 15 && line.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      });
      return visible.map((line) => line.innerText.replaceAll('\u00a0', ' ')).join('\n');
    });
  }

  /** Puts the cursor between the quotes of the x-api-key line and types, as a person does. */
  async typeKey() {
    for (const line of await this.page.$$(HEADER_LINES)) {
      if (!(await line.evaluate((element) => element.innerText)).includes('x-api-key')) continue;
      await line.click();
      await this.page.keyboard.press('End');
      await this.page.keyboard.press('ArrowLeft');
      await this.page.keyboard.type(key);
      return;
    }
    throw new Error('the headers editor has no x-api-key line');
  }

  async typeQuery(text) {
    await this.page.click('.graphiql-query-editor .monaco-editor');
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('a');
    await this.page.keyboard.up('Control');
    await this.page.keyboard.type(text);
    await pause(SETTLE_MS);
    await this.page.keyboard.press('Escape'); // the list of suggestions lies over the button
  }

  async stored() {
    return this.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  }

  async screenshot(name) {
    if (screenshots) await this.page.screenshot({ path: join(screenshots, `${this.service}-${name}.png`) });
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(what, condition) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end;) {
    if (await condition()) return;
    await pause(100);
  }
  throw new Error(`waited ${WAIT_MS} ms for ${what}`);
}

/** What went wrong, or undefined. */
function problemOf(promise) {
  return promise.then(
    () => undefined,
    (error) => error.message,
  );
}

/** The version as told to a caller without a browser. */
async function servedVersion(service) {
  const response = await fetch(new URL(`/${service}/graphql`, address), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query: '{ version }' }),
  });
  const { data } = await response.json();
  if (!data) throw new Error(`{ version } answered ${response.status}: is the key right?`);
  return data.version;
}

async function checkConsole(browser, service) {
  const version = await servedVersion(service);
  const opened = await ConsolePage.open(browser, service);
  await opened.screenshot('1-opened');

  const headers = await opened.headers();
  check(
    service,
    '(b) the headers editor is open with an x-api-key line',
    !headers.includes('"x-api-key": ""') && `it shows "${headers}"`,
  );
  await checkNoSchema(opened, '(a) without a key no schema shows');
  await opened.screenshot('2-no-schema');

  await opened.typeKey();
  await opened.load(() => opened.click('Re-fetch GraphQL schema'));
  const shown = until('Query in the documentation explorer', () => opened.showsSchema());
  check(service, '(c) with the key the schema shows', await problemOf(shown));
  await opened.screenshot('3-schema');

  await opened.typeQuery('{ version'); // the editor closes the bracket
  await opened.click('Execute query');
  const answered = until('the version', async () => (await opened.text('.result-window')).includes(`"version": "${version}"`));
  check(service, '(d) { version } gives the version', await problemOf(answered));
  await opened.screenshot('4-version');

  const kept = (await opened.stored()).includes(key);
  check(service, '(f) the browser does not store the key', kept && 'it is in the storage of the page');
  await opened.load(() => opened.page.reload({ waitUntil: 'domcontentloaded', timeout: WAIT_MS }));
  const headersAfter = await opened.headers();
  check(service, '(f) after a reload the key is gone', headersAfter.includes(key) && 'it is still in the headers editor');
  check(
    service,
    '(b) after a reload the x-api-key line is still there',
    !headersAfter.includes('"x-api-key": ""') && `it shows "${headersAfter}"`,
  );
  await checkNoSchema(opened, '(a) after a reload no schema shows');
  await opened.screenshot('5-reloaded');

  check(service, '(e) no request left for another host', [...opened.foreign].join(' '));
  check(service, '(e) no CSP violation and no page error', opened.faults.join('; '));
  await opened.page.close();
}

async function checkNoSchema(opened, what) {
  const status = (await opened.introspections()).at(-1);
  const shown = await opened.documentation();
  const refused = status === 401 && shown.includes('Error fetching schema') && !(await opened.showsSchema());
  check(opened.service, what, !refused && `introspection answered ${status}, the documentation explorer shows "${shown}"`);
}

const profile = mkdtempSync(join(tmpdir(), 'console-check-'));
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  userDataDir: profile,
  args: FLAGS,
});
try {
  // One after another in one browser, as a person does: the consoles share its storage.
  for (const service of SERVICES) {
    await checkConsole(browser, service).catch((error) => check(service, 'the checks ran to their end', error.message));
  }
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
console.log(failures === 0 ? 'all checks passed' : `${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
