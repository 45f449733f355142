// node test/browser/studio-email.mjs ADDRESS KEY [ADMIN_KEY]: the page Email of Studio: a mail is written with a file, one is made of a
// template, both are seen as their readers see them; mails are filtered and arrive; a sender is asked and deleted.
import { createServer } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const email = asker('email', { address, key });
const rendering = asker('document-rendering', { address, key });
// Unique, so that it can run again.
const RUN = Date.now().toString(36);
const TEMPLATE = `order ${RUN}`;
const EVE = `eve-${RUN}@example.com`;
const SENDER = `shop-${RUN}@example.com`;
const FOREIGN_IMAGE = 'https://images.invalid/pixel.png';
const HOSTILE_HTML = `<p id="said">hostile ${RUN}</p><script>hacked()</script><p onclick="hacked()">click</p>
<a href="javascript:hacked()">link</a><style>p { color: red }</style><p style="color: green">green</p><img src="${FOREIGN_IMAGE}"><iframe src="javascript:parent.hacked()"></iframe>`;

/** Everything that connects to a host or leads to it, with no script. */
const CONNECTING = (host) => `<p>connecting ${RUN}</p>
${['preconnect', 'dns-prefetch', 'prefetch', 'preload', 'modulepreload', 'stylesheet', 'icon', 'manifest', 'prerender']
  .map((rel) => `<link rel="${rel}" href="http://${host}/${rel}" as="script">`)
  .join('')}
<meta http-equiv="refresh" content="0;url=http://${host}/refresh"><base href="http://${host}/">
<a href="http://${host}/a" ping="http://${host}/ping">a</a><a href="/studio/icon.svg" target="_self">own</a>
<form action="http://${host}/form"><button formaction="http://${host}/b">send</button><input type="image" src="http://${host}/i"></form>
<svg width="90" height="90"><a xlink:href="http://${host}/svg"><text y="20">x</text></a><a href="/studio/icon.svg"><text y="40">y</text></a>
<a><animate attributeName="href" values="http://${host}/animate" dur="1s" repeatCount="indefinite"/><text y="60">z</text></a>
<a><set attributeName="xlink:href" to="/studio/icon.svg"/><text y="80">w</text></a><use href="http://${host}/u#x"/>
<image href="http://${host}/image"/><foreignObject><a href="http://${host}/f">f</a></foreignObject></svg>
<math><mtext href="http://${host}/math">m</mtext></math><img srcset="http://${host}/set 1x" lowsrc="http://${host}/low">
<video poster="http://${host}/poster" src="http://${host}/video"></video><object data="http://${host}/o"></object><embed src="http://${host}/e">
<iframe src="http://${host}/iframe" srcdoc="<link rel=preconnect href=http://${host}>"></iframe><table background="http://${host}/t"><tr><td>t</table>
<style>@import "http://${host}/css"; p { background: url(http://${host}/url) }</style><map name="m"><area href="http://${host}/area"></map>`;

const send = async (input) =>
  (await email('mutation($i: SendMessageInput!) { sendMessage(input: $i) { id } }', { i: input })).sendMessage.id;
const isSent = async (id) =>
  (await email('query($id: ID!) { messages(filter: {id: $id}) { items { status } } }', { id })).messages.items[0]?.status ===
  'SENT';
const shownId = (tab) => new URL(tab.page.url()).pathname.split('/').at(-1);

const folder = await mkdtemp(join(tmpdir(), 'studio-email-'));
const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await faster(tab);
  await firstSteps(tab);
  await written(tab);
  await fromTemplate(tab);
  await filtered(tab);
  await arriving(tab);
  await sender(tab);
  tab.checkClean('email');
  await phone();
  await copied();
  await hostileMail();
  await connectingMail();
  await foreignScript();
} catch (error) {
  check('the checks of the page end', false, error.stack);
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
finish();

/** Lets what the page does every 15 seconds happen every half second. */
async function faster(tab) {
  await tab.page.evaluateOnNewDocument(() => {
    const real = globalThis.setInterval;
    globalThis.setInterval = (run, ms, ...rest) => real(run, ms === 15_000 ? 500 : ms, ...rest);
  });
  await tab.go('/email');
}

/** The text in the frame that shows html. */
async function framed(tab, text) {
  const seen = () =>
    tab.page
      .frames()
      .filter((frame) => frame.url().endsWith('/studio/frame.html'))
      .map((frame) => frame.evaluate(() => document.body.innerText).catch(() => ''));
  await until(`${text} in the frame`, async () => (await Promise.all(seen())).some((one) => one.includes(text)));
}

async function paste(tab, label, text) {
  await tab.page.locator(`::-p-aria([name="${label}"][role="combobox"])`).click();
  await tab.page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

async function firstSteps(tab) {
  await tab.sees('Email', 'h1');
  const { messages } = await email('{ messages(limit: 1) { items { id } } }');
  if (messages.items.length > 0) return;
  await tab.sees('No emails yet');
  const snippet = await tab.page.$eval('.snippet', (element) => element.innerText);
  check('an empty outbox shows a request with the address of this server', snippet.includes(`${address}/email/graphql`), snippet);
  await tab.review('email-empty');
}

async function written(tab) {
  const file = join(folder, `report ${RUN}.csv`);
  await writeFile(file, 'number,total\n1,2\n');
  await tab.page.keyboard.press('c');
  await tab.sees('New email', 'h1');
  await tab.click('button', 'Send');
  await tab.sees('Add at least one recipient.');
  check('a mail to nobody is not sent, and its field says why', (await tab.page.$$('[aria-invalid="true"]')).length > 0);
  await tab.axe('faults of a mail');
  await paste(tab, 'To', `Ann <ann@example.com>, "Miller, Ben" <ben@example.com>\ncleo@example.com; not an address`);
  await tab.sees('Miller, Ben', '.token-token');
  const chips = await tab.page.$$eval('.token-token', (all) => all.map(({ innerText }) => innerText.trim()));
  check(
    'a list that is pasted becomes one chip for each address',
    chips.join() === 'Ann,Miller, Ben,cleo@example.com',
    chips.join(),
  );
  await tab.sees('is not an email address');
  await tab.page.keyboard.down('Control');
  await tab.page.keyboard.press('a');
  await tab.page.keyboard.up('Control');
  await tab.page.keyboard.press('Backspace');
  await tab.page.keyboard.type('dan@example.com,');
  await tab.sees('dan@example.com', '.token-token');
  await tab.page.keyboard.type('fay@example.com');
  await tab.page.keyboard.press('Enter');
  await tab.sees('fay@example.com', '.token-token');
  await tab.page.keyboard.press('Backspace');
  await tab.page.waitForFunction(() => document.querySelectorAll('.token-token').length === 4);
  check('Enter ends a value, Backspace removes the last one', true);
  await tab.click('button', 'Remove cleo@example.com');
  await tab.fill('Subject', `Report ${RUN}`);
  await tab.page.locator('::-p-aria([name="To"][role="combobox"])').click();
  await tab.page.keyboard.type('eve@example..com ');
  await tab.page.locator('textarea').fill('x');
  await tab.click('button', 'Send');
  await tab.sees('eve@example..com:', '.fault');
  check('an address that the service refuses is named at its field', true);
  await tab.click('button', 'Remove eve@example..com');
  await tab.page.locator('textarea').fill(`Hello ${RUN}`);
  await (await tab.page.$('input[type="file"]')).uploadFile(file);
  await tab.sees('1 file');
  await tab.sees(`Hello ${RUN}`, '.email-preview');
  await tab.review('email-compose');
  await tab.click('button', 'Send');
  await tab.sees(`Report ${RUN}`, '.detail h2');
  await tab.sees('Sent', '.detail .status');
  await tab.sees(`Hello ${RUN}`, '.email-text');
  const recipients = await tab.page.$$eval('.email-recipients > li', (all) => all.map(({ innerText }) => innerText));
  check(
    'the page of the mail has a state for each recipient',
    recipients.length === 3 && recipients.every((text) => text.includes('Sent')),
    recipients.join(),
  );
  await tab.click('tab', 'Attachments (1)');
  await tab.sees(`report ${RUN}.csv`, '.email-files');
  check('the mail was sent', await isSent(shownId(tab)));
  await tab.review('email-mail');
}

async function fromTemplate(tab) {
  await rendering('mutation($i: CreateTemplateInput!) { createTemplate(input: $i) { id } }', {
    i: {
      name: TEMPLATE,
      type: 'email',
      contentType: 'html',
      subject: 'Order {{order.number}}',
      body: '<p>Thank you, {{customer.name}}</p>',
    },
  });
  await tab.go('/email/compose');
  await paste(tab, 'To', EVE);
  await tab.click('tab', 'Template');
  await tab.page.locator('::-p-aria([name="Template"][role="combobox"])').fill(TEMPLATE);
  await tab.click('option', TEMPLATE);
  const values = () => tab.page.$eval('textarea', ({ value }) => value);
  await until('the names of the template', async () => (await values()).includes('"number"'));
  check('the values of a template are prefilled', (await values()).includes('"customer"'), await values());
  await tab.write('Data', '{"order": {"number": ');
  await tab.sees('Invalid JSON');
  await tab.write('Data', JSON.stringify({ order: { number: RUN }, customer: {} }));
  await tab.sees('1 value is missing: customer.name', '.email-preview');
  await tab.write('Data', JSON.stringify({ order: { number: RUN }, customer: { name: 'Eve' } }));
  await tab.sees(`Order ${RUN}`, '.email-preview');
  await framed(tab, 'Thank you, Eve');
  await tab.shot('email-template');
  await tab.click('button', 'Send');
  await tab.sees(`Order ${RUN}`, '.detail h2');
  await framed(tab, 'Thank you, Eve');
  check('a mail made of a template is shown as its reader sees it', true);
  await tab.click('button', 'Duplicate');
  const html = await tab.page.waitForFunction(() => document.querySelector('textarea')?.value);
  check('a mail can be sent again as a new one', (await html.jsonValue()).includes('Thank you, Eve'));
  await tab.click('button', 'Discard');
  await tab.sees('Outbox', '.page-tabs');
}

/** A copy keeps the images that the HTML shows, and says what it cannot have. */
async function copied() {
  const files = asker('file-management', { address, key });
  const { createFile } = await files('mutation { createFile(input: {name: "logo.png"}) { id uploadUrl } }');
  await fetch(createFile.uploadUrl, { method: 'PUT', body: 'x', headers: { 'content-type': 'image/png' } });
  const subject = `Images ${RUN}`;
  const id = await send({
    to: [{ address: EVE }],
    subject,
    htmlBody: '<img src="cid:logo"><img src="cid:pixel">',
    attachments: [{ fileId: createFile.id, name: 'logo.png', contentId: 'logo' }],
    inlineAttachments: [{ name: 'pixel.png', contentType: 'image/png', content: 'eA==', contentId: 'pixel' }],
  });
  const tab = await StudioTab.open(browser, { address, key, path: `/email/compose?like=${id}` });
  await tab.sees('Not copied, since only the email has them: pixel.png');
  await tab.sees('1 file, 1 B');
  await tab.click('button', 'Send');
  await tab.sees(subject, '.detail h2');
  const query = 'query($id: ID!) { messages(filter: {id: $id}) { items { content { attachments { contentId fileId } } } } }';
  const { messages } = await email(query, { id: shownId(tab) });
  const [image, ...others] = messages.items[0].content.attachments;
  const isWhole = image.contentId === 'logo' && image.fileId === createFile.id && others.length === 0;
  check('a copy of a mail shows its stored images, and names those that only the mail had', isWhole && shownId(tab) !== id);
  tab.checkClean('a copy');
}

/** A mail with everything that must neither run nor load. The policy of its frame says on the console what it kept from happening. */
async function hostileMail() {
  const id = await send({
    to: HOSTILE.map((name, at) => ({ address: `hostile${at}-${RUN}@example.com`, name })),
    subject: `${HOSTILE.join(' ')} ${RUN}`,
    htmlBody: HOSTILE_HTML,
    textBody: HOSTILE.join('\n'),
  });
  const tab = await StudioTab.open(browser, { address, key, path: `/email/${id}` });
  await tab.sees(RUN, '.detail h2');
  await framed(tab, `hostile ${RUN}`);
  await tab.sees('images.invalid', '.notice');
  const frame = tab.page.frames().find((one) => one.url().endsWith('/studio/frame.html'));
  check('a link of a mail leads nowhere here', (await frame.$$('a[href]')).length === 0);
  const handlers = await frame.evaluate(() =>
    [...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames()).filter((name) => name.startsWith('on')),
  );
  check('nothing of a mail handles an event', handlers.length === 0, handlers.join());
  check('a script or a frame of a mail is left out', (await frame.$$('script, iframe')).length === 0);
  await tab.shot('email-hostile');
  await tab.click('tab', 'Text');
  await tab.sees(HOSTILE[0], '.email-text');
  const isOfFrame = (fault) => /script-src 'sha256-|CSP violation: script-src-attr inline/.test(fault);
  tab.faults = tab.faults.filter((fault) => !isOfFrame(fault));
  tab.checkClean('hostile mail');
}

/** A server that counts connections, whatever is sent through them. */
async function counter() {
  const counted = { connections: 0 };
  const listener = createServer((socket) => {
    counted.connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  return Object.assign(counted, { host: `127.0.0.1:${listener.address().port}`, end: () => listener.close() });
}

async function connectingMail() {
  const [ofMail, ofControl] = [await counter(), await counter()];
  const id = await send({
    to: [{ address: EVE }],
    subject: `connecting ${RUN}`,
    htmlBody: CONNECTING(ofMail.host),
    textBody: 't',
  });
  const tab = await StudioTab.open(browser, { address, key, path: `/email/${id}` });
  await framed(tab, `connecting ${RUN}`);
  const frame = tab.page.frames().find((one) => one.url().endsWith('/studio/frame.html'));
  await frame.evaluate(() => {
    for (const element of document.querySelectorAll('*'))
      element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  });
  // Later than the mail, the same hint in a page without protection shows that this browser connects and that the counter counts.
  const control = await browser.newPage();
  await control.setContent(`<link rel="preconnect" href="http://${ofControl.host}">`);
  await until('a connection of the control', () => ofControl.connections > 0);
  await control.close();
  check('a mail opens no connection, by a hint, an address or a click', ofMail.connections === 0, String(ofMail.connections));
  check(
    'a mail cannot navigate its frame',
    tab.page.frames().some((one) => one === frame && one.url().endsWith('/studio/frame.html')),
  );
  await framed(tab, `connecting ${RUN}`);
  ofMail.end();
  ofControl.end();
}

/** A public file of a tenant has the origin of Studio, and is no script or style of it. */
async function foreignScript() {
  const files = asker('file-management', { address, key });
  const stored = async (name, contentType, body) => {
    const input = { name, contentType, public: true };
    const { createFile } = await files('mutation($i: CreateFileInput) { createFile(input: $i) { id uploadUrl } }', { i: input });
    await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from(body) });
    return (await files('query($id: ID!) { file(ID: $id) { downloadUrl } }', { id: createFile.id })).file.downloadUrl;
  };
  const script = await stored('a.js', 'text/javascript', 'globalThis.foreignRan = true');
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await tab.sees('Email', 'h1');
  const outcome = await tab.page.evaluate(async (src) => {
    const element = Object.assign(document.createElement('script'), { src });
    const done = new Promise((resolve) =>
      ['load', 'error'].forEach((name) => element.addEventListener(name, () => resolve(name))),
    );
    document.head.append(element);
    return `${await done} ${globalThis.foreignRan}`;
  }, script);
  check('a public file of a tenant is no script of Studio', outcome === 'error undefined', outcome);
  check(
    'a policy violation is reported for that script',
    tab.faults.some((fault) => fault.startsWith('CSP violation: script-src')),
    tab.faults.join(),
  );
}

async function filtered(tab) {
  await tab.go('/email');
  await tab.sees(`Report ${RUN}`, '.record');
  await tab.review('email-list');
  await tab.page.keyboard.press('/');
  const sought = EVE.split('@')[0].toUpperCase();
  await tab.page.keyboard.type(sought.slice(0, 2));
  await tab.sees('Enter at least 3 characters');
  await tab.page.keyboard.type(sought.slice(2));
  await tab.page.waitForFunction((text) => location.search.includes(`contains=${text}`), {}, sought);
  const shown = () => tab.page.$$eval('.record', (all) => all.map(({ innerText }) => innerText));
  await until('the mails to one person', async () => {
    const rows = await shown();
    return rows.length > 0 && rows.every((row) => row.includes(EVE));
  });
  check('a part of an address finds its mails in any letter case, and is in the address', true);
  await tab.click('button', 'Status');
  await tab.click('menuitemradio', 'Failed');
  await tab.page.waitForFunction(() => location.search.includes('status=FAILED'));
  await tab.sees('No emails match');
  await tab.click('button', 'Clear filters');
  await tab.sees(`Report ${RUN}`, '.record');
}

async function arriving(tab) {
  await tab.go('/email');
  await tab.sees(`Report ${RUN}`, '.record');
  const before = await tab.page.$eval('.record', ({ innerText }) => innerText);
  await send({ to: [{ address: 'new@example.com' }], subject: `Arrived ${RUN}`, textBody: 'x' });
  await tab.sees('1 new', '.new-records');
  const still = await tab.page.$eval('.record', ({ innerText }) => innerText);
  check('a mail that arrives is offered, and moves nothing', before.split('\n')[1] === still.split('\n')[1], still);
  await tab.click('button', '1 new');
  await tab.sees(`Arrived ${RUN}`, '.record');
}

async function sender(tab) {
  await tab.page.locator('.page-tabs a[href$="/senders"]').click();
  await tab.page.waitForFunction(() => location.pathname.endsWith('/email/senders'));
  await tab.page.keyboard.press('c');
  await tab.fill('Address', 'no address');
  await tab.click('button', 'Send link');
  await tab.page.waitForSelector('[role="dialog"] .fault');
  await tab.review('email-verify');
  await tab.page.locator('[role="dialog"] input').fill(SENDER);
  await tab.click('button', 'Send link');
  await tab.sees(SENDER, '.detail h2');
  await tab.sees('Pending', '.detail .status');
  await tab.shot('email-sender');
  await tab.click('button', 'Delete');
  await tab.sees(`Delete ${SENDER}?`, '[role="alertdialog"]');
  await tab.review('email-delete');
  await tab.click('button', 'Delete sender');
  await tab.page.waitForFunction((name) => !document.body.innerText.includes(name), {}, SENDER);
  const { emailIdentities } = await email('{ emailIdentities { address } }');
  check('a sender is asked, and deleted', !emailIdentities.some((one) => one.address === SENDER));
}

async function phone() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email', size: PHONE });
  const isNarrow = async (what) => {
    const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
    check(`a phone shows ${what} without scrolling sideways`, width <= PHONE.width, String(width));
  };
  await tab.sees(`Arrived ${RUN}`, '.record');
  await isNarrow('the outbox');
  await tab.axe('the outbox on a phone');
  await tab.shot('email-list');
  await tab.page.locator(`::-p-xpath(//*[@role='row'][contains(., 'Arrived ${RUN}')])`).click();
  await tab.sees('History', '.detail');
  await isNarrow('a mail');
  await tab.axe('a mail on a phone');
  await tab.shot('email-mail');
  await tab.go('/email/compose');
  await tab.sees('New email', 'h1');
  await isNarrow('a mail that is written');
  tab.checkClean('phone');
}
