// node test/browser/studio-suppressions.mjs ADDRESS KEY: suppressions of Studio in a real browser. The server must have the TESTING_KEY that
// this program has, and no suppressions.
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const { TESTING_KEY } = process.env;
const email = asker('email', { address, key });
const SIGNS = "o'neil+%40/?#&=x@example.com";
const GONE = 'gone@example.com';
const MANY = 150;

const ADD = 'mutation ($i: [CreateSuppressionInput!]!) { createSuppressions(input: $i) { error { message } } }';
const add = (input) => email(ADD, { i: input });
const suppressions = async (filter) =>
  (
    await email('query ($f: SuppressionsFilter) { suppressions(filter: $f) { items { address reason list expiresAt } } }', {
      f: filter,
    })
  ).suppressions.items;
const testing = async (path, body) => {
  const headers = { 'x-testing-key': TESTING_KEY, 'content-type': 'application/json' };
  const response = await fetch(`${address}/testing/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(await response.text());
  return response.json();
};
const send = async (...to) => {
  const input = { to: to.map((one) => ({ address: one })), subject: 'News', textBody: 'Hello' };
  const { id } = (await email('mutation ($i: SendMessageInput!) { sendMessage(input: $i) { id } }', { i: input })).sendMessage;
  const query = 'query ($id: ID!) { messages(filter: {id: $id}) { items { status } } }';
  const status = async () => (await email(query, { id })).messages.items[0].status;
  await until('a mail that is finished', async () => (await status()) !== 'QUEUED');
  return { id, status: await status() };
};
const rows = (tab) => tab.page.$$eval('.record', (all) => all.map(({ innerText }) => innerText.replace(/\s+/g, ' ')));
const inDialog = (tab, label, text) => tab.page.locator(`[role=dialog] ::-p-aria([name="${label}"])`).fill(text);
const addresses = (tab) => tab.page.$$eval('[role=dialog] .token-token', (all) => all.map(({ ariaLabel }) => ariaLabel));
/** Pastes lines into the field of addresses. */
async function pasteAddresses(tab, ...lines) {
  await tab.page.focus('[role=dialog] .token-input');
  await tab.page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, lines.join('\n'));
}
const press = (tab, name) => tab.page.locator(`[role=dialog] ::-p-aria([name="${name}"][role="button"])`).click();

/** Sets the field of a time, which cannot be typed alike in all languages. */
const endsAt = (tab, time) =>
  tab.page.$eval(
    '[role=dialog] input[type="datetime-local"]',
    (input, text) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    },
    time.toISOString().slice(0, 16),
  );

/** Filters by a list. */
async function ofList(tab, chip, name) {
  await tab.click('button', chip);
  await tab.fill('List is', name);
  await tab.click('button', 'Apply');
}

async function adding(tab) {
  await tab.sees('No suppressions yet', '.page');
  await tab.review('suppressions-empty');
  await tab.page.keyboard.press('c');
  await tab.sees('Add suppressions', '[role=dialog] h2');
  await pasteAddresses(tab, 'Ann@Example.com', '', `  ${HOSTILE[0]}  `, SIGNS, 'ben@example..com');
  await inDialog(tab, 'List', '   ');
  await press(tab, 'Add suppressions');
  await tab.sees('blank', '[role=dialog] .fault');
  check('an invalid list name is refused at its field', (await suppressions()).length === 0);
  await inDialog(tab, 'List', 'news');
  await endsAt(tab, new Date('2020-02-01'));
  await press(tab, 'Add suppressions');
  await tab.sees('future', '[role=dialog] .fault');
  check('an expiry in the past is refused at its field', (await suppressions()).length === 0);
  await endsAt(tab, new Date(Date.now() + 365 * 86_400_000));
  await press(tab, 'Add suppressions');
  await tab.sees('2 addresses were added.', '[role=dialog] .notice');
  await tab.sees('Correct 2 addresses.', '[role=dialog] .fault');
  const left = (await addresses(tab)).join('|');
  const said = await tab.page.$$eval('[role=dialog] li.fault', (all) => all.map(({ innerText }) => innerText));
  check('lines that are refused stay, the others are stored', left === `${HOSTILE[0]}|ben@example..com`, left);
  check('each has the reason of the service', said.length === 2 && said.every((one) => /address/i.test(one)), said.join(' | '));
  await tab.review('suppressions-add');
  await tab.page.keyboard.press('Escape');
  await tab.sees('Discard what you entered?', '[role=alertdialog]');
  await tab.click('button', 'Keep editing');
  await tab.page.waitForSelector('[role=alertdialog]', { hidden: true });
  check('a form is not lost by one key', (await addresses(tab)).length === 2);
  await tab.page.focus('[role=dialog] .token-input');
  await tab.page.keyboard.press('Backspace');
  await tab.page.keyboard.press('Backspace');
  await inDialog(tab, 'Addresses', 'ben@example.com');
  await tab.page.keyboard.press('Enter');
  await tab.page.select('[role=dialog] select', 'UNSUBSCRIBED');
  await press(tab, 'Add suppressions');
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
  await tab.sees('ben@example.com', '.record');
  const stored = (await suppressions()).map(({ address: one, reason, list }) => [one, reason, list].join(' ')).sort();
  const wanted = ['ann@example.com MANUAL news', 'ben@example.com UNSUBSCRIBED news', `${SIGNS} MANUAL news`].sort();
  check('addresses are stored with reason and list', stored.join('|') === wanted.join('|'), stored.join('|'));
  check(
    'addresses are stored with their expiry',
    (await suppressions()).every(({ expiresAt }) => new Date(expiresAt) > new Date()),
  );
}

async function filtering(tab) {
  await add([
    { address: 'cleo@example.com', reason: 'COMPLAINT' },
    { address: 'ann@example.com' },
    { address: 'dan@example.com', list: HOSTILE[1] },
  ]);
  await tab.go('/email/suppressions');
  await tab.sees(HOSTILE[1], '.record');
  await tab.review('suppressions-list');
  await tab.click('button', 'Reason');
  await tab.click('menuitemradio', 'Complaint');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 1);
  check('the reason is a filter', (await rows(tab))[0].includes('cleo@example.com'), (await rows(tab)).join());
  await tab.click('button', 'Clear filters');
  await ofList(tab, 'List', 'news');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 3);
  await tab.fill('Address', 'ann');
  await tab.sees('Enter a full address');
  await tab.fill('Address', 'ANN@example.com');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 1);
  check('the list and the address are filters', (await rows(tab))[0].includes('List news'), (await rows(tab)).join());
  await ofList(tab, 'List: news', 'other');
  await tab.sees('No suppressions match');
  await tab.click('button', 'Clear filters');
  await tab.sees('cleo@example.com', '.record');
}

async function opening(tab) {
  await tab.page.evaluate(
    (wanted) => [...document.querySelectorAll('.record')].find((one) => one.innerText.includes(wanted)).click(),
    SIGNS,
  );
  await tab.sees(SIGNS, '.detail h2');
  await tab.sees('List news', '.detail .card');
  await tab.page.reload({ waitUntil: 'domcontentloaded' });
  await tab.sees('Other emails are.', '.detail');
  check('an address of any characters has a page', (await tab.page.$$('.detail .card')).length === 1);
  await tab.go('/email/suppressions/ann%40example.com');
  await tab.sees('Emails aren’t sent to this address.', '.detail');
  const cards = await tab.page.$$eval('.detail .card h3', (all) => all.map(({ innerText }) => innerText));
  check('an address shows its suppressions, all mails first', cards.join() === 'All emails,List news', cards.join());
  await tab.review('suppressions-address');
}

async function bounced(tab) {
  const first = await send(GONE);
  await testing('bounces', { to: GONE, diagnostic: `550 5.1.1 ${HOSTILE[4]}` });
  const { id, status } = await send(GONE, 'ann@other.example');
  check('a mail to a suppressed address and another is sent', status === 'SENT', status);
  await tab.go(`/email/${id}`);
  await tab.sees('Suppressed: hard bounce', '.email-recipients');
  const texts = await tab.page.$$eval('.email-recipients > li', (all) => all.map(({ innerText }) => innerText));
  check(
    'a mail says for whom it was suppressed, and that it was not tried there',
    texts[0].includes('Not tried') && !texts[1].includes('Suppressed'),
    texts.join(' | '),
  );
  await tab.review('suppressions-mail');
  await tab.click('button', 'View source');
  await tab.sees('Subject:', '[aria-label="Source"]');
  const font = await tab.page.$eval('[aria-label="Source"]', (source) => getComputedStyle(source).fontFamily);
  check('the source of a mail is shown in letters of one width', /mono/i.test(font), font);
  await tab.review('email-source');
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
  await tab.click('link', 'Suppressed: hard bounce');
  await tab.sees(GONE, '.detail h2');
  await tab.sees(HOSTILE[4], '.detail .card');
  check('a recipient links to the suppression, with the text of the mail server', true);
  await tab.click('link', 'Show email');
  await tab.sees('Hard bounce', '.email-bounce');
  check('a suppression links to the mail that bounced', new URL(tab.page.url()).pathname.endsWith(first.id));
  await tab.go('/email');
  await tab.sees('Suppressed: hard bounce', '.record');
  check('the list says the reason in words', !(await rows(tab)).some((text) => text.includes('HARD_BOUNCE')));
}

async function removal(tab) {
  await tab.go(`/email/suppressions/${encodeURIComponent(GONE)}`);
  await tab.click('button', 'Remove');
  await tab.sees(`Remove the suppression of ${GONE}?`, '[role=alertdialog]');
  await tab.review('suppressions-remove');
  await tab.click('button', 'Cancel');
  await tab.page.waitForSelector('[role=alertdialog]', { hidden: true });
  check('a question that is answered with no changes nothing', (await suppressions({ address: GONE })).length === 1);
  await tab.click('button', 'Remove');
  await tab.click('button', 'Remove suppression');
  await tab.sees('This address isn’t suppressed.', '.detail');
  check('a suppression is removed, and the address gets mails again', (await send(GONE)).status === 'SENT');
}

async function paging(tab) {
  await add(Array.from({ length: MANY }, (_, at) => ({ address: `many-${at}@example.com`, list: 'many' })));
  await tab.go('/email/suppressions?list=many');
  await tab.page.waitForSelector('.record');
  const [oldest] = (
    await email('{ suppressions(filter: {list: "many"}, limit: 1000) { items { address } } }')
  ).suppressions.items.slice(-1);
  await until('the last of all pages', async () => {
    await tab.page.focus('.records');
    await tab.page.keyboard.press('End');
    return (await rows(tab)).some((text) => text.includes(` ${oldest.address} `) || text.startsWith(`${oldest.address} `));
  });
  check('the list is read on page by page', true);
}

/** A key that only looks sees all, and cannot press what it may not do. */
async function looking(browser) {
  const { tenant } = await (await fetch(`${address}/key`, { headers: { 'x-api-key': key } })).json();
  const own = await testing('keys', { tenantId: tenant.id, scope: 'email-api:query:*' });
  const tab = await StudioTab.open(browser, { address, key: own.key, path: '/email/suppressions/ann@example.com' });
  await tab.sees('List news', '.detail .card');
  const refused = await tab.page.$$eval('button', (all) =>
    all.filter(({ innerText }) => ['Add suppressions', 'Remove'].includes(innerText)).map(({ ariaDisabled }) => ariaDisabled),
  );
  check(
    'a key that only looks can change nothing',
    refused.length === 3 && refused.every((one) => one === 'true'),
    refused.join(),
  );
  tab.checkClean('with a key that only looks');
}

async function onPhone(browser) {
  const tab = await StudioTab.open(browser, { address, key, path: '/email/suppressions', size: PHONE });
  const isNarrow = async (what) => {
    const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
    check(`a phone shows ${what} without scrolling sideways`, width <= PHONE.width, String(width));
  };
  await tab.page.waitForSelector('.record');
  await isNarrow('suppressions');
  await tab.review('suppressions-list');
  await tab.go('/email/suppressions/ann@example.com');
  await tab.sees('List news', '.detail .card');
  await isNarrow('an address');
  await tab.review('suppressions-address');
  tab.checkClean('on a phone');
}

const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key, path: '/email/suppressions' });
  await adding(tab);
  await filtering(tab);
  await opening(tab);
  await bounced(tab);
  await removal(tab);
  await paging(tab);
  tab.checkClean('in all of it');
  await looking(browser);
  await onPhone(browser);
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
}
finish();
