// node test/browser/studio-rate.mjs ADDRESS KEY ADMIN_KEY: keys with a rate of RATE_LIMIT_PER_MINUTE that Studio shares with an application.
import { addressAndKey, asker, check, finish, launch } from './browser.mjs';
import { StudioTab } from './studio.mjs';

const LIMIT = Number(process.env.RATE_LIMIT_PER_MINUTE);
const MINUTES = 5;
const PAGES = ['', '/files', '/templates', '/push', '/log', '/email', '/webhooks'];
const { address, key, adminKey } = addressAndKey();
const browser = await launch();
try {
  for (const path of PAGES) await opens(path);
  await leavesTheRest();
  await saysSo();
} catch (error) {
  check('the checks of the rate end', false, error.stack);
} finally {
  await browser.close();
}
finish();

/** Points left of the key, by the header of an answer, of which the request takes one. */
async function pointsLeft() {
  const response = await ask();
  return { left: Number(/r=(\d+)/.exec(response.headers.get('ratelimit'))[1]), status: response.status };
}

function ask() {
  return fetch(`${address}/email/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: '{"query":"{ version }"}',
  });
}

/** Opens a page with a key that has not been used. */
async function opens(path) {
  const description = await (await fetch(`${address}/key`, { headers: { 'x-api-key': key } })).json();
  const create = asker('admin', { address, key: adminKey });
  const { createKey } = await create('mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }', {
    input: { tenantId: description.tenant.id, scope: description.scope },
  });
  const tab = await StudioTab.open(browser, { address, key: createKey.secret, path: '/none' });
  await tab.sees('Page not found');
  const refused = [];
  tab.page.on('response', (response) => response.status() === 429 && refused.push(response.url()));
  await tab.go(path);
  await tab.page.waitForFunction(() => document.querySelector('#content h1') && !document.querySelector('.skeleton'));
  check(`a key with a rate of ${LIMIT} opens ${path || '/'}`, refused.length === 0, refused.join(' '));
  await tab.page.browserContext().close();
}

async function leavesTheRest() {
  const tab = await StudioTab.open(browser, { address, key });
  await tab.sees('Overview', 'h1');
  await tab.page.waitForFunction(() => !document.querySelector('.skeleton'));
  const client = await tab.page.createCDPSession();
  const { left: before } = await pointsLeft();
  const passed = new Promise((resolve) => client.once('Emulation.virtualTimeBudgetExpired', resolve));
  await client.send('Emulation.setVirtualTimePolicy', { policy: 'pauseIfNetworkFetchesPending', budget: MINUTES * 60_000 });
  await passed;
  const { left } = await pointsLeft();
  // A new window of the key in between would begin with all points.
  const spent = before - left - 1;
  check(`an idle page takes at most a tenth of a rate of ${LIMIT}`, spent <= (MINUTES * LIMIT) / 10, String(spent));
  await tab.page.browserContext().close();
}

async function saysSo() {
  const tab = await StudioTab.open(browser, { address, key });
  await tab.sees('Overview', 'h1');
  while ((await pointsLeft()).status !== 429);
  await tab.click('link', 'Email');
  await tab.sees(`Rate limit reached: this key may spend ${LIMIT} points a minute`, '[role=status]');
  await tab.axe('a key without points');
  check('a page whose key has no points left says so', true);
  await tab.page.waitForFunction(() => !document.body.innerText.includes('Rate limit reached'));
  await tab.sees('No emails yet');
  check('a page recovers once its key has points again', true);
}
