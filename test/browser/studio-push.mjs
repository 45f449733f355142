// node test/browser/studio-push.mjs ADDRESS KEY: the push page of Studio in a real browser. Messages are pushed, received by test clients
// in the page, acknowledged, taken back, and seen where they stand, without loading the page again.
import { randomBytes } from 'node:crypto';
import { addressAndKey, asker, check, finish, launch } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const push = asker('websockets-manager', { address, key });
const RUN = randomBytes(3).toString('hex');
const ANN = `ann-${RUN}`;
const AWAY = `away-${RUN}`;
const TOPIC = `topic-${RUN}`;
const HOUR_MS = 3_600_000;

const pushMessage = (input) =>
  push('mutation ($input: MessageInput!) { pushMessage(input: $input) { results { item { id status } } } }', { input });
const stateOf = async (recipient) =>
  (await push('query ($filter: MessagesFilter) { messages(filter: $filter) { items { status } } }', { filter: { recipient } }))
    .messages.items[0]?.status;

/** Types names into the field for recipients, each ended with Enter. */
async function name(tab, ...names) {
  for (const one of names) {
    await tab.page.focus('.token-input');
    await tab.page.keyboard.type(one);
    await tab.page.keyboard.press('Enter');
    await tab.sees(one, '.token-token');
  }
}

async function testClient(tab) {
  await tab.fill('Recipient', ANN);
  await tab.page.select('.push-connect select', 'hand');
  await tab.click('button', 'Connect');
  await tab.sees('Open', '.push-clients .status');
  check('a test client connects', true);
}

async function pushForm(tab) {
  await tab.page.evaluate(() => document.activeElement.blur());
  await tab.page.keyboard.press('c');
  await tab.sees('New message', '.drawer');
  await tab.click('button', 'Send message');
  await tab.sees('Add at least one recipient.', '.drawer');
  check('a push without a recipient and a text is not sent', true);
  await name(tab, ANN, AWAY);
  await tab.write('Message', '{"order": 12345678901234567890, ');
  await tab.sees('Invalid JSON', '.drawer');
  await tab.review('push-form');
  await tab.write('Message', '{"order": 12345678901234567890}');
  await tab.sees('Valid JSON', '.drawer');
  await tab.click('button', '1 hour');
  await tab.click('button', 'Send message');
  await tab.sees('2 waiting', '.drawer');
  check('the form shows the status of each message', (await stateOf(ANN)) === 'PENDING');
  await tab.page.keyboard.press('Escape');
}

async function acknowledgement(tab) {
  await tab.sees('{"order": 12345678901234567890}', '.push-log');
  check('a message waits for its acknowledgement', (await stateOf(ANN)) === 'PENDING');
  await tab.review('push-clients');
  await tab.click('button', 'Acknowledge');
  await tab.sees('acknowledged at', '.push-log');
  await tab.click('link', 'Messages');
  await tab.sees(ANN, '.record');
  await tab.page.waitForFunction(
    (recipient) =>
      [...document.querySelectorAll('.record')].some(
        ({ innerText }) => innerText.includes(recipient) && innerText.includes('Acknowledged'),
      ),
    {},
    ANN,
  );
  check('an acknowledged message is delivered, and the test client lives on beside other tabs', true);
}

async function liveList(tab) {
  const offered = await tab.page.$$eval('.filters datalist option', (all) => all.map(({ value }) => value));
  check(
    'the search suggests the recipients of the list, since only whole names are found',
    offered.includes(AWAY),
    offered.join(),
  );
  await tab.fill('Exact recipient', AWAY);
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 1);
  await pushMessage({
    recipients: [AWAY],
    message: 'Later',
    topic: TOPIC,
    expiresAt: new Date(Date.now() + HOUR_MS).toISOString(),
  });
  await tab.sees('1 new', '.new-records');
  check('a new message is offered, and the list keeps its place', (await tab.page.$$('.record')).length === 1);
  await tab.review('push-list');
  await tab.click('button', '1 new');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 2);
  check('the filter is in the address', new URL(tab.page.url()).searchParams.get('recipient') === AWAY);
}

async function detail(tab) {
  await tab.page.click('.record');
  await tab.sees('Recipient offline', '.push-way');
  const stations = await tab.page.$$eval('.push-way li strong', (titles) => titles.map(({ innerText }) => innerText));
  check('the delivery has four steps', stations.join() === 'Stored,Waiting,Acknowledged,Done', stations.join());
  await tab.review('push-message');
  await tab.click('button', 'Cancel message');
  await tab.sees(`Cancel the message to ${AWAY}?`, '[role=alertdialog]');
  await tab.review('push-take-back');
  await tab.page.click('[role=alertdialog] .danger');
  await tab.sees('Cancelled before a connection acknowledged', '.push-way');
  await tab.sees('Not delivered', '.record');
  check('a message is cancelled, and its row shows it', (await stateOf(AWAY)) === 'CANCELLED');
  const address = tab.page.url();
  await tab.page.reload({ waitUntil: 'domcontentloaded' });
  await tab.sees('Cancelled before a connection acknowledged', '.push-way');
  check('the address shows the same message', tab.page.url() === address);
  await tab.click('button', 'Send again');
  await tab.page.waitForFunction(() => {
    const area = document.querySelector('.drawer textarea'); // until the editor is loaded
    return (area?.value ?? document.querySelector('.drawer .cm-content')?.innerText) === 'Later';
  });
  const topic = await tab.page.$eval('.drawer input[placeholder="all connections"]', ({ value }) => value);
  check('a message is pushed again with what it had', topic === TOPIC, topic);
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.drawer', { hidden: true });
  await tab.page.evaluate(() => document.activeElement.blur());
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.detail', { hidden: true });
  check('Escape closes the form, and then the message', /\/studio\/push\/?$/.test(new URL(tab.page.url()).pathname));
}

async function waiting(tab) {
  await tab.go(`/push?status=PENDING&by=recipient&recipient=${AWAY}`);
  await tab.sees(AWAY, '.record');
  check('queued messages are counted for each recipient', true);
  await tab.go(`/push?topic=none-${RUN}`);
  await tab.sees('No messages match');
  await tab.click('button', 'Clear filters');
  await tab.page.waitForSelector('.record');
}

async function online(tab) {
  await tab.click('link', 'Test client');
  await tab.fill('Recipient', `${ANN}/100%`);
  await tab.click('button', 'Connect');
  await tab.sees('Open', '.push-clients .status');
  await tab.click('link', 'Online');
  await tab.fill('Exact recipient', `${ANN}/100%`);
  await tab.click('button', 'Look up');
  await tab.sees('1 connection', '.detail');
  await tab.review('push-online');
  await tab.click('button', 'Disconnect');
  await tab.sees(`Disconnect ${ANN}/100%?`, '[role=alertdialog]');
  await tab.page.click('[role=alertdialog] .danger');
  await tab.sees('Offline', '.detail');
  await tab.page.click('.page-tabs [href$="/clients"]'); // its name has the number of clients
  await tab.sees('Closed: the application disconnected the recipient', '.push-log');
  check('a recipient is disconnected, and its client hears why', true);
}

async function inbox(tab) {
  const recipient = `reader-${RUN}`;
  for (const message of ['First of two', HOSTILE[0]]) await pushMessage({ recipients: [recipient], message, inbox: true });
  await tab.go('/push/inbox');
  await tab.sees('Whose inbox?');
  await tab.fill('Exact recipient', recipient);
  await tab.sees('First of two', '.record');
  await tab.sees('2 unread');
  await tab.review('push-inbox');
  await tab.page.click('.record [data-choose]');
  await tab.click('button', 'Mark as read');
  await tab.sees('1 unread');
  await tab.sees('Read', '.record');
  const readAt =
    'query ($recipient: String!) { inbox(recipient: $recipient, filter: { read: true }) { items { message } unread } }';
  const { items, unread } = (await push(readAt, { recipient })).inbox;
  check('a message is marked as read, newest first', items[0]?.message === HOSTILE[0] && unread === 1);
  await tab.page.click('.record [data-choose]');
  await tab.click('button', 'Archive 1');
  await tab.page.waitForSelector('[role=alertdialog]');
  await tab.review('push-archive');
  await tab.page.click('[role=alertdialog] .danger');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 1);
  await tab.go(`/push/inbox?${new URLSearchParams({ recipient, show: 'archived' })}`);
  await tab.sees('Archived', '.record');
  await tab.page.click('.record');
  await tab.sees('Show inbox', '.detail');
  check('an archived message leaves the inbox, and is found among the archived ones', true);
}

async function everyone(tab) {
  const text = `Fire drill ${RUN}`;
  await tab.click('link', 'Broadcasts');
  await tab.click('button', 'New message');
  await tab.click('button', 'Everyone');
  await tab.write('Message', text);
  await tab.click('button', '1 day');
  await tab.click('button', 'Send message');
  await tab.click('link', 'Show broadcast');
  await tab.sees(text, '.detail');
  await tab.review('push-global');
  await tab.click('button', 'Cancel message');
  await tab.sees(`Cancel “${text}”?`, '[role=alertdialog]');
  await tab.page.click('[role=alertdialog] .danger');
  await tab.sees('Cancelled', '.detail');
  check('a message to everyone is pushed and cancelled', true);
}

/** Values that are scripts stand in every place that shows a value of others. */
async function hostile(tab) {
  for (const value of HOSTILE) {
    await pushMessage({
      recipients: [`${value}${RUN}`],
      message: value,
      topic: value,
      expiresAt: new Date(Date.now() + HOUR_MS).toISOString(),
    });
  }
  const recipient = `${HOSTILE[0]}${RUN}`;
  await tab.go(`/push?${new URLSearchParams({ recipient, topic: HOSTILE[0] })}`);
  await tab.sees(HOSTILE[0], '.record');
  await tab.page.click('.record');
  await tab.sees(HOSTILE[0], '.push-text');
  await tab.go('/push');
  await tab.sees(HOSTILE.at(-1), '.record');
  await tab.go(`/push/online/${encodeURIComponent(recipient)}`);
  await tab.sees(recipient, '.detail h2');
  await tab.go('/push/clients');
  await tab.fill('Recipient', recipient);
  await tab.fill('Topic', HOSTILE[0]);
  await tab.click('button', 'Connect');
  await tab.sees(HOSTILE[0], '.push-received-text');
  check('stored scripts are shown as the texts that they are', true);
}

async function phone(browser) {
  const tab = await StudioTab.open(browser, { address, key, path: '/push', size: PHONE });
  await tab.page.waitForSelector('.record');
  const isNarrow = () => tab.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  check('the list fits a phone', await isNarrow());
  await tab.page.click('.record');
  await tab.page.waitForSelector('.push-way');
  check('a message fits a phone', await isNarrow());
  await tab.axe('a message on a phone');
  await tab.shot('push-message');
  tab.checkClean('on a phone');
}

const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key, path: '/push/clients' });
  await testClient(tab);
  await pushForm(tab);
  await acknowledgement(tab);
  await liveList(tab);
  await detail(tab);
  await waiting(tab);
  await online(tab);
  await inbox(tab);
  await everyone(tab);
  await hostile(tab);
  tab.checkClean('at a desk');
  await phone(browser);
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
}
finish();
