// node test/browser/studio-domains.mjs ADDRESS KEY: domains of Studio in a real browser, with a real name server, and what came back of mails.
// The server must ask the name server at EMAIL_DNS_SERVERS, which this program starts, and have the TESTING_KEY that it has.
import { NameServer } from '../nodes/name-server.mjs';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const { EMAIL_DNS_SERVERS, TESTING_KEY } = process.env;
const email = asker('email', { address, key });
const DOMAIN = 'shop.example';
const WRONG_SPF = 'v=spf1 include:elsewhere.example -all';
const AGAIN_MS = 10_000;

const FIELDS = 'domain status checkedAt records { purpose type name value state keepUntil }';
const domains = async () => (await email(`{ emailDomains { items { ${FIELDS} } } }`)).emailDomains.items;
const recordsFor = async (...purposes) => (await domains())[0].records.filter(({ purpose }) => purposes.includes(purpose));
const testing = async (path, body) => {
  const headers = { 'x-testing-key': TESTING_KEY, 'content-type': 'application/json' };
  const response = await fetch(`${address}/testing/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(await response.text());
  return response.json();
};
const words = (tab) => tab.page.$$eval('.detail .card', (cards) => cards.map(({ innerText }) => innerText.replace(/\s+/g, ' ')));
const isRefused = (tab, name) =>
  tab.page.$$eval(
    '.detail button',
    (all, wanted) => all.find(({ innerText }) => innerText === wanted).getAttribute('aria-disabled') === 'true',
    name,
  );

async function creation(tab) {
  await tab.sees('No domains yet', '.page');
  await tab.review('domains-empty');
  await tab.page.keyboard.press('c');
  await tab.fill('Domain', 'shop');
  await tab.click('button', 'Create domain');
  await tab.page.waitForSelector('[role=dialog] .fault');
  await tab.review('domains-new');
  check('a name that is no domain is refused at its field', (await domains()).length === 0);
  await tab.page.locator('[role=dialog] input').fill(DOMAIN);
  await tab.click('button', 'Create domain');
  await tab.sees(DOMAIN, '.detail h2');
  await tab.sees('Pending', '.detail .status');
  const [{ records }] = await domains();
  const cards = await words(tab);
  check(
    'each record is shown with its purpose, type, name and value',
    cards.length === 6 &&
      records.every(({ type, name, value }, at) => [type, name, value].every((text) => cards[at].includes(text))),
    cards.join(' | '),
  );
  check(
    'no record was checked yet',
    cards.every((text) => text.includes('Not checked yet')),
  );
  check('keys that are not in use cannot be rotated', await isRefused(tab, 'Rotate keys'));
  await tab.review('domains-pending');
  await copies(tab, records);
}

/** Notes what is copied. A page without a window may not read the clipboard. */
async function noteCopies(tab) {
  await tab.page.evaluateOnNewDocument(() => {
    navigator.clipboard.writeText = async (text) => void (globalThis.copied = text);
  });
  await tab.go('/email/domains');
}

async function copies(tab, records) {
  const read = () => tab.page.evaluate(() => globalThis.copied);
  const [{ name }] = records;
  await tab.click('button', 'Copy name of Ownership');
  await until('a copied name', async () => (await read()) === name);
  await tab.click('button', 'Copy value of DKIM (RSA)');
  const { value } = records.find(({ purpose }) => purpose === 'DKIM');
  await until('a copied value', async () => (await read()) === value);
  await tab.page.waitForSelector('button[aria-label="Copied"]');
  check('names and values of records are copied', true);
}

/** Checks the records in the page, as soon as the server allows it. */
async function checkNow(tab) {
  const at = new Date((await domains())[0].checkedAt ?? 0).getTime();
  await until('the time of the next check', () => Date.now() > at + AGAIN_MS);
  await tab.click('button', 'Check now');
}

async function checks(tab, names) {
  await checkNow(tab);
  await tab.sees('The last check didn’t find every required record.', '.detail .notice');
  await tab.click('button', 'Check now');
  await tab.sees('The records were just checked.', '.detail .notice');
  check('a check that comes too soon says when to try again', (await tab.page.$$('.detail .notice.bad')).length === 0);
  await tab.review('domains-missing');
  const [spf] = await recordsFor('SPF');
  await names.add(...(await recordsFor('OWNERSHIP', 'DKIM', 'RETURN_PATH')), { ...spf, value: WRONG_SPF });
  await checkNow(tab);
  await tab.sees('Verified', '.detail .status');
  const cards = await words(tab);
  const states = ['Found', 'Found', 'Found', 'Different', 'Missing', 'Found'];
  check(
    'each record says what was found',
    states.every((state, at) => cards[at]?.includes(state)),
    cards.join(' | '),
  );
  check('a wrong record is shown with the value found', cards[3].includes(WRONG_SPF), cards[3]);
  await tab.review('domains-verified');
}

async function rotation(tab, names) {
  await tab.click('button', 'Rotate keys');
  await tab.sees(`Rotate the keys of ${DOMAIN}?`, '[role=alertdialog]');
  await tab.page.click('[role=alertdialog] .danger');
  await tab.page.waitForSelector('[role=alertdialog]', { hidden: true });
  await tab.sees('DKIM (RSA), new key', '.detail .card');
  await tab.sees('DKIM (Ed25519), new key', '.detail .card');
  check('a domain with new keys cannot rotate them again', await isRefused(tab, 'Rotate keys'));
  await tab.review('domains-rotating');
  await names.add((await recordsFor('DKIM'))[2]);
  await checkNow(tab);
  await tab.sees('DKIM (RSA), old key', '.detail .card');
  await tab.sees('Keep this record until', '.detail .card');
  check(
    'the record of the old key says how long to keep it',
    (await recordsFor('DKIM')).some(({ keepUntil }) => keepUntil),
  );
  await tab.review('domains-rotated');
}

/** A mail from an address of the domain, with a header and tags. */
async function writing(browser) {
  const tab = await StudioTab.open(browser, { address, key, path: '/email/compose' });
  await tab.page.waitForSelector(`option[value="@${DOMAIN}"]`);
  await tab.page.select('select', `@${DOMAIN}`);
  await tab.page.locator('::-p-aria([name="To"][role="combobox"])').fill('ann@example.com');
  await tab.fill('Subject', 'From a domain');
  await tab.page.locator('textarea').fill('Hello');
  await tab.click('button', 'Add headers or tags');
  await tab.fill('Headers', 'X-Campaign: autumn\nBcc: eve@example.com');
  await tab.fill('Tags', 'no pair');
  await tab.click('button', 'Send');
  await tab.sees('“no pair” isn’t a name and value', '.fault');
  await tab.click('button', 'Remove no pair');
  for (const tag of ['campaign: autumn', 'ref:a: b']) {
    await tab.fill('Tags', tag);
    await tab.page.keyboard.press('Enter');
  }
  await tab.click('button', 'Send');
  await tab.page.waitForFunction(() => document.querySelectorAll('.fault').length === 1);
  check('an invalid sender, header or tag is refused at its field', true);
  await tab.review('email-more');
  await fillRefused(tab);
  await tab.sees('From a domain', '.detail h2');
  const query =
    'query ($id: ID!) { messages(filter: {id: $id}) { items { from { address } tags { name value } content { headers { name value } } } } }';
  const { items } = (await email(query, { id: new URL(tab.page.url()).pathname.split('/').at(-1) })).messages;
  const { from, tags, content } = items[0];
  const written = JSON.stringify([from.address, tags, content.headers].flat());
  const wanted = [
    `info@${DOMAIN}`,
    { name: 'campaign', value: 'autumn' },
    { name: 'ref:a', value: 'b' },
    { name: 'X-Campaign', value: 'autumn' },
  ];
  check('a mail comes from an address of a domain, with headers and tags', written === JSON.stringify(wanted), written);
  tab.checkClean('while a mail is written');
}

/** Corrects what the service refuses one after another. */
async function fillRefused(tab) {
  await tab.fill(`Address before @${DOMAIN}`, `info@${DOMAIN}`);
  await tab.click('button', 'Send');
  await tab.sees('Bcc:', '.fault');
  await tab.fill('Headers', 'X-Campaign: autumn');
  await tab.click('button', 'Send');
}

/** A key that only looks sees all, and cannot press what it may not do. */
async function looking(browser) {
  const { tenant } = await (await fetch(`${address}/key`, { headers: { 'x-api-key': key } })).json();
  const own = await testing('keys', { tenantId: tenant.id, scope: 'email-api:query:*' });
  const tab = await StudioTab.open(browser, { address, key: own.key, path: `/email/domains/${DOMAIN}` });
  await tab.sees('DKIM', '.detail .card');
  const refused = await Promise.all(['Check now', 'Rotate keys', 'Delete'].map((name) => isRefused(tab, name)));
  check('a key that only looks can change nothing', refused.every(Boolean), refused.join());
  tab.checkClean('with a key that only looks');
}

async function deletion(tab) {
  await tab.page.reload({ waitUntil: 'domcontentloaded' });
  await tab.page.setViewport(PHONE);
  await tab.sees(DOMAIN, '.detail h2');
  await tab.sees('DKIM', '.detail .card');
  const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
  check('a phone shows a domain without scrolling sideways', width <= PHONE.width, String(width));
  await tab.review('domains-phone');
  await tab.click('button', 'Delete');
  await tab.sees(`Delete ${DOMAIN}?`, '[role=alertdialog]');
  await tab.page.click('[role=alertdialog] .danger');
  await tab.sees('No domains yet', '.page');
  check('a domain is deleted', (await domains()).length === 0);
}

const send = async (input) => {
  const all = { subject: 'News', textBody: 'Hello', ...input };
  return (await email('mutation ($i: SendMessageInput!) { sendMessage(input: $i) { id } }', { i: all })).sendMessage.id;
};
const isSent = async (id) =>
  (await email('query ($id: ID!) { messages(filter: {id: $id}) { items { status } } }', { id })).messages.items[0].status ===
  'SENT';

async function bounces(browser) {
  const [gone, annoyed] = ['gone@example.com', 'annoyed@example.com'];
  const id = await send({
    to: [{ address: gone }, { address: annoyed }, { address: 'ann@example.com' }],
    subject: 'Campaign',
    headers: [{ name: 'X-Campaign', value: HOSTILE[0] }],
    tags: [
      { name: 'campaign', value: 'spring' },
      { name: HOSTILE[1].slice(0, 64), value: HOSTILE[2] },
    ],
  });
  const other = await send({ to: [{ address: gone }], tags: [{ name: 'campaign', value: 'summer' }] });
  await until('two mails that were sent', async () => (await isSent(id)) && isSent(other));
  await testing('bounces', { to: annoyed, kind: 'COMPLAINT' });
  const tab = await StudioTab.open(browser, { address, key, path: `/email/${id}` });
  await tab.sees('Complaint', '.email-bounce');
  check('a complaint is shown at its recipient', (await tab.page.$$('.email-bounce')).length === 1);
  await tab.sees('Complaint for 1 recipient', '.timeline');
  await tab.click('tab', 'Headers (1)');
  await tab.sees(HOSTILE[0], '.detail');
  await tab.click('link', 'campaign: spring');
  await tab.sees('Campaign', '.record');
  const rows = await tab.page.$$eval('.record', (all) => all.map(({ innerText }) => innerText));
  check('a tag leads to the mails that have it', rows.length === 1 && rows[0].includes('Campaign'), rows.join(' | '));
  await tab.review('email-tag');
  await tab.page.locator('.filters ::-p-text(Tag value)').click();
  await tab.fill('Tag value is', 'summer');
  await tab.click('button', 'Apply');
  await tab.sees('News', '.record');
  await testing('bounces', { to: gone, diagnostic: `550 5.1.1 ${HOSTILE[4]}` });
  await tab.openRecord('Sent');
  await tab.sees('Hard bounce', '.email-bounce');
  const bounce = await tab.page.$eval('.email-bounce', ({ innerText }) => innerText);
  check('a bounce has its code and what the mail server said', bounce.includes('5.1.1') && bounce.includes(HOSTILE[4]), bounce);
  await tab.review('email-bounce');
  tab.checkClean('with bounces and tags');
}

const names = await NameServer.start(Number(EMAIL_DNS_SERVERS.split(':')[1]));
const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key, path: '/email/domains' });
  await noteCopies(tab);
  await creation(tab);
  await checks(tab, names);
  await rotation(tab, names);
  await writing(browser);
  await looking(browser);
  await deletion(tab);
  tab.checkClean('in all of it');
  await bounces(browser);
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
  await names.stop();
}
finish();
