// node test/browser/studio-log.mjs ADDRESS KEY: the document log in Studio, in a real browser: records, a document, a person, seals,
// an export, hostile and damaged records.
import { addressAndKey, asker, check, finish, launch } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key, adminKey } = addressAndKey();
const ask = asker('document-log', { address, key });
const browser = await launch();
const run = crypto.randomUUID().slice(0, 8);
const ORDER = `ORD-${run}`;
const ANN = `ann-${run}`;
const EVIL = `${HOSTILE[1]}${run}`;
const day = (number) => `2026-11-0${number}T10:00:00Z`;

async function seed() {
  const author = { id: ANN, name: 'Ann Keller', profile: 'clerk' };
  const base = { documentType: 'order', documentId: ORDER, action: 'update', author };
  const state = (number, before, after) => ({
    ...base,
    dateTime: day(number),
    attribute: { id: 'state', name: { en: 'State', de: 'Zustand' } },
    ...(before && { attributeOldValue: { raw: before } }),
    attributeNewValue: { raw: after },
  });
  const input = [
    state(1, undefined, 'draft'),
    state(2, 'draft', 'sent'),
    state(3, 'sent', 'paid'),
    {
      ...base,
      dateTime: day(4),
      attribute: { id: 'terms', name: 'Terms' },
      attributeOldValue: { raw: 'Pay within 14 days of receipt.' },
      attributeNewValue: { raw: 'Pay within 30 days of receipt.' },
    },
    {
      documentType: HOSTILE[0],
      documentId: EVIL,
      dateTime: new Date().toISOString(), // among the newest, which the choices come from
      action: HOSTILE[4],
      author: { id: HOSTILE[2], name: HOSTILE[6], profile: HOSTILE[0] },
      attribute: { id: HOSTILE[5], name: { en: HOSTILE[0] } },
      attributeOldValue: { raw: HOSTILE[1] },
      attributeNewValue: { raw: HOSTILE[3], display: HOSTILE[6] },
      comment: '=HYPERLINK("http://evil.example")',
      custom1: HOSTILE[4],
      eventSource: { id: HOSTILE[3], name: HOSTILE[0] },
    },
  ];
  const { createLogBatch } = await ask(
    'mutation($input: [CreateLogInput!]!) { createLogBatch(input: $input) { results { itemId error { message } } } }',
    { input },
  );
  return createLogBatch.results.map(({ itemId }) => itemId);
}

const rows = (tab) => tab.page.$$eval('.record', (options) => options.map(({ innerText }) => innerText));
const search = (tab) => tab.page.evaluate(() => location.search);

/** Reads records, filters them, writes one, sees its proof and changes its notes. */
async function records(tab) {
  await tab.go(`/log?authorId=${ANN}`);
  await tab.sees(ORDER, '.record');
  check('the filter in the address holds', (await rows(tab)).length === 4, String((await rows(tab)).length));
  await ask('mutation($input: CreateLogInput!) { createLog(input: $input) { itemId } }', {
    input: {
      documentType: 'order',
      documentId: ORDER,
      dateTime: day(6),
      action: 'print',
      author: { id: ANN, name: 'Ann Keller' },
    },
  });
  await tab.review('log-records');
  const height = await tab.page.$eval('.filters', (bar) => bar.getBoundingClientRect().height);
  check('filters stay in one line when one is chosen', height < 60, String(height));
  await tab.click('button', '1 new');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 5);
  check('a record that comes later waits until it is asked for', true);
  await tab.page.keyboard.press('/');
  check('/ leads to the filter', (await tab.page.evaluate(() => document.activeElement.ariaLabel)) === 'Document ID');
  await tab.page.keyboard.press('Escape');
  await tab.click('button', 'Attribute');
  await tab.fill('Attribute is', 'terms');
  await tab.axe('filter');
  await tab.page.keyboard.press('Enter');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 1);
  check('a filter is kept in the address', (await search(tab)).includes('attributeId=terms'));
  await tab.click('button', 'Clear filters');
  await tab.page.waitForFunction(() => !location.search);
  await tab.click('button', 'Action');
  await tab.sees('print', '.offered');
  await tab.fill('Action is', 'PRIN');
  await tab.page.waitForFunction(() => document.querySelectorAll('.offered li').length === 1);
  await tab.axe('filter with values');
  await tab.shot('log-filter-values');
  await tab.click('button', 'print');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 1);
  check('a value that there is can be chosen', (await search(tab)) === '?action=print', await search(tab));
  await tab.click('button', 'More filters');
  await tab.click('menuitem', 'Custom 1');
  await tab.fill('Custom 1 is', 'nothing');
  await tab.page.keyboard.press('Enter');
  await tab.sees('No records match');
  check('a rare filter is chosen from a menu', (await search(tab)).includes('custom1=nothing'), await search(tab));
  await tab.click('button', 'Clear filters');
  await tab.page.waitForFunction(() => !location.search);

  await tab.page.keyboard.press('c');
  await tab.fill('Document type', 'order');
  await tab.fill('Document ID', ORDER);
  await tab.fill('Action (optional)', 'update');
  await tab.fill('Attribute (optional)', 'note');
  await tab.fill('New value (optional)', 'call back');
  await tab.fill('Person ID (optional)', `bram-${run}`);
  await tab.review('log-write');
  await tab.click('button', 'Add record');
  await tab.page.waitForFunction(() => /\/log\/[\da-f-]{36}$/.test(location.pathname));
  await tab.sees('call back', '.detail');
  check('a record that is written is shown', true);
  await tab.sees('Verified in this browser', '.detail');
  const steps = await tab.page.$$eval('.log-step', (lines) => lines.map(({ innerText }) => innerText.split('\n')[0]));
  check('every step of its proof fits', steps.length === 7 && steps.every((word) => word === 'Valid'), steps.join());
  await tab.click('button', 'Change');
  await tab.fill('Comment', 'Asked by phone');
  await tab.click('button', 'Save');
  await tab.sees('Note history', '.detail');
  check('a changed note is kept with what it was', true);
  await tab.clickOn('summary::-p-text(Proof)');
  await tab.sees('Verified in this browser', '.timeline');
  check('the change is proven too', true);
  await tab.review('log-record');
  await tab.page.keyboard.press('Escape');
  await tab.page.waitForSelector('.detail', { hidden: true });
  check('Escape closes a record', true);
}

/** Looks at a document at an earlier time, and at a person. */
async function histories(tab) {
  await tab.go(`/log/document?type=order&id=${ORDER}`);
  await tab.sees('Current');
  await tab.page.waitForSelector('.log-lanes svg rect');
  await tab.sees('paid', '.log-state');
  const marked = await tab.page.$$eval('.log-value ins', (parts) => parts.map(({ innerText }) => innerText));
  check('a difference marks only the changed words', marked.includes('30'), marked.join());
  await tab.review('log-document');
  const slider = await tab.page.waitForSelector('.log-slider input');
  await slider.focus();
  await tab.page.keyboard.press('Home');
  await tab.sees('draft', '.log-state');
  await tab.page.keyboard.press('ArrowRight');
  await tab.sees('sent', '.log-state');
  check('the slider leads to an earlier state', /at=2026-11-02/.test(await search(tab)), await search(tab));
  await tab.page.evaluate(() => {
    const field = document.querySelector('.log-choice input[type="datetime-local"]');
    field.focus();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '2026-11-01T23:59:00');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await tab.page.waitForFunction(() => location.search.includes('at=2026-11-0'));
  await tab.sees('draft', '.log-state');
  check('a picked time counts while its field has the focus', true);
  await slider.focus();
  await tab.page.keyboard.press('ArrowRight');
  await tab.sees('sent', '.log-state');
  await tab.page.waitForSelector('.log-now');
  await tab.page.click('a::-p-text(Ann Keller)');
  const year = new Date().getFullYear() === 2026 ? '' : ', 2026';
  await tab.sees(`Wed, Nov 4${year}`, '.log-day');
  check('a person is one click from a document', (await rows(tab)).length === 5);
  await tab.review('log-person');
}

/** Looks at a document of two days, whose axis has hours. */
async function hoursOfDays(tab) {
  const documentId = `AXIS-${run}`;
  await ask('mutation($input: CreateLogInput!) { createLog(input: $input) { itemId } }', {
    input: {
      documentType: 'order',
      documentId,
      dateTime: new Date(Date.now() - 48 * 3_600_000).toISOString(),
      attribute: { id: 'state', name: 'State' },
      attributeNewValue: { raw: 'draft' },
    },
  });
  await tab.go(`/log/document?type=order&id=${documentId}`);
  await tab.page.waitForSelector('.log-lanes svg .log-axis');
  const labels = await tab.page.$$eval('.log-axis', (all) => all.map(({ textContent }) => textContent));
  check(
    'an axis of hours names each day where it begins',
    new Set(labels.filter((label) => /^\p{L}{3} \d/u.test(label))).size > 1,
    labels.join(),
  );
}

/** A narrow list tells records apart. */
async function narrow() {
  const tab = await StudioTab.open(browser, { address, key, path: `/log?authorId=${ANN}`, size: PHONE });
  await tab.page.waitForSelector('.two-lines .record');
  const [row] = (await rows(tab)).filter((text) => text.includes('paid'));
  check('a narrow row says what changed and by whom', /State[^]*sent[^]*paid[^]*Ann Keller/.test(row ?? ''), row);
  tab.checkClean('narrow records');
}

async function seals(tab) {
  const { latestSeal } = await ask('{ latestSeal }');
  await tab.go('/log/seal');
  const enter = async (text) => {
    const field = await tab.page.waitForSelector('[aria-label="Verify against a checkpoint"] textarea');
    await field.evaluate((element) => element.focus() ?? element.select());
    await tab.page.keyboard.sendCharacter(text); // at once, as pasting does
  };
  await tab.sees('Sealed', '.status');
  await tab.click('button', 'Verify now');
  await tab.sees('Verified:', '.notice.good');
  check('the whole log is verified', true);
  await enter('not one');
  await tab.sees('Not a valid checkpoint');
  await enter(latestSeal);
  await tab.sees('Block ', '.hint');
  await tab.click('button', 'Verify');
  await tab.page.waitForFunction(
    () => document.querySelectorAll('.log-step .good').length === 2 && document.querySelectorAll('.notice.good').length === 2,
  );
  check('a kept checkpoint fits the log of today', true);
  await tab.review('log-seal');
  const [content, signature] = latestSeal.split('.');
  const forged = { ...JSON.parse(Buffer.from(content, 'base64url').toString()), leafCount: 1_234 };
  await enter(`${Buffer.from(JSON.stringify(forged)).toString('base64url')}.${signature}`);
  await tab.sees('sealed', '.hint');
  await tab.click('button', 'Verify');
  await tab.page.waitForSelector('[aria-label="Verify against a checkpoint"] .notice.bad');
  check('a forged checkpoint is refused', true);
}

/** Exports hostile records as a CSV, as a browser without access to the disk does. */
async function exports() {
  const tab = await StudioTab.open(browser, { address, key, path: '/log' });
  await tab.page.evaluateOnNewDocument(() => {
    delete globalThis.showSaveFilePicker;
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      void blob.text().then((text) => (globalThis.exported = text));
      return make.call(URL, blob);
    };
  });
  await tab.go(`/log?documentId=${encodeURIComponent(EVIL)}`);
  await tab.sees(run, '.record');
  await tab.click('button', 'Export');
  await tab.page.click('input[type="radio"]:not(:checked)');
  await tab.review('log-export');
  await tab.page.click('[role="dialog"] .actions .primary');
  await tab.sees('Export complete', '[role="dialog"]');
  const csv = await tab.page.waitForFunction(() => globalThis.exported).then((text) => text.jsonValue());
  check('an export has a head and a row', csv.startsWith('id,documentId,') && csv.includes(run), csv);
  check('no cell of it is a formula', csv.includes(`"'=HYPERLINK`) && !/(^|,|,")[=+\-@\t]/m.test(csv), csv);
  tab.checkClean('exports');
}

async function hostile(tab, id) {
  await tab.go(`/log/${id}`);
  await tab.sees('Verified in this browser', '.detail');
  await tab.axe('hostile record');
  await tab.go(`/log/document?type=${encodeURIComponent(HOSTILE[0])}&id=${encodeURIComponent(EVIL)}`);
  await tab.sees('hacked()', '.log-state');
  await tab.go(`/log/person?id=${encodeURIComponent(HOSTILE[2])}`);
  await tab.sees(run, '.record');
  await tab.go('/log/document');
  await tab.sees(run, '.log-pick');
  await tab.go('/log/person');
  await tab.sees('hacked()', '.log-pick');
}

/** Answers for a log with a damaged record and a forged one, as a changed database would. */
async function damaged(id) {
  const tab = await StudioTab.open(browser, { address, key, path: '/log/seal' });
  await tab.page.evaluateOnNewDocument(() => {
    const send = globalThis.fetch;
    globalThis.fetch = async (...request) => {
      const response = await send(...request);
      if (!String(request[0]).endsWith('/document-log/graphql')) return response;
      const answer = await response.json();
      const { logs } = answer.data ?? {};
      if (logs?.items.length > 1) {
        const message = `Log ${logs.items[0].id} was changed in the database and cannot be shown`;
        answer.errors = [{ message, path: ['logs', 'items', 0], extensions: { code: 'FAILED_PRECONDITION' } }];
        logs.items[0] = null;
      } else if (logs?.items[0]?.attributeNewValue) logs.items[0].attributeNewValue.raw = 'void';
      return Response.json(answer, { headers: response.headers });
    };
  });
  await tab.go(`/log/${id}?authorId=${ANN}`);
  await tab.sees('Damaged', '.record');
  check('a damaged record stands among the whole ones', (await rows(tab)).length === 5);
  await tab.sees('Mismatch', '.detail');
  check('a forged value is seen in the browser', (await tab.page.$$('.log-step .bad')).length === 1);
  await tab.axe('damage');
  tab.checkClean('damaged records');
}

async function phone(id) {
  const tab = await StudioTab.open(browser, { address, key, path: '/log', size: PHONE });
  for (const [path, text] of [
    ['', ORDER],
    [`/${id}`, 'Verified in this browser'],
    [`/document?type=order&id=${ORDER}`, 'Current'],
    [`/person?id=${ANN}`, ORDER],
    ['/seal', 'Save a checkpoint'],
  ]) {
    await tab.go(`/log${path}`);
    await tab.sees(text);
    const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
    check(`a phone shows /log${path.replace(/[?=&].*/, '')} without scrolling sideways`, width <= PHONE.width, String(width));
  }
  await tab.axe('phone');
  tab.checkClean('phone');
}

/** Sees a log without a record, and what a key that may not do everything is told. */
async function emptyAndRefused() {
  const admin = asker('admin', { address, key: adminKey });
  const { createTenant } = await admin(`mutation { createTenant(input: { name: "log-${run}" }) { id } }`);
  const keyOf = async (...scope) => {
    const { createKey } = await admin('mutation($input: CreateKeyInput!) { createKey(input: $input) { secret } }', {
      input: { tenantId: createTenant.id, scope },
    });
    return createKey.secret;
  };
  const all = await keyOf('document-log-api:query:*', 'document-log-api:mutation:*');
  const owner = await StudioTab.open(browser, { address, key: all, path: '/log' });
  await owner.sees('No records yet');
  check(
    'an empty log shows the command with its own address',
    (await owner.page.$eval('.snippet', (s) => s.innerText)).includes(address),
  );
  await owner.review('log-empty');
  owner.checkClean('empty log');
  const narrow = await StudioTab.open(browser, { address, key: await keyOf('document-log-api:query:logs'), path: '/log/seal' });
  await narrow.sees('This key needs document-log-api:query:latestSeal and document-log-api:query:verifyLogs');
  const isRefused = (await narrow.page.$('.page-head button[aria-disabled="true"]')) !== null;
  check('a narrow key is told what it lacks, and cannot write', isRefused);
  await narrow.axe('no permission');
  narrow.checkClean('narrow key');
}

try {
  const ids = await seed();
  const tab = await StudioTab.open(browser, { address, key, path: '/log' });
  await records(tab);
  await histories(tab);
  await hoursOfDays(tab);
  await seals(tab);
  await hostile(tab, ids[4]);
  tab.checkClean('log');
  await exports();
  await damaged(ids[2]);
  await phone(ids[2]);
  await narrow();
  if (adminKey) await emptyAndRefused();
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
}
finish();
