// node test/browser/console.mjs ADDRESS KEY: the five consoles of a running server in a real browser, as a person meets them.
import { consoleExamples } from '../../scripts/console-page.mjs';
import { addressAndKey, check, finish, launch, until, WAIT_MS } from './browser.mjs';

const { address, key } = addressAndKey();
const EXAMPLES = consoleExamples();
const EDITOR = '.graphiql-query-editor';
const DOCUMENTATION = '.graphiql-doc-explorer';
const SETTLE_MS = 1_000;

/** One tab, with a record of what it sent and of what went wrong in it. */
class Tab {
  /** The status of each introspection that was answered. */
  introspections = [];
  foreign = new Set();
  faults = [];

  static async open(browser, service) {
    const tab = new Tab();
    tab.page = await browser.newPage();
    await tab.page.setViewport({ width: 1280, height: 800 });
    await tab.record();
    await tab.go(service);
    return tab;
  }

  async record() {
    const { page } = this;
    page.on('response', (response) => {
      if (response.request().postData()?.includes('__schema')) this.introspections.push(response.status());
    });
    page.on('pageerror', (error) => this.faults.push(`page error: ${error.message}`));
    page.on('console', (message) => message.type() === 'error' && this.faults.push(`console error: ${message.text()}`));
    page.on('workercreated', (worker) => this.watch(worker.client));
    await this.watch(await page.createCDPSession());
    await page.exposeFunction('noteViolation', (text) => this.faults.push(`CSP violation: ${text}`));
    await page.evaluateOnNewDocument(() =>
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        window.noteViolation(`${effectiveDirective} ${blockedURI}`),
      ),
    );
  }

  /** Requests that a page or a worker sends, sockets included. */
  async watch(client) {
    const note = (text) => {
      const { protocol, host } = new URL(text);
      if (!['data:', 'blob:', 'about:'].includes(protocol) && host !== new URL(address).host) this.foreign.add(text);
    };
    client.on('Network.requestWillBeSent', ({ request }) => note(request.url));
    client.on('Network.webSocketCreated', ({ url }) => note(url));
    await client.send('Network.enable').catch(() => undefined); // a worker that has ended
  }

  async go(service) {
    await this.page.bringToFront(); // one in the background draws nothing
    await this.page.goto(`${address}/${service}/graphql`, { waitUntil: 'domcontentloaded', timeout: WAIT_MS });
    await this.loaded();
  }

  async loaded() {
    await this.page.waitForSelector(`${EDITOR} .view-line`, { timeout: WAIT_MS });
  }

  text(selector) {
    return this.page.$eval(selector, (element) => element.innerText.replaceAll('\u00a0', ' '));
  }

  field() {
    return this.page.$eval('#key', ({ value }) => value);
  }

  async click(label) {
    const button = await this.page.waitForSelector(`button[aria-label^="${label}"]`, { visible: true, timeout: WAIT_MS });
    await button.click();
  }

  async showsSchema() {
    await this.page.bringToFront();
    const toggle = 'button[aria-label$="Documentation Explorer"]'; // GraphiQL may open it by itself, once it has loaded
    await this.page.waitForSelector(toggle, { visible: true, timeout: WAIT_MS });
    if (!(await this.page.$(DOCUMENTATION))) await this.click('Show Documentation Explorer');
    await this.page.waitForSelector(DOCUMENTATION, { visible: true, timeout: WAIT_MS });
    return /\bQuery\b/.test(await this.text(DOCUMENTATION));
  }

  /** Whether the schema shows by itself, with the key in the field. */
  async hasKey() {
    const shows = until('the schema', () => this.showsSchema());
    return (await isDone(shows)) && (await this.field()) === key;
  }

  async enterKey() {
    await this.page.bringToFront();
    await this.page.type('#key', key);
    await this.page.keyboard.press('Enter');
  }

  async replaceQuery(text) {
    await this.page.click(`${EDITOR} .monaco-editor`);
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('a');
    await this.page.keyboard.up('Control');
    await this.page.keyboard.type(text);
    await pause(SETTLE_MS); // what is typed is stored a moment later
    await this.page.keyboard.press('Escape'); // the list of suggestions lies over the button
  }

  /** Everything that the browser keeps longer than the tab, and the address, which it keeps in its history. */
  kept() {
    return this.page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie, location.href]));
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isDone = (promise) =>
  promise.then(
    () => true,
    () => false,
  );
const isShown = (tab, what) => isDone(until(what, async () => (await tab.text(EDITOR)).includes(what)));

const browser = await launch();
const tabs = [];
const open = async (service) => {
  const tab = await Tab.open(browser, service);
  tabs.push(tab);
  return tab;
};
const firstLine = (service) => EXAMPLES[service].split('\n')[0].slice(0, 30);

try {
  const first = await open('file-management');
  check(
    'a console without a key sends no request and shows no schema',
    !(await first.showsSchema()) && !first.introspections.length,
  );
  await first.enterKey();
  check('a console shows its schema once the key is entered', await first.hasKey());

  const { admin: _admin, ...ofTenants } = EXAMPLES; // the key of a tenant opens all but that one
  for (const service of Object.keys(ofTenants)) {
    const link = await first.page.$(`#access a[href$="/${service}/graphql"]`);
    const title = await link.evaluate(({ textContent }) => textContent);
    await Promise.all([first.page.waitForNavigation({ waitUntil: 'domcontentloaded' }), link.click()]);
    await first.loaded();
    check(`${service}: the title of the tab names it`, (await first.page.title()) === title);
    check(`${service}: the page names it`, (await first.text('.graphiql-container')).includes(title));
    check(`${service}: an example of it is open`, await isShown(first, firstLine(service)), await first.text(EDITOR));
    check(`${service}: the key of another console in the tab is used, and the schema shown`, await first.hasKey());
  }

  const second = await open('document-log');
  check('a console in another tab receives the key, and shows the schema', await second.hasKey());
  await second.replaceQuery('query Mine { version');
  await second.click('Execute query');
  check(
    'an operation runs with the key',
    await isDone(until('the version', async () => /"version": "\d/.test(await second.text('.result-window')))),
  );
  await second.page.reload({ waitUntil: 'domcontentloaded' });
  await second.loaded();
  check('typed text survives a reload', await isShown(second, 'query Mine'), await second.text(EDITOR));
  check('the key is there after a reload', await second.hasKey());
  await second.click('Show History');
  check(
    'an executed query is in the history',
    await isDone(until('it', async () => (await second.text('.graphiql-history')).includes('Mine'))),
  );
  await first.go('email');
  check('another console has tabs of its own', await isShown(first, firstLine('email')), await first.text(EDITOR));
  const given = new URLSearchParams({ query: 'query Given { version }', variables: '{"given": 1}' });
  await first.page.goto(`${address}/email/graphql?${given}`, { waitUntil: 'domcontentloaded' });
  await first.loaded();
  check('a link can bring a query', await isShown(first, 'query Given'), await first.text(EDITOR));
  const tools = async () => (await first.text('.graphiql-editors')).includes('"given": 1');
  check('a link can bring variables', await isDone(until('the variables', tools)));
  check('a query of a link is removed from the URL', !first.page.url().includes('?'), first.page.url());
  check('the browser stores the key nowhere', !`${await first.kept()}${await second.kept()}`.includes(key));

  await first.page.bringToFront();
  for (const { page } of [first, second]) await page.evaluate(() => (globalThis.isOfKey = true));
  await first.page.click('#forget');
  const isReloaded = (tab) =>
    tab.page.evaluate(() => !globalThis.isOfKey && document.querySelector('#key')?.value === '').catch(() => false); // it is leaving
  const isForgotten = async (tab) => (await isDone(until('no key', () => isReloaded(tab)))) && !(await tab.showsSchema());
  check('a key that is forgotten in one tab is forgotten in it', await isForgotten(first));
  check('a key that is forgotten in one tab is forgotten in the others', await isForgotten(second));

  await second.enterKey();
  check('a key is given to tabs that are open', (await second.hasKey()) && (await first.hasKey()));
  for (const { page } of tabs) await page.close();
  const later = await open('file-management');
  check('the key ends with the last tab', (await later.field()) === '' && !(await later.showsSchema()));

  const foreign = tabs.flatMap((tab) => [...tab.foreign]).join(' ');
  check('no request leaves for another host', !foreign, foreign);
  const faults = tabs.flatMap((tab) => tab.faults).join('; ');
  check('no policy is violated, and nothing fails in a page', !faults, faults);
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
}
finish();
