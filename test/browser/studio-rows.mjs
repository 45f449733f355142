// node test/browser/studio-rows.mjs ADDRESS KEY: lists as their window allows, chosen columns, saved views, CSV, actions on all that match, drafts that
// survive, folders as a tree, requests as programs, and times in UTC.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const RUN = randomBytes(4).toString('hex');
const FORMULA = `=HYPERLINK("http://example.com") ${RUN}`;
const MANY = 120;
const email = asker('email', { address, key });
const files = asker('file-management', { address, key });
const browser = await launch();
const PARTS = [
  makeData,
  fitsWindows,
  choosesColumns,
  savesViews,
  writesCsv,
  actsOnAll,
  keepsDrafts,
  movesInTree,
  copiesCode,
  showsUtc,
];
for (const part of PARTS) await part().catch((error) => check(`the checks of ${part.name} end`, false, error.stack));
await browser.close();
finish();

async function makeData() {
  const sendAt = new Date(Date.now() + 86_400_000);
  const messages = Array.from({ length: MANY }, (_, at) => ({
    to: [{ address: `many-${at}-${RUN}@example.com` }],
    subject: `Many ${RUN}`,
    textBody: 'x',
    sendAt,
  }));
  for (let at = 0; at < MANY; at += 60) {
    await email('mutation($i: SendMessagesInput!) { sendMessages(input: $i) { __typename } }', {
      i: { messages: messages.slice(at, at + 60) },
    });
  }
  await email('mutation($i: SendMessageInput!) { sendMessage(input: $i) { id } }', {
    i: { to: { address: `ann-${RUN}@example.com` }, subject: FORMULA, textBody: 'x' },
  });
  for (const name of [`${RUN}/a.txt`, `${RUN}/inner/b.txt`]) {
    const { createFile } = await files('mutation ($i: CreateFileInput) { createFile(input: $i) { uploadUrl } }', { i: { name } });
    await fetch(createFile.uploadUrl, { method: 'PUT', body: 'content' });
  }
}

/** Headers of the columns that have room. */
function heads(tab) {
  return tab.page.$$eval('[role="columnheader"][data-word]', (all) =>
    all.filter(({ offsetParent }) => offsetParent).map(({ dataset }) => dataset.word),
  );
}

async function fitsWindows() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email', size: PHONE });
  await tab.page.waitForSelector('.records.two-lines .record');
  const narrow = (await heads(tab)).join();
  check('a narrow list has who and when in the first line of a row', narrow === 'To,Time', narrow);
  await tab.review('rows-narrow');
  await tab.page.setViewport({ width: 1920, height: 1080 });
  await tab.page.waitForSelector('.records:not(.two-lines)');
  await until('the widest column', async () => (await heads(tab)).includes('Attempts'));
  const all = (await heads(tab)).join();
  check('a wide list has more columns', all === 'Status,To,Subject,Reason,From,Attempts,Time', all);
  const { list, main } = await tab.page.evaluate(() => ({
    list: document.querySelector('.records').offsetWidth,
    main: document.querySelector('main').offsetWidth,
  }));
  check('a list has all of a wide window', list === main, `${list} of ${main}`);
  await tab.review('rows-wide');
  await tab.page.locator('.record').click();
  await tab.page.waitForSelector('.records.two-lines');
  check('an open detail leaves two lines a row, even in a wide window', (await heads(tab)).join() === 'To,Time');
  tab.checkClean('rows');
}

/** Chooses an option of the list. */
async function option(tab, role, name) {
  await tab.click('button', 'List options');
  await tab.page.waitForSelector('[role="menu"]');
  await tab.click(role, name);
}

async function choosesColumns() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await tab.page.waitForSelector('.record');
  await option(tab, 'menuitemcheckbox', 'From');
  await tab.axe('list options');
  await tab.page.keyboard.press('Escape');
  await until('the column', async () => (await heads(tab)).includes('From'));
  await option(tab, 'menuitemcheckbox', 'Status');
  await tab.page.keyboard.press('Escape');
  await tab.page.reload({ waitUntil: 'domcontentloaded' });
  await tab.page.waitForSelector('.record');
  const shown = (await heads(tab)).join();
  check('chosen columns stay in the browser', shown.includes('From') && !shown.includes('Status'), shown);
  await option(tab, 'menuitem', 'Reset columns');
  await until('the usual columns', async () => (await heads(tab)).includes('Status') && !(await heads(tab)).includes('From'));
  tab.checkClean('columns');
}

async function savesViews() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email?scheduled=true' });
  await tab.page.waitForSelector('.record');
  await option(tab, 'menuitem', 'Save view');
  await tab.fill('Name', 'Waiting');
  await tab.axe('saving a view');
  await tab.click('button', 'Save');
  await tab.go('/email');
  await tab.page.waitForSelector('.record');
  await option(tab, 'menuitem', 'Waiting');
  await tab.page.waitForFunction(() => location.search === '?scheduled=true');
  check('a saved view brings its filters back', true);
  await tab.page.evaluate(() => localStorage.setItem('studio-views:Emails', '{"wrong":1}'));
  await tab.go('/email');
  await tab.page.waitForSelector('.record');
  check('damaged settings of the browser are ignored', true);
  tab.checkClean('views');
}

/** Returns what a page saves as a file. */
async function saved(tab, press) {
  await tab.page.evaluate(() => {
    globalThis.saved = undefined;
    URL.createObjectURL = (blob) => {
      void blob.text().then((text) => (globalThis.saved = text));
      return '#';
    };
    HTMLAnchorElement.prototype.click = () => undefined;
  });
  await press();
  return (await tab.page.waitForFunction(() => globalThis.saved)).jsonValue();
}

async function writesCsv() {
  const tab = await StudioTab.open(browser, { address, key, path: `/email?contains=${RUN}` });
  await tab.page.waitForSelector('.record');
  const csv = await saved(tab, () => option(tab, 'menuitem', 'Download CSV'));
  await tab.axe('download as CSV');
  const lines = csv.trim().split('\r\n');
  check('a list is saved as CSV, beyond what is loaded', lines.length === MANY + 2, String(lines.length));
  check(
    'no cell of it is a formula',
    csv.includes(`"'=HYPERLINK`) && !/(^|,)"?=/m.test(csv),
    lines.find((line) => line.includes('HYPERLINK')),
  );
  await tab.go(`/files?folder=${RUN}%2F`);
  await tab.sees('a.txt', '.record');
  const ofFiles = await saved(tab, () => option(tab, 'menuitem', 'Download CSV'));
  check('no signed URL is saved', ofFiles.includes(`${RUN}/a.txt`) && !/signature|downloadUrl/.test(ofFiles), ofFiles);
  tab.checkClean('CSV');
}

async function actsOnAll() {
  const tab = await StudioTab.open(browser, { address, key, path: `/email?scheduled=true&contains=${RUN}` });
  await tab.page.waitForSelector('.record');
  await tab.click('checkbox', 'Select all 100 emails loaded so far');
  await tab.sees('100 selected', '.list-head');
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.list-head.chosen', { hidden: true });
  check('Escape clears a selection', true);
  await tab.click('checkbox', 'Select all 100 emails loaded so far');
  await tab.click('button', 'Select all that match');
  await tab.sees(`${MANY} selected`, '.list-head');
  check('all that match are selected, beyond what is loaded', true);
  await tab.review('rows-selected');
  await tab.click('button', `Cancel ${MANY}`);
  await tab.axe('question before many are cancelled');
  await tab.click('button', 'Cancel emails');
  await tab.sees(`${MANY} emails cancelled`, '.toast');
  const query = 'query($f: EmailMessagesFilter) { messages(filter: $f, limit: 1000) { items { status } } }';
  const { messages } = await email(query, { f: { contains: `Many ${RUN}` } });
  const states = messages.items.map(({ status }) => status);
  check('many emails are cancelled at once', states.length === MANY && states.every((one) => one === 'FAILED'), states.join());
  tab.checkClean('many emails');
}

async function keepsDrafts() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email/compose' });
  await tab.page.waitForSelector('form');
  await tab.click('button', 'Send');
  await tab.page.waitForFunction(() => document.activeElement.ariaLabel === 'To');
  check('the first fault of a form has the focus', true);
  await tab.fill('Subject', `Draft ${RUN}`);
  await tab.page.reload({ waitUntil: 'domcontentloaded' });
  await tab.page.waitForFunction(
    (text) => [...document.querySelectorAll('input')].some(({ value }) => value === text),
    {},
    `Draft ${RUN}`,
  );
  check('a draft survives a reload', true);
  await tab.go('/email/drafts');
  await tab.sees(`Draft ${RUN}`, '.record');
  await tab.review('email-drafts');
  await tab.openRecord('No recipients');
  await tab.page.waitForFunction(
    (text) => [...document.querySelectorAll('input')].some(({ value }) => value === text),
    {},
    `Draft ${RUN}`,
  );
  check('a draft opens from the list of drafts', true);
  await tab.click('tab', 'HTML');
  await tab.write('HTML', '<p>Hello</p>');
  await tab.page.waitForSelector('iframe.frame');
  await tab.page.evaluate(() => document.activeElement.blur()); // its caret blinks
  await tab.review('email-html');
  await tab.go('/email');
  await tab.click('button', 'Menu');
  await tab.click('menuitem', 'Sign out');
  await tab.page.waitForSelector('input[type="password"], form input');
  const left = await tab.page.evaluate(() => Object.values(localStorage).join() + Object.values(sessionStorage).join());
  check('drafts are removed with the key', !left.includes(`Draft ${RUN}`), left);
  tab.checkClean('drafts');
}

async function movesInTree() {
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${RUN}%2F` });
  await tab.sees('inner', '[role="tree"]');
  await tab.sees('a.txt', '.record');
  await tab.sees('7 B', '.record');
  check('a folder has its size', true);
  await tab.review('files-tree');
  await tab.page.evaluate(() => {
    const row = (text) => [...document.querySelectorAll('.record')].find(({ innerText }) => innerText.includes(text));
    const dataTransfer = new DataTransfer();
    const send = (target, type) => target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    send(row('a.txt'), 'dragstart');
    send(row('inner'), 'dragover');
    send(row('inner'), 'drop');
  });
  const names = async () =>
    (await files('query($f: FilesFilter) { files(filter: $f) { items { name } } }', { f: { namePrefix: `${RUN}/` } })).files.items
      .map(({ name }) => name)
      .sort()
      .join();
  await until('the moved file', async () => (await names()) === `${RUN}/inner/a.txt,${RUN}/inner/b.txt`);
  check('a file is moved by dragging it to a folder', true);
  await tab.page.evaluate(() => document.querySelector('[role="treeitem"][aria-selected="true"]').focus());
  await tab.page.keyboard.press('ArrowDown');
  await tab.page.keyboard.press('Enter');
  await tab.page.waitForFunction((folder) => new URLSearchParams(location.search).get('folder') === folder, {}, `${RUN}/inner/`);
  check('arrows and Enter open a folder of the tree', true);
  await tab.sees('a.txt', '.record');
  await tab.page.click('.record [data-choose]');
  await tab.click('button', 'Move');
  await tab.page.waitForSelector('[role="dialog"] [role="tree"]');
  await tab.axe('folder picker');
  await tab.page.evaluate((name) => {
    [...document.querySelectorAll('[role="dialog"] [role="treeitem"]')].find(({ innerText }) => innerText === name).click();
  }, RUN);
  await tab.page.locator('[role="dialog"] button[type="submit"]').click();
  await until('the picked folder', async () => (await names()).split(',').some((name) => !name.includes('inner')));
  await tab.page.waitForSelector('[role="dialog"]', { hidden: true });
  check('a folder is picked for files', true);
  const { files: found } = await files('query($f: FilesFilter) { files(filter: $f) { items { id name } } }', {
    f: { namePrefix: `${RUN}/inner/` },
  });
  await tab.go(`/files/${found.items[0].id}`);
  await tab.page.waitForFunction((folder) => new URLSearchParams(location.search).get('folder') === folder, {}, `${RUN}/inner/`);
  await tab.page.locator('.files-path a').click();
  await tab.page.waitForFunction((folder) => new URLSearchParams(location.search).get('folder') === folder, {}, `${RUN}/`);
  check('a file opens in its folder, and its name leads to each folder above', true);
  tab.checkClean('tree');
}

async function copiesCode() {
  const tab = await StudioTab.open(browser, { address, key });
  await tab.page.evaluateOnNewDocument(() => {
    navigator.clipboard.writeText = async (text) => void (globalThis.copied = text);
  });
  for (const path of ['/email', `/files?folder=${RUN}%2Finner%2F`]) {
    await tab.go(path);
    await tab.page.waitForSelector('.record');
    await tab.page.$$eval('.record', (all) => all.at(-1).click());
    await tab.click('button', 'More actions');
    await tab.click('menuitem', 'Copy as cURL');
    const code = await (await tab.page.waitForFunction(() => globalThis.copied)).jsonValue();
    const answer = execFileSync('bash', ['-c', code], { env: { ...process.env, KEY: key }, encoding: 'utf8' });
    const id = new URL(tab.page.url()).pathname.split('/').at(-1);
    check(
      `the request of an object of ${path.split('?')[0]} works as cURL`,
      answer.includes(`"id":"${id}"`),
      answer.slice(0, 300),
    );
    check('the copied request has no key', !code.includes(key));
  }
  for (const [language, text] of [
    ['JavaScript', 'await client.files.file('],
    ['Python', 'client.files.file(id="'],
  ]) {
    await tab.page.evaluate(() => (globalThis.copied = undefined));
    await tab.click('button', 'More actions');
    await tab.click('menuitem', `Copy as ${language}`);
    const code = await (await tab.page.waitForFunction(() => globalThis.copied)).jsonValue();
    check(`an object is copied as ${language}`, code.includes(text), code);
  }
  tab.checkClean('requests as programs');
}

async function showsUtc() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await tab.page.waitForSelector('.record time');
  const exact = () => tab.page.$eval('.record time', ({ title }) => title);
  check('times are local by default', !(await exact()).endsWith('UTC'), await exact());
  await tab.click('button', 'Menu');
  await tab.click('menuitem', 'Show times in UTC');
  await until('UTC', async () => (await exact().catch(() => '')).endsWith('UTC'));
  await tab.click('button', 'Time');
  await tab.sees('From (UTC)', '.filter-popup');
  check('a switch shows and takes times in UTC', true);
  tab.checkClean('UTC');
}
