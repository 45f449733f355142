// node test/browser/studio-templates.mjs ADDRESS KEY: templates in Studio, in a real browser: written, previewed, saved, compared, sent and
// deleted, with the mistakes that people make in them.
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key } = addressAndKey();
const ask = asker('document-rendering', { address, key });
const mails = asker('email', { address, key });
const RUN = Date.now().toString(36);
const NAME = `receipt ${RUN}`;
const HOSTILE_NAME = `${RUN} ${HOSTILE[0]} ${HOSTILE[1]}`;

const templateOf = async (name) => {
  const { templates } = await ask(
    'query($name: String) { templates(filter: {name: $name}) { items { id name subject body css active comment layoutId parentCss { name } } } }',
    { name },
  );
  return templates.items[0];
};
const create = async (input) =>
  (await ask('mutation($input: CreateTemplateInput!) { createTemplate(input: $input) { id } }', { input })).createTemplate.id;

const browser = await launch();
const tab = await StudioTab.open(browser, { address, key, path: '/templates' });
const { page } = tab;

/** Writes at the end of an editor. */
async function typeIn(label, text) {
  await page.focus(`[aria-label="${label}"]`);
  await press('End', 'Control');
  await page.keyboard.sendCharacter(text);
}
async function press(name, ...held) {
  for (const one of held) await page.keyboard.down(one);
  await page.keyboard.press(name);
  for (const one of held) await page.keyboard.up(one);
}
const textOf = (label) => page.$eval(`[aria-label="${label}"]`, (element) => element.innerText);
const hasText = (label, wanted) =>
  page.waitForFunction(
    (name, text) => document.querySelector(`[aria-label="${name}"]`)?.innerText.includes(text),
    {},
    label,
    wanted,
  );
const isSaved = () => page.waitForFunction(() => !document.querySelector('main')?.innerText.includes('Unsaved'));
/** Returns whether the frame of the preview shows a text. */
async function previewShows(wanted) {
  await until(`"${wanted}" in the preview`, async () => {
    const frame = page.frames().find((one) => one.url().endsWith('/studio/frame.html'));
    const text = await frame?.evaluate(() => document.body.innerText).catch(() => '');
    return text?.includes(wanted);
  });
}

// A new template from a starting point.
await tab.sees('New template'); // the head of a page is shown before its commands
await page.keyboard.press('c');
await tab.sees('New template', '[role="dialog"]');
await tab.review('templates-new');
await page.locator('::-p-text(Receipt email)').click();
await tab.fill('Name', NAME);
await tab.click('button', 'Create');
await page.waitForSelector('[aria-label="Body"]');
await previewShows('Thank you, Ada Lovelace');
await tab.sees('No problems');
await tab.sees('Stored with the template');
check('a new template begins with a text, sample data for everybody and a preview', true);
await tab.sees('Your receipt for order N-20417', '[aria-label="Inbox preview"]');
check('the subject shows as an inbox shows it', true);
await tab.review('templates-editor');

// Mistakes show at their line while one types.
await typeIn('Body', '{{ nope');
await tab.sees('{{ is never closed by }}', '.templates-problems');
await tab.sees('Showing the last version without errors');
await page.waitForSelector('.cm-lint-marker-error');
check('a mistake shows in the list, in the gutter and at the preview', true);
await page.keyboard.type(' }}');
await page.keyboard.press('Escape');
await tab.sees('nope is missing in the sample data', '.templates-problems');
await tab.sees('Unsaved', '.templates-editor-head');
await typeIn('Body', '{{ order.total |');
await page.keyboard.type(' upp');
await tab.sees('upper', '.cm-tooltip-autocomplete [aria-selected="true"]');
await new Promise((resolve) => setTimeout(resolve, 100)); // Enter is a line break for as long as the list is new
await page.keyboard.press('Enter');
await page.keyboard.sendCharacter(' }}<a href="{{ link }}">l</a>{% for line in lines %}{{ line.text }}{% endfor %}');
await hasText('Body', 'order.total | upper }}');
check('filters are completed', true);
await page.keyboard.press('Escape');
await tab.sees('lines is missing in the sample data', '.templates-problems');
await tab.click('button', 'Fill in missing');
await tab.sees('No problems');
const sample = JSON.parse(
  await page.evaluate(() => localStorage.getItem(`studio-template-sample:${location.pathname.split('/').at(-1)}`)),
);
check(
  'missing parameters are filled in with values of a fitting shape',
  sample.nope === 'Nope' && sample.lines[0].text === 'Text',
  JSON.stringify(sample),
);

// Sample data with an error of its own, and an address that is refused.
await page.focus('[aria-label="Sample data"][contenteditable]');
await press('a', 'Control');
await page.keyboard.type('{');
await page.keyboard.sendCharacter('"link": "javascript:hacked()", "order": 1,');
await tab.sees('Invalid JSON', '.templates-problems');
await press('a', 'Control');
await page.keyboard.type('{');
await page.keyboard.sendCharacter('"link": "javascript:hacked()"');
await tab.sees('the URL was replaced by "#"', '.templates-problems');
check('a value that is replaced is warned about', true);
await page.locator('.templates-problem.warning').click();
await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Body');
check('a problem goes to its place', true);

// Unsaved changes stay, and are asked about.
await tab.click('link', 'Files');
await tab.sees(`Leave ${NAME}?`, '[role="dialog"]');
await tab.click('button', 'Stay');
await page.waitForSelector('[role="dialog"]', { hidden: true });
const drafted = await page.evaluate(() => Object.keys(sessionStorage).some((name) => name.startsWith('studio-template-draft:')));
check('unsaved changes are kept as a draft, and asked about before they are left', drafted);
await tab.click('button', 'More actions');
await tab.click('menuitem', 'Compare with saved');
await page.waitForSelector('.cm-changedLine');
await tab.review('templates-compare');
await page.keyboard.press('Escape');
await page.waitForSelector('[role="dialog"]', { hidden: true });

// Saved by a key, and not over the version of somebody else.
await press('s', 'Control');
await isSaved();
const saved = await templateOf(NAME);
check('Ctrl S saves', saved.body.includes('{{ order.total | upper }}'), saved.body.slice(-200));
const update = 'mutation($id: ID!, $input: UpdateTemplateInput!) { updateTemplate(id: $id, input: $input) { id } }';
await ask(update, { id: saved.id, input: { body: '<p>Theirs</p>', contentType: 'html' } });
await typeIn('Body', 'Mine');
await press('s', 'Control');
await tab.sees('Someone else saved this template', '[role="dialog"]');
await tab.click('button', 'Discard my changes');
await hasText('Body', 'Theirs');
await isSaved();
check('a version of somebody else is not overwritten unasked', (await templateOf(NAME)).body === '<p>Theirs</p>');

// A name that is taken is refused at its field.
const other = await create({
  name: HOSTILE_NAME,
  type: 'email',
  contentType: 'html',
  subject: HOSTILE[0],
  body: '<p>{{ x }}</p>',
  comment: HOSTILE[1],
});
await tab.click('tab', 'Details');
await tab.fill('Name', HOSTILE_NAME);
await tab.click('button', 'Save');
await tab.sees('choose another name', '.field .fault');
check('a refused name is told at its field', true);
await tab.review('templates-details');
await tab.fill('Name', NAME);
await page.locator('::-p-aria([name="Active"][role="switch"])').click();
await tab.click('button', 'Save');
await until('the template to be inactive', async () => (await templateOf(NAME)).active === false);
await isSaved(); // before that, the browser asks whether to leave

// A shared stylesheet: made, chosen, and identified by its users.
await tab.go('/templates/stylesheets');
await tab.click('button', 'New stylesheet');
await tab.fill('Name', `house ${RUN}`);
await tab.click('button', 'Create');
await page.waitForSelector('[aria-label="Rules"]');
await typeIn('Rules', 'p { color: #123456; ');
await tab.click('button', 'Save');
await tab.sees('Not used by any template');
await isSaved();
await tab.go(`/templates/${saved.id}`);
await tab.click('tab', 'Details');
await page.waitForFunction((name) => document.body.innerText.includes(name), {}, `house ${RUN}`);
const field = await page.waitForSelector('::-p-aria([name="Shared stylesheet"])');
const sheets = await ask('query($name: String) { css(filter: {name: $name}) { items { id text } } }', { name: `house ${RUN}` });
await field.select(sheets.css.items[0].id);
await tab.click('button', 'Save');
await until('the stylesheet to be chosen', async () => (await templateOf(NAME)).parentCss?.name === `house ${RUN}`);
await isSaved();
await tab.click('link', 'Edit');
await tab.sees('Used by 1 template');
await tab.sees(NAME, '.templates-used-by');
check('a stylesheet is written, chosen and knows its users', sheets.css.items[0].text.includes('#123456'));
const rules = 'mutation($id: ID!, $input: UpdateCssInput!) { updateCss(id: $id, input: $input) { id } }';
await ask(rules, { id: sheets.css.items[0].id, input: { text: 'p { color: #aaaaaa; }' } });
await typeIn('Rules', 'a { color: #bbbbbb; ');
await tab.click('button', 'Save');
await tab.sees('Someone else saved this stylesheet', '[role="dialog"]');
await tab.click('button', 'Discard my changes');
await hasText('Rules', '#aaaaaa');
await isSaved();
check('a stylesheet of somebody else is not overwritten unasked', true);

// A layout: chosen in the details, seen in the preview before it is saved.
const { type, contentType } = (await ask('query($name: String) { templates(filter: {name: $name}) { items { type contentType } } }', { name: NAME })).templates.items[0]; // prettier-ignore
const frame = { type, contentType, body: '<p>Framed</p>{% block content %}{% endblock %}' };
const frameId = await create({ ...frame, name: `frame ${RUN}` });
await tab.go(`/templates/${saved.id}`);
await tab.click('tab', 'Details');
await page.waitForFunction((name) => document.body.innerText.includes(name), {}, `frame ${RUN}`);
await (await page.waitForSelector('::-p-aria([name="Layout"])')).select(frameId);
await previewShows('Framed');
await tab.click('button', 'Save');
await until('the layout to be chosen', async () => (await templateOf(NAME)).layoutId === frameId);
await isSaved();
await (await page.waitForSelector('::-p-aria([name="Layout"])')).select('');
await tab.click('button', 'Save');
await until('the layout to be left', async () => (await templateOf(NAME)).layoutId === null);
await isSaved();
check('a layout is chosen, previewed and left', true);
await ask('mutation($id: ID!) { deleteTemplate(id: $id) { id } }', { id: frameId });
await tab.review('templates-stylesheet');

// Versions: compared with the saved template, and one of them restored. Sample data for everybody.
await tab.go(`/templates/${saved.id}`);
await hasText('Body', 'Theirs');
await tab.click('button', 'Store with template');
await tab.sees('Stored with the template');
const stored = async () =>
  (await ask('query($name: String) { templates(filter: {name: $name}) { items { sampleParams } } }', { name: NAME })).templates
    .items[0].sampleParams;
await until('the sample data to be stored', async () => JSON.parse((await stored()) ?? '{}').link !== undefined);
await tab.click('button', 'More actions');
await tab.click('menuitem', 'Versions');
await tab.sees('Version 2', '[role="dialog"]');
await page.locator('.templates-version ::-p-text(Version 2)').click();
await tab.sees('Left: version 2', '[role="dialog"]');
await page.waitForSelector('[role="dialog"] .cm-changedLine');
await tab.review('templates-versions');
await tab.click('button', 'Restore');
await tab.sees('Version 2 restored as version');
await page.waitForSelector('[role="dialog"]', { hidden: true });
await hasText('Body', 'order.total');
check('a version is compared and restored', (await templateOf(NAME)).body.includes('order.total'));

// A server without an engine for PDF says so.
await tab.click('tab', 'PDF');
await tab.click('button', 'Create PDF');
await tab.sees('this server cannot print PDFs: its operator must set CHROMIUM_PATH', '[role="alert"]');
check('a PDF that the server cannot make is refused with what to set', true);

// A test mail of the saved template, and of one that is not.
await tab.go(`/templates/${saved.id}`);
await tab.click('button', 'Send test email');
await tab.fill('To', `test-${RUN}@example.com`);
await tab.review('templates-send');
await tab.click('button', 'Send');
await tab.sees('Test email sent to');
const { messages } = await mails('{ messages(limit: 5) { items { recipients { address } } } }');
check('a test mail is sent', JSON.stringify(messages).includes(`test-${RUN}@example.com`));

// Hostile values, and the phone.
await tab.go(`/templates?q=${encodeURIComponent(RUN)}`);
await tab.openRecord(RUN);
await hasText('Subject', '<img');
await typeIn('Body', '<img src=x onerror="hacked()"><script>hacked()</script><svg onload=hacked()>{{ x }}');
await page.waitForSelector('.templates-problem.info');
await tab.click('button', 'Fill in missing');
await previewShows('X');
const hostileFrame = page.frames().find((one) => one.url().endsWith('/studio/frame.html'));
const isLeft = await hostileFrame.evaluate(() => {
  const names = [...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames());
  return document.querySelector('script') !== null || names.some((name) => name.startsWith('on'));
});
check('the frame of the preview has no script of a template, nor a handler of an event', !isLeft);
check('a hostile template is shown as text', (await textOf('Subject')).includes('<img'));
await page.setViewport(PHONE);
await tab.click('tab', 'Preview');
await tab.review('templates-preview');
const width = await page.evaluate(() => document.documentElement.scrollWidth);
check('nothing is wider than a phone', width <= PHONE.width, String(width));
await page.setViewport({ width: 1280, height: 800 });

// Deleted after one question.
await tab.click('button', 'More actions');
await tab.click('menuitem', 'Delete');
await tab.sees(`Delete ${RUN}`, '[role="alertdialog"]');
await tab.review('templates-delete');
await tab.click('button', 'Delete');
await tab.sees('Templates', 'h1');
const left = await ask('query($ids: [String]) { templates(filter: {ids: $ids}) { items { id } } }', { ids: [other] });
check('a template is deleted after one question', left.templates.items.length === 0);
await tab.go(`/templates?q=${RUN}`);
await tab.sees(NAME, '.record');
await tab.review('templates-list');

// What the policy of the frame refuses when HTML is parsed or its image asked for is noted as a fault of the tab, and is the opposite of one.
const isRefusedInFrame = (fault) =>
  /script-src 'sha256-|img-src data:|^CSP violation: (script-src-attr inline|img-src .*\/studio\/x$)/.test(fault);
tab.faults = tab.faults.filter((fault) => !isRefusedInFrame(fault));
tab.checkClean('templates');
await browser.close();
finish();
