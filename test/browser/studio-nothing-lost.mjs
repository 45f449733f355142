// node test/browser/studio-nothing-lost.mjs ADDRESS KEY ADMIN_KEY: what must not get lost in Studio: a secret that is shown once, styles of a
// page that was opened offline, the filter that the list shows, the request in the drawer, the way on after a key was revoked, the focus, a mail
// that is being written, and the name of who saves.
import { randomBytes } from 'node:crypto';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { StudioTab } from './studio.mjs';

const { address, key, adminKey } = addressAndKey();
const RUN = randomBytes(4).toString('hex');
const admin = asker('admin', { address, key: adminKey });
const files = asker('file-management', { address, key });
const browser = await launch();
const PARTS = [
  secretIsKept,
  stylesComeBack,
  filterLeavesFoldersOut,
  openRowStays,
  drawerShowsAll,
  revokedKeyIsReplaced,
  focusIsRight,
  mailIsKept,
  saveIsSigned,
];
for (const part of PARTS) await part().catch((error) => check(`the checks of ${part.name} end`, false, error.stack));
await browser.close();
finish();

async function newTenant(name) {
  const { createTenant } = await admin('mutation ($name: String!) { createTenant(input: { name: $name }) { id } }', { name });
  return createTenant.id;
}

async function newKey(tenantId, ...scope) {
  const create = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret key { id } } }';
  return (await admin(create, { input: { tenantId, scope } })).createKey;
}

async function secretIsKept() {
  const tenantId = await newTenant(`secret ${RUN}`);
  const tab = await StudioTab.open(browser, { address, key: adminKey, path: `/tenants/${tenantId}` });
  await tab.click('button', 'New key');
  await tab.fill('Name', 'Shop');
  await tab.click('checkbox', 'Files: read');
  await tab.click('button', 'Create key');
  await tab.page.waitForSelector('[role="dialog"] .snippet');
  const secret = await tab.page.$eval('[role="dialog"] .snippet pre', ({ innerText }) => innerText.trim());
  await tab.page.keyboard.press('Escape');
  await tab.page.mouse.click(5, 5);
  await tab.page.keyboard.press('Escape');
  const isShown = await tab.page.$$eval('[role="dialog"] pre', (all, wanted) => all[0]?.innerText.trim() === wanted, secret);
  check('a secret that is shown once stays through Escape and a click outside', isShown);
  await tab.axe('a secret');
  const line = await tab.page.$$eval('[role="dialog"] pre', (all) => all[1]?.innerText.trim());
  check('with a line for an .env file', line === `KEY=${secret}`, line);
  const isDone = () => tab.page.$eval('[role="dialog"] .button.primary', (button) => !button.ariaDisabled);
  check('a secret cannot be left before it was copied or confirmed as safe', !(await isDone()));
  await tab.click('checkbox', 'I’ve copied it');
  await until('Done', isDone);
  await tab.click('button', 'Done');
  await tab.page.waitForSelector('[role="dialog"]', { hidden: true });
  tab.checkClean('secret');
}

async function stylesComeBack() {
  const tab = await StudioTab.open(browser, { address, key, path: '/' });
  await tab.sees('Overview', 'h1');
  await tab.page.setOfflineMode(true);
  await tab.click('link', 'Push');
  await tab.page.waitForSelector('.shell-lost');
  await tab.click('link', 'Log');
  await tab.page.setOfflineMode(false);
  await tab.sees('Log', 'h1');
  await tab.click('link', 'Push');
  await tab.sees('Push', 'h1');
  await until('the end of the loading', async () => !(await tab.page.$('.shell-lost')));
  // Styles may still load when the pages show their heads. The rules of a failed sheet cannot be read.
  const missing = () =>
    tab.page
      .$$eval('link[rel="stylesheet"]', (all) => all.filter(({ sheet }) => !sheet?.cssRules.length).map(({ href }) => href))
      .catch(() => ['unreadable']);
  await until('all styles', async () => (await missing()).length === 0);
  const left = await missing();
  check(
    'two pages that were opened while the server was down show, with their styles, once it is back',
    !left.length,
    left.join(),
  );
}

async function stored(name) {
  const { createFile } = await files('mutation ($name: String!) { createFile(input: { name: $name }) { id uploadUrl } }', {
    name,
  });
  await fetch(createFile.uploadUrl, { method: 'PUT', body: name, headers: { 'content-type': 'text/plain' } });
  return createFile.id;
}

async function filterLeavesFoldersOut() {
  for (const name of ['a.txt', 'b.txt', 'inner/c.txt', 'other/d.txt']) await stored(`${RUN}/${name}`);
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${RUN}%2F` });
  const rows = () => tab.page.$$eval('.record', (all) => all.map(({ innerText }) => innerText.split('\n')[0]).sort());
  await until('two folders and two files', async () => (await rows()).length === 4);
  await tab.page.keyboard.press('/');
  await tab.page.keyboard.type('a');
  await tab.page.waitForFunction(() => location.search.includes('name=a'));
  await tab.page.waitForNetworkIdle({ idleTime: 300 });
  check(
    'a filter that is chosen leaves out what it does not find, folders too',
    (await rows()).join() === 'a.txt',
    (await rows()).join(),
  );
  tab.checkClean('filter');
}

async function openRowStays() {
  const names = Array.from({ length: 40 }, (_, at) => `${RUN}-many/${String(at).padStart(2, '0')}.txt`);
  for (const name of names) await stored(name);
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${RUN}-many%2F` });
  await tab.sees('39.txt', '.record');
  await tab.page.$eval('.records', (list) => (list.scrollTop = list.scrollHeight));
  await tab.sees('00.txt', '.record');
  const heights = () => tab.page.$$eval('.record', (rows) => [...new Set(rows.map((row) => row.getBoundingClientRect().height))]);
  const alone = await heights();
  await tab.openRecord('02.txt');
  await tab.sees('02.txt', '.detail h2');
  const beside = await heights();
  check(
    'all rows have one height, and another beside a detail',
    alone.length === 1 && beside.length === 1,
    `${alone}; ${beside}`,
  );
  const isInView = await tab.page.evaluate(() => {
    const list = document.querySelector('.records').getBoundingClientRect();
    const row = [...document.querySelectorAll('.record')].find(({ innerText }) => innerText.startsWith('02.txt'));
    const { top, bottom } = row?.getBoundingClientRect() ?? { top: -1 };
    return top >= list.top && bottom <= list.bottom + 1;
  });
  check('the open row is in view', isInView);
}

async function drawerShowsAll() {
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${RUN}-many%2F` });
  await tab.sees('39.txt', '.record');
  await tab.page.keyboard.press('i');
  await tab.page.waitForSelector('.drawer .code-block');
  const cut = await tab.page.$$eval('.drawer .code-block', (all) =>
    all.filter((one) => one.clientHeight < Math.min(one.scrollHeight, 100)).map(({ ariaLabel }) => ariaLabel),
  );
  check('the drawer shows query, variables and answer with the height that they need', cut.length === 0, cut.join());
}

async function revokedKeyIsReplaced() {
  const tenantId = await newTenant(`revoked ${RUN}`);
  const made = await newKey(tenantId, 'file-management-api:query:*', 'email-api:query:*');
  const tab = await StudioTab.open(browser, { address, key: made.secret });
  // Without what asks again by itself, or when the tab is looked at.
  await tab.page.evaluateOnNewDocument(() => {
    const real = globalThis.setInterval;
    globalThis.setInterval = (run, ms, ...rest) => real(run, ms === 15_000 ? 2 ** 30 : ms, ...rest);
    addEventListener('visibilitychange', (event) => event.stopImmediatePropagation(), true);
  });
  await tab.go('/files');
  await tab.sees('Files', 'h1');
  await admin('mutation ($id: ID!) { revokeKey(id: $id) { id } }', { id: made.key.id });
  await until(
    'the refusal',
    async () => (await fetch(`${address}/key`, { headers: { 'x-api-key': made.secret } })).status === 401,
  );
  await tab.click('link', 'Email');
  await tab.sees('Service access key');
  await tab.sees('revoked', 'form');
  check('a key that was revoked leads to where another is entered', (await tab.page.$('input[type="password"]')) !== null);
  await tab.fill('Service access key', key);
  await tab.click('button', 'Sign in');
  await tab.sees('Email', 'h1');
  check('a page continues with another key', true);
}

function focused(tab) {
  return tab.page.evaluate(() => document.activeElement?.labels?.[0]?.innerText ?? document.activeElement?.innerText);
}

async function focusIsRight() {
  const login = await StudioTab.open(browser, { address });
  await login.sees('Service access key');
  check('the field of the key has the focus', (await focused(login)) === 'Service access key', await focused(login));
  const tab = await StudioTab.open(browser, { address, key: adminKey, path: '/tenants' });
  await tab.sees('New tenant');
  await tab.click('button', 'New tenant');
  await tab.page.waitForSelector('[role="dialog"]');
  await until('the focus', async () => (await focused(tab)) !== 'New tenant').catch(() => undefined);
  check('a dialog begins in its first field', (await focused(tab)) === 'Name', await focused(tab));
  await tab.go('/email');
  await tab.page.waitForSelector('#content');
  await tab.page.keyboard.press('Tab');
  check('the first Tab offers to skip to the content', (await focused(tab)) === 'Skip to content', await focused(tab));
  await tab.page.keyboard.press('Enter');
  const isThere = await tab.page.evaluate(() => document.activeElement === document.querySelector('main'));
  check('the skip link moves the focus to the content', isThere);
}

async function mailIsKept() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email/compose' });
  const subject = () => tab.page.$eval('::-p-aria([name="Subject"])', ({ value }) => value);
  await tab.fill('Subject', `Hello ${RUN}`);
  await tab.page.reload();
  await tab.sees('New email');
  check('a mail that is being written survives a reload', (await subject()) === `Hello ${RUN}`, await subject());
  await tab.click('button', 'Discard');
  await tab.sees('Draft discarded');
  await tab.go('/email/compose');
  await tab.sees('New email');
  check('a discarded draft does not come back', (await subject()) === '', await subject());
  tab.checkClean('a mail that is kept');
}

async function saveIsSigned() {
  const tenantId = await newTenant(`signed ${RUN}`);
  const create = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }';
  const scope = ['document-rendering-api:query:*', 'document-rendering-api:mutation:*'];
  const template = 'mutation ($input: CreateTemplateInput!) { createTemplate(input: $input) { id } }';
  for (const name of ['Ann', undefined]) {
    const { secret } = (await admin(create, { input: { tenantId, scope, ...(name && { name }) } })).createKey;
    const rendering = asker('document-rendering', { address, key: secret });
    const input = { name: `by ${name}`, type: 'document', contentType: 'plain', body: 'x', author: { name: 'Tomás Ruiz' } };
    const { id } = (await rendering(template, { input })).createTemplate;
    const tab = await StudioTab.open(browser, { address, key: secret, path: `/templates/${id}` });
    await tab.page.waitForSelector('[aria-label="Body"][contenteditable]');
    await tab.page.focus('[aria-label="Body"][contenteditable]');
    await tab.page.keyboard.type('more ');
    await tab.click('button', 'Save');
    const read = 'query ($ids: [String]) { templates(filter: { ids: $ids }) { items { version author { name } } } }';
    const saved = async () => (await rendering(read, { ids: [id] })).templates.items[0];
    await until('the template to be saved', async () => (await saved()).version > 1);
    const { author } = await saved();
    check(
      `a save by a key called ${name} is not signed by another`,
      (author?.name ?? undefined) === name,
      JSON.stringify(author),
    );
  }
}
