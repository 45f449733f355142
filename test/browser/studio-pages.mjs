// node test/browser/studio-pages.mjs ADDRESS KEY ADMIN_KEY: every page of Studio, left alone for minutes, and 320 px wide. The pages are those of
// the router, and one for each form of address that their links have. Time passes in the page alone, as fast as Chromium can.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { addressAndKey, asker, check, finish, launch } from './browser.mjs';
import { StudioTab } from './studio.mjs';

const MINUTES = 3;
const MINUTES_HIDDEN = 2;
const MOST_A_MINUTE = 4;
const NARROW = 320;
const HEIGHT = 568;
/** Most that is received until a page is shown the first time. */
const FIRST_LOAD_KIB = 350;
const { address, key, adminKey } = addressAndKey();
const browser = await launch();
try {
  await fill();
  const isOfAdmin = ([form]) => form.startsWith('/tenants');
  const pages = [...(await pagesOf(key)).filter((page) => !isOfAdmin(page)), ...(await pagesOf(adminKey)).filter(isOfAdmin)];
  const rooms = Object.keys(routes());
  check(
    `each room has a page among ${pages.length}`,
    rooms.every((room) => pages.some(([form]) => form.startsWith(room))),
    `${rooms.join(' ')}: ${pages.map(([form]) => form).join(' ')}`,
  );
  for (const [form, path, ofKey] of pages) {
    await staysQuiet(form, path, ofKey);
    await fits(form, path, ofKey);
  }
  await saysWhen();
} catch (error) {
  check('the checks of idle pages end', false, error.stack);
} finally {
  await browser.close();
}
finish();

/** The addresses of each room without parameters, as the sources of Studio have them. */
function routes() {
  const read = (path) => readFileSync(fileURLToPath(new URL(`../../studio/src/${path}.tsx`, import.meta.url)), 'utf8');
  const places = [...read('shell/places').matchAll(/path: '(\/\w*)'[^}]*import\('\.\.\/([\w/-]+)'\)/g)];
  return Object.fromEntries(
    places.map(([, path, room]) => {
      const inner = [...read(room).matchAll(/<Route path="([^":*]*)/g)].map(([, below]) => (path + below).replace(/\/$/, ''));
      return [path, [...new Set([path, ...inner])]];
    }),
  );
}

/** Finds pages by their links: one for each form of address, such as /email/:id. */
async function pagesOf(ofKey) {
  const found = new Map(Object.values(routes()).flatMap((paths) => paths.map((path) => [path, path])));
  const tab = await StudioTab.open(browser, { address, key: ofKey });
  for (const path of found.values()) {
    await tab.go(path);
    await isLoaded(tab);
    const links = await tab.page.$$eval('a[href^="/studio"]', (all) => all.map((link) => new URL(link.href).pathname));
    for (const link of links) {
      const below = link.replace(/^\/studio/, '').replace(/\/$/, '') || '/';
      const form = below.replace(/\/[^/]*[\d@%.][^/]*/g, '/:id');
      if (!found.has(form)) found.set(form, below);
    }
  }
  await tab.page.browserContext().close();
  return [...found].map(([form, path]) => [form, path, ofKey]);
}

/** Waits until the page shows what it asked for. */
function isLoaded(tab) {
  return tab.page.waitForFunction(() => document.querySelector('#content > *') && !document.querySelector('.skeleton'));
}

async function staysQuiet(form, path, ofKey) {
  const tab = await StudioTab.open(browser, { address, key: ofKey, path });
  await isLoaded(tab);
  const received = Math.round(tab.receivedBytes / 1024);
  check(`${form} is shown for the first time within ${FIRST_LOAD_KIB} KiB`, received <= FIRST_LOAD_KIB, String(received));
  const counts = await requestsOf(tab, MINUTES);
  check(`${form} sends at most ${MOST_A_MINUTE} requests a minute`, Math.max(...counts) <= MOST_A_MINUTE, counts.join(' '));
  if (form === '/') check('an idle page still shows new objects', Math.min(...counts.slice(1)) > 0, counts.join(' '));
  await hide(tab);
  const whenHidden = await requestsOf(tab, MINUTES_HIDDEN);
  check(
    `${form} sends none while it is hidden`,
    whenHidden.every((count) => count === 0),
    whenHidden.join(' '),
  );
  await tab.page.browserContext().close();
}

/** The age of what is shown, and a click that updates it. */
async function saysWhen() {
  const tab = await StudioTab.open(browser, { address, key });
  await isLoaded(tab);
  await tab.page.evaluate(() => {
    const { now } = Date;
    Date.now = () => now() + 45_000;
  });
  await tab.page.waitForFunction(() =>
    /^Updated ([45]\d sec|1 min) ago$/.test(document.querySelector('header .updated')?.innerText),
  );
  await tab.page.locator('header .updated').click();
  await tab.page.waitForFunction(() => document.querySelector('header .updated').innerText === 'Updated just now');
  check('a page says how old its data is, and updates it on request', true);
  await tab.page.browserContext().close();
}

/** A window of 1,280 px at 400 %, as WCAG 1.4.10 has it. */
async function fits(form, path, ofKey) {
  const tab = await StudioTab.open(browser, { address, key: ofKey, path, size: { width: NARROW, height: HEIGHT } });
  await isLoaded(tab);
  const { scrollWidth: width, scrollHeight: height } = await tab.page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { scrollWidth, scrollHeight };
  });
  check(`${form} fits ${NARROW} px`, width <= NARROW, String(width));
  check(`${form} ends with the window`, height <= HEIGHT, String(height));
  await tab.page.browserContext().close();
}

/** Lets minutes pass in a page, and counts its requests in each. */
async function requestsOf(tab, minutes) {
  const client = await tab.page.createCDPSession();
  let count = 0;
  const note = (request) => ['fetch', 'xhr'].includes(request.resourceType()) && (count += 1);
  tab.page.on('request', note);
  const counts = [];
  for (let minute = 0; minute < minutes; minute++) {
    count = 0;
    const passed = new Promise((resolve) => client.once('Emulation.virtualTimeBudgetExpired', resolve));
    await client.send('Emulation.setVirtualTimePolicy', { policy: 'pauseIfNetworkFetchesPending', budget: 60_000 });
    await passed;
    counts.push(count);
  }
  tab.page.off('request', note);
  return counts;
}

/** Hides the tab, as behind another one. */
function hide(tab) {
  return tab.page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
}

/** Gives the tenant one of each object, so that each list leads to a detail. */
async function fill() {
  const of = (service) => asker(service, { address, key });
  const rendering = of('document-rendering');
  await of('file-management')('mutation { createFile(input: { name: "a/b.txt" }) { id } }');
  await rendering(
    'mutation { createTemplate(input: { name: "one", type: document, contentType: html, body: "<p>{{ a }}</p>" }) { id } }',
  );
  await rendering('mutation { createPartial(input: { name: "two", contentType: html, body: "x" }) { id } }');
  await rendering('mutation { createCss(input: { name: "three", text: "" }) { id } }');
  await rendering('mutation { createWebhook(input: { url: "poll:", events: [TEMPLATE_CREATED] }) { webhook { id } } }');
  await of('websockets-manager')('mutation { pushMessage(input: { recipients: ["ann"], message: "Hello" }) { item { id } } }');
  await of('websockets-manager')('mutation { pushGlobalMessage(input: { message: "Hello" }) { id } }');
  await of('document-log')(
    'mutation { createLog(input: { documentType: "invoice", documentId: "17", dateTime: "2026-01-01", action: "create" }) { itemId } }',
  );
  await of('email')('mutation { createSuppressions(input: [{ address: "eve@example.com" }]) { __typename } }');
  await of('email')(
    `mutation { sendMessage(input: { to: { address: "ann@example.com" }, subject: "Later", textBody: "x", sendAt: "${new Date(Date.now() + 86_400_000).toISOString()}" }) { id } }`,
  );
}
