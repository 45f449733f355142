// node test/browser/studio-lists.mjs ADDRESS KEY ADMIN_KEY: what all lists of Studio have: heads that sort what is wholly there, rows of one height,
// in two lines where a list is narrow, filters that do not get lost, times that count as they are picked, an open detail that moves along and has its ID and JSON,
// and charts of all.
import { randomBytes } from 'node:crypto';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { PHONE, StudioTab, WIDE } from './studio.mjs';

const { address, key, adminKey } = addressAndKey();
const RUN = randomBytes(4).toString('hex');
const files = asker('file-management', { address, key });
const email = asker('email', { address, key });
const push = asker('websockets-manager', { address, key });
const log = asker('document-log', { address, key });
const rendering = asker('document-rendering', { address, key });
const LISTS = [`/files?folder=${RUN}%2F`, '/templates', '/push', '/log', '/email', '/email/suppressions'];
const names = (tab) => tab.page.$$eval('.record', (all) => all.map(({ innerText }) => innerText.split('\n')[0].trim()));

const browser = await launch();
const PARTS = [
  makeData,
  looksAlike,
  rowsAreToldApart,
  sorts,
  filtersStay,
  timeCounts,
  detailMovesAlong,
  detailsHaveMenus,
  rowsHaveActions,
  foldersMove,
  reasonsStandFirst,
  chartsAreOfAll,
  chartsLeadToLists,
];
for (const part of PARTS) await part().catch((error) => check(`the checks of ${part.name} end`, false, error.stack));
await browser.close();
finish();

/** A little of everything, with names that have an order. */
async function makeData() {
  for (const name of ['b', 'c', 'a']) {
    const create = 'mutation ($i: CreateFileInput) { createFile(input: $i) { uploadUrl } }';
    const { createFile } = await files(create, { i: { name: `${RUN}/${name}.txt` } });
    await fetch(createFile.uploadUrl, { method: 'PUT', body: name.repeat(name.charCodeAt(0)) });
    const send = 'mutation($i: SendMessageInput!) { sendMessage(input: $i) { id } }';
    await email(send, { i: { to: { address: `${name}@example.com` }, subject: `Mail ${name} ${RUN}`, textBody: 'x' } });
    await email('mutation($i: [CreateSuppressionInput!]!) { createSuppressions(input: $i) { __typename } }', {
      i: [{ address: `${name}-${RUN}@example.com` }],
    });
    const expiresAt = new Date(Date.now() + 3_600_000);
    await push('mutation ($i: MessageInput!) { pushMessage(input: $i) { item { id } } }', {
      i: { recipients: [`${name}-${RUN}`], message: name, expiresAt },
    });
    await log('mutation ($i: CreateLogInput!) { createLog(input: $i) { itemId } }', {
      i: { documentType: 'invoice', documentId: `${name}-${RUN}`, dateTime: new Date(), action: 'create' },
    });
    const template = { name: `${name} ${RUN}`, type: 'document', contentType: 'html', body: name };
    await rendering('mutation($i: CreateTemplateInput!) { createTemplate(input: $i) { id } }', { i: template });
  }
}

/** What tells rows apart is seen on a phone, and beside an open detail. */
async function rowsAreToldApart() {
  const texts = {
    '/email': (name) => [`${name}@example.com`, `Mail ${name} ${RUN}`],
    '/push': (name) => [`${name}-${RUN}`, name],
  };
  for (const size of [PHONE, WIDE]) {
    for (const [path, textsOf] of Object.entries(texts)) {
      const tab = await StudioTab.open(browser, { address, key, path, size });
      await tab.sees(textsOf('a')[0], '.record');
      if (size === WIDE) {
        await tab.openRecord('');
        await tab.page.waitForSelector('.detail');
      }
      const rows = await tab.page.$$eval('.record', (all) =>
        all.map((row) =>
          [...row.querySelectorAll('.cell')].filter(({ offsetWidth }) => offsetWidth > 20).map((cell) => cell.innerText),
        ),
      );
      const isTold = ['a', 'b', 'c'].every((name) =>
        rows.some((cells) => textsOf(name).every((text) => cells.some((cell) => cell.includes(text)))),
      );
      check(`rows of ${path} are distinguished at ${size.width} px`, isTold, JSON.stringify(rows));
      const heights = await tab.page.$$eval('.record .cell', (all) => all.map((cell) => cell.scrollHeight - cell.clientHeight));
      check(`rows of ${path} have no cut lines at ${size.width} px`, Math.max(...heights) <= 2, heights.join());
      await tab.page.browserContext().close();
    }
  }
}

async function looksAlike() {
  const tab = await StudioTab.open(browser, { address, key });
  for (const [path, size] of [...LISTS.map((one) => [one, WIDE]), ...LISTS.map((one) => [one, PHONE])]) {
    await tab.page.setViewport(size);
    await tab.go(path);
    await tab.page.waitForSelector('.record');
    const looks = await tab.page.evaluate(() => {
      const rows = [...document.querySelectorAll('.record')];
      const isCut = (row) => [...row.querySelectorAll('.cell')].some((cell) => cell.getBoundingClientRect().height > 40);
      const list = document.querySelector('.records');
      return {
        heights: [...new Set(rows.map((row) => row.getBoundingClientRect().height))].join(),
        isTwoLines: rows.some(isCut),
        isWide: list.scrollWidth > list.clientWidth,
        filters: document.querySelector('.filters').getBoundingClientRect().height,
        heads: [...document.querySelectorAll('[role="columnheader"]')].filter(({ innerText }) => innerText).length,
      };
    });
    check(
      `${path} at ${size.width} px has heads, rows of one height, and filters in one line`,
      looks.heights === (size === PHONE ? '56' : '40') &&
        !looks.isTwoLines &&
        !looks.isWide &&
        looks.heads > 1 &&
        looks.filters < 60,
      JSON.stringify(looks),
    );
    await tab.axe(`${path} at ${size.width} px`);
  }
  tab.checkClean('lists');
}

async function sorts() {
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${RUN}%2F` });
  await until('the files', async () => (await names(tab)).join() === 'a.txt,c.txt,b.txt');
  await tab.click('button', 'Sort by Name');
  await until('the order', async () => (await names(tab)).join() === 'a.txt,b.txt,c.txt');
  await tab.click('button', 'Sort by Name');
  await until('the other order', async () => (await names(tab)).join() === 'c.txt,b.txt,a.txt');
  const order = await tab.page.$eval('[aria-sort]', ({ innerText, ariaSort }) => `${innerText.trim()} ${ariaSort}`);
  check('a head sorts a list, and back, and says so', order === 'Name descending', order);
  check('the order is in the address', new URL(tab.page.url()).searchParams.get('sort') === '-Name');
  for (let from = 0; from < 120; from += 40) {
    const fields = Array.from(
      { length: 40 },
      (_, at) => `f${at}: createFile(input: {name: "${RUN}-long/${from + at}.txt"}) { id }`,
    );
    await files(`mutation { ${fields.join(' ')} }`);
  }
  await tab.go(`/files?folder=${RUN}-long%2F`);
  await until('the newest', async () => (await names(tab))[0] === '119.txt');
  await tab.click('button', 'Sort by Created');
  await until('the oldest', async () => (await names(tab))[0] === '0.txt');
  const heads = await tab.page.$$eval('[role="columnheader"] button.sort', (all) => all.map(({ innerText }) => innerText.trim()));
  check(
    'a list that is longer than what was read sorts by what the service has',
    heads.join() === 'Name,Size,Created,Modified,Expires',
    heads.join(),
  );
  await tab.click('button', 'Sort by Name');
  await until('the order of names', async () => (await names(tab)).slice(0, 3).join() === '0.txt,1.txt,10.txt');
  const sorted = await tab.page.$eval('[aria-sort]', ({ innerText, ariaSort }) => `${innerText.trim()} ${ariaSort}`);
  check('a part of a list is sorted by the service, which its head says', sorted === 'Name ascending', sorted);
  await tab.click('button', 'Sort by Name');
  await until('no order', async () => (await names(tab))[0] === '119.txt');
  await tab.click('button', 'Sort by Modified');
  await until('the last change', () => new URL(tab.page.url()).searchParams.get('sort') === '-Modified');
  const asked = tab.page.waitForRequest((request) => request.postData()?.includes('"order":"RECENTLY_UPDATED"'));
  await tab.go('/templates?sort=-Modified');
  check('templates are asked for in the order of the address', Boolean(await asked));
  tab.checkClean('order');
}

async function filtersStay() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await tab.page.waitForSelector('.record');
  // Both within the pause after which a typed filter counts.
  await tab.page.evaluate(() => {
    const field = document.querySelector('.filters input');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'a@example.com');
    field.dispatchEvent(new Event('input', { bubbles: true }));
    [...document.querySelectorAll('.chip')].find(({ innerText }) => innerText.startsWith('Status')).click();
  });
  await tab.page.waitForSelector('[role="menuitemradio"]');
  await tab.page.evaluate(() =>
    [...document.querySelectorAll('[role="menuitemradio"]')].find(({ innerText }) => innerText === 'Sent').click(),
  );
  const search = () => tab.page.evaluate(() => location.search);
  await until('both filters', async () => {
    const now = await search();
    return now.includes('contains=a%40example.com') && now.includes('status=SENT');
  }).catch(() => undefined);
  const now = await search();
  check('a filter is kept while another changes', now.includes('contains=a%40') && now.includes('status=SENT'), now);
  await tab.click('button', 'Clear filters');
  await until('no filter', async () => (await search()) === '');
  check('one button clears all filters', (await tab.page.$eval('.filters input', ({ value }) => value)) === '');
  tab.checkClean('filters');
}

async function timeCounts() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await tab.page.waitForSelector('.record');
  await tab.click('button', 'Time');
  await tab.page.waitForSelector('.filter-popup input');
  await tab.axe('filter by time');
  await tab.page.$eval('.filter-popup input', (input) => {
    input.focus();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '2020-01-01T00:00:00');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await tab.page.waitForFunction(() => location.search.includes('from='));
  const hasFocus = await tab.page.evaluate(() => document.activeElement.type === 'datetime-local');
  check('a time that is picked counts at once, before its field is left', hasFocus);
  await tab.click('button', 'Last 24 hours');
  await tab.sees('Time: since', '.chip');
  check('a time filter offers ranges', true);
}

async function detailMovesAlong() {
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${RUN}%2F&sort=Name` });
  await tab.openRecord('a.txt');
  await tab.sees('a.txt', '.detail h2');
  await tab.page.focus('.records');
  await tab.page.keyboard.press('ArrowDown');
  await tab.sees('b.txt', '.detail h2');
  check('arrows in the list move what is open along', true);
  tab.checkClean('detail');
}

async function detailsHaveMenus() {
  const tab = await StudioTab.open(browser, { address, key });
  await tab.page.evaluateOnNewDocument(() => {
    navigator.clipboard.writeText = async (text) => void (globalThis.copied = text);
  });
  for (const path of LISTS.filter((one) => one !== '/templates')) {
    await tab.go(path);
    await tab.page.waitForSelector('.record');
    await tab.page.$$eval('.record', (all) => all.at(-1).click());
    await tab.click('button', 'More actions');
    await tab.click('menuitem', 'View JSON');
    await tab.page.waitForSelector('[role="dialog"] .snippet');
    const json = JSON.parse(await tab.page.$eval('[role="dialog"] .snippet pre', ({ innerText }) => innerText));
    await tab.axe(`the JSON of ${path}`);
    await tab.page.keyboard.press('Escape');
    await tab.page.waitForSelector('[role="dialog"]', { hidden: true });
    check(`a detail of ${path} shows its JSON`, JSON.stringify(json).includes(RUN) || 'id' in json);
    if (!('id' in json)) continue;
    await tab.click('button', 'More actions');
    await tab.click('menuitem', 'Copy ID');
    await until('the copied ID', async () => (await tab.page.evaluate(() => globalThis.copied)) === json.id);
    check(`a detail of ${path} copies its ID`, true);
  }
  tab.checkClean('menus of details');
}

async function rowsHaveActions() {
  const tab = await StudioTab.open(browser, { address, key });
  await tab.page.evaluateOnNewDocument(() => {
    navigator.clipboard.writeText = async (text) => void (globalThis.copied = text);
  });
  await tab.go(`/files?folder=${RUN}%2F&sort=Name`);
  await until('the files', async () => (await names(tab)).join() === 'a.txt,b.txt,c.txt');
  const row = (await tab.page.$$('.record'))[1];
  await row.hover();
  const menu = await tab.page.waitForFunction(() => document.querySelectorAll('.record')[1].querySelector('button'));
  await tab.review('row-actions');
  await menu.asElement().click();
  await tab.click('menuitem', 'Copy link');
  await until('the link', async () => /signature=/.test((await tab.page.evaluate(() => globalThis.copied)) ?? ''));
  const isClosed = !(await tab.page.$('.detail')) && !new URL(tab.page.url()).pathname.includes('-');
  check('the menu of a row copies a link, and does not open the row', isClosed, tab.page.url());
  await tab.page.focus('.records');
  for (const press of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await tab.page.keyboard.press(press);
  const reached = await tab.page.evaluate(() => document.activeElement.closest('.record')?.innerText.split('\n')[0]);
  check('the right arrow goes from the list to the menu of the row that arrows reached', reached === 'c.txt', reached);
  await tab.page.keyboard.press('Enter');
  await tab.page.waitForSelector('[role="menu"]');
  await tab.axe('the menu of a row');
  await tab.click('menuitem', 'Delete');
  await tab.click('button', 'Delete file');
  await until('the others', async () => (await names(tab)).join() === 'a.txt,b.txt');
  check('a file is deleted from its row, after a question', true);
  await tab.go('/email?sort=Time');
  await tab.page.waitForSelector('.record');
  await tab.page.focus('.records');
  for (const press of ['Home', 'ArrowRight', 'Enter']) await tab.page.keyboard.press(press);
  await tab.click('menuitem', 'Duplicate');
  await until('the copy', () => tab.page.url().includes('/compose?like='));
  check('an email is duplicated from its row', true);
  tab.checkClean('actions of rows');
}

async function foldersMove() {
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${RUN}%2F&sort=Name` });
  const folder = () => new URL(tab.page.url()).searchParams.get('folder');
  await until('the files', async () => (await names(tab)).slice(0, 2).join() === 'a.txt,b.txt');
  await tab.click('button', 'Folder actions');
  await tab.click('menuitem', 'Rename folder');
  await tab.fill('Name', `${RUN}-other`);
  await tab.review('rename-folder');
  await tab.click('button', 'Rename');
  await until('the new name', async () => folder() === `${RUN}-other/` && (await names(tab)).join() === 'a.txt,b.txt');
  // Its menu is another one then, and the dialog has left.
  await tab.page.waitForFunction(
    (name) =>
      document.querySelector('.files-breadcrumbs [aria-current]').innerText === name &&
      !document.querySelector('[role="dialog"] form'),
    {},
    `${RUN}-other`,
  );
  check('a folder is renamed with its files', true);
  await tab.click('button', 'Folder actions');
  await tab.click('menuitem', 'Move folder');
  await tab.fill('To folder', `${RUN}-above`);
  await tab.click('button', 'Move');
  await until(
    'the new place',
    async () => folder() === `${RUN}-above/${RUN}-other/` && (await names(tab)).join() === 'a.txt,b.txt',
  );
  await tab.page.click('.record [data-choose]');
  await tab.click('button', 'Move');
  await tab.fill('To folder', `${RUN}`);
  await tab.page.locator('[role="dialog"] button[type="submit"]').click();
  await until('the other file', async () => (await names(tab)).join() === 'b.txt');
  await tab.go(`/files?folder=${RUN}%2F`);
  await until('the moved file', async () => (await names(tab)).join() === 'a.txt');
  check('a folder moves, and so do chosen files', true);
  const back = 'mutation($folder: String, $to: String!) { moveFiles(folder: $folder, to: $to) }';
  await files(back, { folder: `${RUN}-above/${RUN}-other/`, to: `${RUN}/` });
  tab.checkClean('moves');
}

async function reasonsStandFirst() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await tab.page.waitForSelector('.record');
  await tab.page.click('.record');
  await tab.page.waitForSelector('.email-text');
  const isFirst = await tab.page.evaluate(() => {
    const follows = document.querySelector('.email-recipients').compareDocumentPosition(document.querySelector('.email-text'));
    return (follows & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  });
  check('the recipients of an email, with the reasons, stand above its preview', isFirst);
  await tab.review('email-detail');
  await tab.page.setViewport(PHONE);
  await tab.review('email-detail');
}

async function chartsLeadToLists() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await tab.page.locator('.chart-strip-trigger').click();
  const over = await tab.page.waitForSelector('.chart-strip .chart-place svg');
  const made = await tab.page.$('.chart svg');
  let bars = 0;
  await until('the last bar of emails under the pointer', async () => {
    const { x, y, width, height } = await over.boundingBox();
    bars = 1 - bars; // they are of the last hour, which may have ended meanwhile
    await tab.page.mouse.move(x + width - 4 - Math.random() - (bars * width) / 24, y + height / 2);
    return tab.page.$$eval('.chart-tip .number', (numbers) => numbers.some(({ innerText }) => innerText !== '0'));
  });
  await tab.sees('Queued', '.chart-tip');
  check('a chart says the time and the values under the pointer', true);
  check('a chart is not recreated under the pointer', await made.evaluate((svg) => svg.isConnected));
  await tab.axe('chart');
  await tab.page.mouse.down();
  await tab.page.mouse.up();
  await tab.page.waitForFunction(() => /from=.*&until=.*/.test(location.search));
  await tab.page.waitForSelector('.chart-strip', { hidden: true });
  await tab.sees('3 emails');
  check('a click on a bar lists what it counts', true);
  tab.checkClean('charts');
}

async function chartsAreOfAll() {
  const tab = await StudioTab.open(browser, { address, key, path: '/email' });
  await tab.sees('Last 24 hours', '.chart-strip');
  await tab.click('button', 'Status');
  await tab.click('menuitemradio', 'Failed');
  await tab.page.waitForSelector('.chart-strip', { hidden: true });
  check('a chart of all does not stand above a filtered list', true);
  if (!adminKey) return;
  const operator = await StudioTab.open(browser, { address, key: adminKey, path: '/tenants' });
  await operator.sees('Created', '[role="columnheader"]');
  await operator.axe('tenants');
}
