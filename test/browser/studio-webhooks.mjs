// node test/browser/studio-webhooks.mjs ADDRESS KEY: the page of webhooks of Studio in a real browser, with a real receiver. A webhook is created,
// tested, fails, is sent to again, rotated, switched off and deleted. The server must allow plain http to 127.0.0.1.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const rendering = asker('document-rendering', { address, key });
const createCss = (name) => rendering('mutation ($name: String!) { createCss(input: {name: $name, text: ""}) { id } }', { name });
const webhooks = async () => (await rendering('{ webhooks { items { id url active description events } } }')).webhooks.items;

const answers = { status: 204, body: '' };
const received = [];
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  received.push(JSON.parse(body).type);
  response.writeHead(answers.status).end(answers.body);
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const url = `http://127.0.0.1:${receiver.address().port}/hooks`;

/** Ticks the box that stands before a text. */
const tick = (tab, text) =>
  tab.page.evaluate((wanted) => {
    const label = [...document.querySelectorAll('label')].find(({ innerText }) => innerText.includes(wanted));
    label.querySelector('input').click();
  }, text);

async function creation(tab) {
  await tab.sees('No webhooks yet', '.page');
  await tab.review('webhooks-empty');
  await tab.page.keyboard.press('c');
  await tab.sees('New webhook', '[role=dialog]');
  await unfold(tab, 'Templates');
  await tab.fill('URL', 'http://10.0.0.1/');
  await tick(tab, 'stylesheet.created');
  await unfold(tab, 'Log');
  await tick(tab, 'log.edited');
  await tab.click('button', 'Create webhook');
  await tab.sees('private, local or reserved', '[role=dialog]');
  check('an address inside the network is refused, and what was typed stays', (await webhooks()).length === 0);
  await tab.fill('URL', url);
  await tab.fill('Description', HOSTILE[0]);
  await tab.review('webhooks-new');
  await tab.click('button', 'Create webhook');
  await tab.sees('Signing secrets', '[role=dialog]');
  await tab.sees('whsec_', '[role=dialog]');
  await tab.review('webhooks-secret');
  await tab.page.keyboard.press('Escape');
  await tab.page.mouse.click(5, 5);
  await tab.sees('whsec_', '[role=dialog]');
  check('Escape and a click outside leave the secret', true);
  const line = await tab.page.$eval('[role=dialog]', ({ innerText }) => innerText);
  const variables = [...line.matchAll(/WEBHOOK_SECRET_(\w+)=whsec_/g)].map(([, service]) => service);
  check('one form creates a webhook in each service, with a secret of its own', variables.join() === 'TEMPLATES,LOG', line);
  await tick(tab, 'copied them');
  await tab.click('button', 'Done');
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
  await tab.sees('Healthy', '.detail');
  await filters(tab);
  check('the new webhook is open', (await webhooks())[0].url === url);
}

/** Unfolds the events of a service. */
const unfold = (tab, service) =>
  tab.page.evaluate((word) => {
    [...document.querySelectorAll('summary')].find(({ innerText }) => innerText.includes(word)).click();
  }, service);

async function filters(tab) {
  const rows = () => tab.page.$$eval('.record', (all) => all.length);
  check('both webhooks are listed', (await rows()) === 2);
  await tab.click('button', 'Service');
  await tab.click('menuitemradio', 'Log');
  await tab.sees('1 webhook', '.filters');
  await tab.click('button', 'Clear filters');
  await tab.fill('URL or description', 'nowhere');
  await tab.sees('No webhooks match', '.page');
  await tab.click('button', 'Clear filters');
  await tab.sees('2 webhooks', '.filters');
  check('webhooks are filtered by service and text', true);
}

async function testing(tab) {
  await tab.click('button', 'Send test');
  await tab.sees('Send test event', '[role=dialog]');
  await tab.page.select('[role=dialog] select', 'STYLESHEET_CREATED');
  await tab.sees('Sent once with sample data', '[role=dialog]');
  await tab.review('webhooks-test-event');
  await submit(tab);
  await tab.sees('"test": true', '.drawer');
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.drawer', { hidden: true });
  await tab.click('button', 'Send test');
  await tab.sees('Send test event', '[role=dialog]');
  await submit(tab);
  await tab.sees('Test result', '.drawer');
  await tab.sees('"type": "ping"', '.drawer');
  check('a test shows the request and its result', received.join() === 'stylesheet.created,ping', received.join());
  await tab.review('webhooks-test');
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.drawer', { hidden: true });
}

/** Narrow rows show the whole URL and description. */
async function narrow() {
  const input = {
    url: `${url}/${'a-long-path/'.repeat(8)}end`,
    events: ['TEMPLATE_CREATED'],
    description: 'Rebuilds pages. '.repeat(8),
  };
  const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
  const { id } = (await rendering(create, { input })).createWebhook.webhook;
  const tab = await StudioTab.open(browser, { address, key, path: '/webhooks', size: { width: 320, height: 640 } });
  await tab.sees('end\n', '.record');
  const rows = () =>
    tab.page.$$eval('.record', (all) =>
      all.map((row) => {
        const texts = [...row.querySelectorAll('.truncate')].filter(({ offsetParent }) => offsetParent);
        const { top, bottom } = row.getBoundingClientRect();
        return {
          top,
          bottom,
          cut: texts.filter((text) => text.scrollWidth > text.clientWidth).map(({ innerText }) => innerText),
        };
      }),
    );
  const shown = await rows();
  const cut = shown.flatMap((row) => row.cut);
  check('a window of 320 px cuts nothing that tells webhooks apart', shown.length === 3 && cut.length === 0, cut.join());
  // Rows are measured, then moved.
  await until('rows of several lines that follow each other', async () => {
    const sorted = (await rows()).toSorted((one, other) => one.top - other.top);
    return sorted.every(({ top }, at) => at === 0 || Math.abs(top - sorted[at - 1].bottom) < 1);
  });
  await tab.review('webhooks-narrow');
  tab.checkClean('narrow rows');
  await rendering('mutation ($id: ID!) { deleteWebhook(id: $id) { id } }', { id });
}

const submit = (tab) => tab.page.evaluate(() => document.querySelector('[role=dialog] form').requestSubmit());

async function deliveries(tab) {
  Object.assign(answers, { status: 500, body: '<b>out of order</b>' });
  await createCss('failing');
  await tab.sees('Failing for 1 min, 1 waiting', '.detail');
  await tab.sees('The receiver answered with the status 500', '.detail');
  await tab.review('webhooks-failing');
  await tab.page.evaluate(() => [...document.querySelectorAll('.webhooks-deliveries button')].at(0).click());
  await tab.sees('<b>out of order</b>', '.drawer');
  await tab.sees('"name": "failing"', '.drawer');
  check('a delivery shows its request, its response and its next attempt', true);
  await tab.sees('Next attempt', '.drawer');
  await tab.sees('webhook-id: ', '.drawer');
  await tab.review('webhooks-delivery');
  Object.assign(answers, { status: 204, body: '' });
  await tab.click('button', 'Send now');
  await tab.sees('Delivered', '.drawer');
  const attempts = () =>
    tab.page.$$eval('.drawer tbody tr', (rows) => rows.map(({ innerText }) => /\b(500|204)\b/.exec(innerText)?.[0]));
  check(
    'a pending delivery is sent now, and lists its attempts',
    /^204,(500,)*500$/.test((await attempts()).join()),
    (await attempts()).join(),
  );
  const sent = received.length;
  await tab.click('button', 'Resend');
  await until('a delivery that is sent again', () => received.length > sent);
  check('a delivered event is sent again by itself', true);
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.drawer', { hidden: true });
  await createCss('well');
  await tab.sees('Healthy', '.detail');
  check('the webhook is healthy again after a success', true);
  await tab.click('button', 'Status');
  await tab.click('menuitemradio', 'Failed');
  await tab.sees('No deliveries match the filters.', '.detail');
  await tab.click('button', 'Clear filters');
  const before = received.length;
  await tab.click('button', 'Send again');
  await tab.sees('Send events again', '[role=dialog]');
  await tab.page.select('[role=dialog] select', 'DELIVERED');
  await tab.review('webhooks-again');
  await submit(tab);
  await until('events that are sent again', () => received.length > before);
  check('events of a time are sent again', true);
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
}

async function changes(tab) {
  await tab.click('button', 'Edit');
  await tab.fill('Description', 'for the shop');
  await tick(tab, 'stylesheet.deleted');
  await tab.click('button', 'Save');
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
  const [edited] = await webhooks();
  const [sibling] = (await asker('document-log', { address, key })('{ webhooks { items { description } } }')).webhooks.items;
  check('the webhooks of one URL stay in step', sibling.description === 'for the shop', JSON.stringify(sibling));
  check('a webhook is edited', edited.description === 'for the shop' && edited.events.length === 2, JSON.stringify(edited));
  await tab.click('button', 'Rotate secret');
  await tab.sees('The current secret expires', '[role=dialog]');
  await tab.page.evaluate(() => [...document.querySelectorAll('[role=dialog] .actions button')].at(-1).click());
  await tab.sees('whsec_', '[role=dialog]');
  await tick(tab, 'copied it');
  await tab.click('button', 'Done');
  await tab.sees('Old secret expires', '.detail');
  check('a secret is rotated, and the old one says when it expires', true);
  await tab.click('switch', 'Send events');
  await until('a webhook that is off', async () => !(await webhooks())[0].active);
  await tab.sees('Off', '.detail .status');
  check('a webhook is switched off', true);
  const path = tab.page.url();
  await tab.page.reload({ waitUntil: 'domcontentloaded' });
  await tab.sees('for the shop', '.detail');
  check('the address shows the same webhook', tab.page.url() === path);
  await tab.page.setViewport(PHONE);
  await tab.review('webhooks-phone');
  await tab.click('button', 'Delete');
  await tab.sees(`Delete the webhook to ${url}?`, '[role=alertdialog]');
  await tab.page.click('[role=alertdialog] .danger');
  await tab.page.waitForSelector('[role=alertdialog]', { hidden: true });
  await until('a webhook that is deleted', async () => (await webhooks()).length === 0);
  check('a webhook is deleted', true);
}

const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key, path: '/webhooks' });
  for (const part of [creation, narrow, testing, deliveries, changes]) await part(tab);
  tab.checkClean('in all of it');
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
}
finish();
