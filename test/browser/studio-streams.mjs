// node test/browser/studio-streams.mjs ADDRESS KEY: the streams of the log of Studio in a real browser, with a real receiver. A stream is
// refused, created, fails, is edited, rewound, paused and deleted. The server must allow plain http to 127.0.0.1.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const log = asker('document-log', { address, key });
const write = (documentId) =>
  log('mutation($id:ID!){createLog(input:{documentId:$id,documentType:"order",dateTime:"2026-01-15"}){itemId}}', {
    id: documentId,
  });
const streams = async () =>
  (await log('{logStreams{items{id name active format waiting destination{url headers}}}}')).logStreams.items;

let status = 204;
const received = [];
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (status === 204) received.push({ body, secret: request.headers['x-key'] });
  response.writeHead(status).end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const url = `http://127.0.0.1:${receiver.address().port}/in`;
const submit = (tab) => tab.page.evaluate(() => document.querySelector('[role=dialog] form').requestSubmit());

async function creation(tab) {
  await tab.sees('No streams yet', '.page');
  await tab.review('streams-empty');
  await tab.click('button', 'New stream');
  await tab.fill('Name', 'SIEM');
  await tab.fill('URL', 'http://10.0.0.1/');
  await tab.click('button', 'Create stream');
  await tab.sees('private, local or reserved', '[role=dialog]');
  check('an address inside the network is refused, and what was typed stays', (await streams()).length === 0);
  await tab.fill('URL', url);
  await tab.fill('Header name', 'X-Key');
  await tab.fill('Header value', 'a secret');
  await tab.review('streams-new');
  await tab.click('button', 'Create stream');
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
  await tab.sees('Healthy', '.detail');
  await write('first');
  await until('the first record', () => received.some(({ body, secret }) => body.includes('"first"') && secret === 'a secret'));
  await tab.sees('All records sent', '.detail');
  const page = await tab.page.$eval('body', ({ innerText }) => innerText);
  check('a record arrives with the secret, which the page does not show', !page.includes('a secret'));
  await tab.review('streams-healthy');
}

async function failure(tab) {
  status = 500;
  await write('second');
  await tab.sees('The server responded with status 500', '.detail');
  await tab.sees('1 record waiting', '.detail');
  check('a failure says its reason and what waits', true);
  await tab.review('streams-failing');
  await tab.click('button', 'Edit');
  await tab.fill('Header value', 'another');
  await submit(tab);
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
  status = 204;
  await until('the waiting record', () => received.some(({ body, secret }) => body.includes('"second"') && secret === 'another'));
  await tab.sees('Healthy', '.detail');
  check('an edited stream continues with its new secret', true);
}

async function changes(tab) {
  const before = received.length;
  await tab.click('button', 'Rewind');
  await tab.page.$eval('[role=dialog] input', (input) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '2020-01-01T00:00');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await submit(tab);
  await until('records that are sent again', () => received.slice(before).some(({ body }) => body.includes('"first"')));
  check('a rewound stream sends again', true);
  await tab.page.waitForSelector('[role=dialog]', { hidden: true });
  await tab.click('switch', 'Send records');
  await until('a stream that is off', async () => !(await streams())[0].active);
  await tab.sees('Paused', '.detail .status');
  const path = tab.page.url();
  await tab.page.reload({ waitUntil: 'domcontentloaded' });
  await tab.sees('SIEM', '.detail');
  check('the address shows the same stream', tab.page.url() === path);
  await tab.page.setViewport(PHONE);
  await tab.review('streams-phone');
  await tab.click('button', 'Delete');
  await tab.sees('Delete the stream SIEM?', '[role=alertdialog]');
  await tab.page.click('[role=alertdialog] .danger');
  await tab.sees('No streams yet', '.page');
  check('a stream is deleted', (await streams()).length === 0);
}

const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key, path: '/log/streams' });
  for (const part of [creation, failure, changes]) await part(tab);
  tab.checkClean('in all of it');
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
}
finish();
