// node test/browser/studio-parts.mjs ADDRESS KEY: what templates are made of, in a real browser: partials with those that use them,
// translations with the language of the preview, and the PDF of a template. The server needs a Chromium.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab, WIDE } from './studio.mjs';

const { address, key } = addressAndKey();
const ask = asker('document-rendering', { address, key });
const RUN = Date.now().toString(36);
const [PARTIAL, LETTER] = [`foot ${RUN}`, `letter ${RUN}`];

const browser = await launch();
const tab = await StudioTab.open(browser, { address, key, path: '/templates/partials' });
const { page } = tab;

/** Writes at the end of an editor. */
async function typeIn(label, text) {
  await page.locator(`::-p-aria([name="${label}"][role="textbox"])`).click(); // loads the editor
  await (await page.waitForSelector(`.cm-content[aria-label="${label}"]`)).focus();
  await page.keyboard.down('Control');
  await page.keyboard.press('End');
  await page.keyboard.up('Control');
  await page.keyboard.sendCharacter(text);
}
const isSaved = () => page.waitForFunction(() => !document.querySelector('main')?.innerText.includes('Unsaved'));
async function previewShows(wanted) {
  await until(`"${wanted}" in the preview`, async () => {
    const frame = page.frames().find((one) => one.url().endsWith('/studio/frame.html'));
    const text = await frame?.evaluate(() => document.body.innerText).catch(() => '');
    return text?.includes(wanted);
  });
}
const choose = async (label, value) => (await page.waitForSelector(`::-p-aria([name="${label}"])`)).select(value);

// A partial: made, written with a preview, and used by nothing.
await tab.sees('No partials yet');
await tab.review('partials-empty');
await page.keyboard.press('c');
await tab.fill('Name', PARTIAL);
await tab.review('partials-new');
await tab.click('button', 'Create');
await page.waitForSelector('[aria-label="Body"]');
await typeIn('Body', '<p>Written by {{ company }}</p>');
await tab.sees('company is missing in the sample data', '.templates-problems');
await tab.click('button', 'Fill in missing');
await previewShows('Written by');
await tab.click('button', 'Save');
await isSaved();
await tab.click('tab', 'Details');
await tab.sees('Not used by any template');
check('a partial is written with a preview of it', true);

// A mistake is refused where it is.
await tab.click('tab', 'Body');
await typeIn('Body', '{% block a %}{% endblock %}');
await page.waitForSelector('.templates-problem.error');
await tab.click('button', 'More actions');
await tab.click('menuitem', 'Discard changes');
await tab.sees('No problems');

// A template that includes it, in two languages.
const create = 'mutation($input: CreateTemplateInput!) { createTemplate(input: $input) { id } }';
const body = `<h1>Dear {{ name }}</h1><p>{{ total | number("#,##0.00") }}, {{ at | time }}</p>{% include "${PARTIAL}" %}`;
const sampleParams = '{"name": "Ann", "total": 1291.5, "at": "2026-07-16T22:30:00Z", "company": "Acme"}';
const input = { name: LETTER, type: 'email', contentType: 'html', subject: 'Hello {{ name }}', body, sampleParams };
const { id } = (await ask(create, { input })).createTemplate;
await tab.go('/templates/partials');
await tab.sees(PARTIAL, '.record');
await tab.review('partials');
await tab.openRecord(PARTIAL);
await tab.click('tab', 'Details');
await tab.sees('Used by 1 template');
await tab.review('partials-details');
await tab.click('button', 'More actions');
await tab.click('menuitem', 'Delete');
await tab.click('button', 'Delete');
await tab.sees(`the partial is included by the template "${LETTER}"`, '[role="alertdialog"]');
check('a partial in use is not deleted, and its user is named', true);
await tab.review('partials-conflict');
await tab.click('button', 'Cancel');
await tab.click('link', LETTER);
await previewShows('Written by Acme');
await tab.click('tab', 'Details');
await tab.sees('Includes');
await tab.review('templates-parts');
await tab.click('link', PARTIAL);
await tab.sees(PARTIAL, 'h1');
check('a template and its partials lead to each other', true);

// A translation begins with the texts of the template, and is a page of its own.
await tab.go(`/templates/${id}`);
await previewShows('1,291.50');
await tab.click('button', 'More actions');
await tab.click('menuitem', 'Add language');
await tab.fill('Language', 'en');
await tab.sees('The template has this language already.', '[role="dialog"]');
await tab.fill('Language', 'de');
await tab.review('languages-add');
await tab.click('button', 'Add');
await tab.sees('German (de)', '[aria-current="page"]');
await page.waitForSelector('[aria-label="Body"][contenteditable]');
await page.focus('[aria-label="Body"][contenteditable]');
await page.keyboard.down('Control');
await page.keyboard.press('a');
await page.keyboard.up('Control');
await page.keyboard.sendCharacter(`<h1>Hallo {{ name }}</h1><p>{{ total | number("#,##0.00") }}</p>${HOSTILE[0]}`);
await previewShows('1.291,50');
await tab.click('button', 'Save');
await isSaved();
const found = await ask('query($ids: [String]) { templates(filter: {ids: $ids}) { items { translations { locale body } } } }', {
  ids: [id],
});
check('a translation is written and saved', found.templates.items[0].translations[0].body.includes('Hallo {{ name }}'));
await tab.sees('Not used in this translation: at, company', '.templates-reader-note');
await tab.review('languages');

// The preview for a reader of another language and time zone.
await tab.click('link', 'English (en)');
await previewShows('Dear Ann');
await tab.fill('Preview language', 'de-CH');
await previewShows('Hallo Ann');
await tab.sees('Showing German (de).', '.templates-reader-note');
await tab.fill('Preview language', 'fr');
await previewShows('291,50');
await tab.sees('No translation for French (fr). Showing English (en).', '.templates-reader-note');
await tab.fill('Time zone', 'Europe/Zurich');
await previewShows('00:30');
check('the preview is for a reader of a language and a time zone, and says which text was taken', true);
await tab.fill('Preview language', 'xx');
await tab.sees('input.locale', '.templates-reader-note .fault');
await tab.fill('Preview language', '');
await tab.review('languages-preview');

// The PDF of what is written, with a footer.
await ask(create, {
  input: { name: `pages ${RUN}`, type: 'document', contentType: 'html', body: '<i>{{ page }} of {{ pages }}</i>' },
});
await tab.go(`/templates/${id}`);
await previewShows('Dear Ann');
await tab.click('tab', 'PDF');
await page.waitForFunction((name) => document.body.innerText.includes(name), {}, `pages ${RUN}`);
await choose('Footer', `pages ${RUN}`);
await choose('Paper', 'A5');
await tab.click('button', 'Create PDF');
await tab.sees('1 page,');
await page.waitForSelector('.preview.pdf, .preview.none');
const downloads = mkdtempSync(join(tmpdir(), 'studio-parts-'));
const client = await page.createCDPSession();
await client.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
await tab.click('button', 'Download PDF');
const isThere = () => readdirSync(downloads).some((name) => name.endsWith('.pdf'));
await until('the download', isThere);
const bytes = readFileSync(join(downloads, readdirSync(downloads)[0]));
rmSync(downloads, { recursive: true });
check('a template is printed as PDF, and downloaded', bytes.subarray(0, 5).toString() === '%PDF-', `${bytes.length} bytes`);
const { files } = await asker('file-management', { address, key })('{ files { items { name } } }');
check('a printed PDF leaves no file', !files.items.some(({ name }) => name.endsWith('.pdf')), JSON.stringify(files.items));
await tab.review('pdf');
await typeIn('Body', '<p>More</p>');
await tab.sees('It shows an earlier text.');
check('a PDF of an earlier text says so', true);
await tab.click('button', 'More actions');
await tab.click('menuitem', 'Discard changes');
await isSaved();

// The phone, and the end of a translation.
await page.setViewport(PHONE);
for (const [path, name] of [
  [`/templates/${id}/de`, 'languages'],
  ['/templates/partials', 'partials'],
]) {
  await tab.go(path);
  if (name === 'languages') {
    await tab.click('tab', 'Preview');
    await previewShows('Hallo Ann');
  } else await tab.sees(PARTIAL, '.record');
  await tab.review(name);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(`nothing of ${name} is wider than a phone`, width <= PHONE.width, String(width));
}
await tab.go(`/templates/${id}`);
await tab.click('tab', 'Preview');
await tab.click('tab', 'PDF');
await tab.review('pdf');
await page.setViewport(WIDE);
await tab.go(`/templates/${id}/de`);
await tab.click('button', 'More actions');
await tab.click('menuitem', 'Delete');
await tab.sees('Delete the translation German (de)?', '[role="alertdialog"]');
await tab.click('button', 'Delete');
await page.waitForFunction((path) => location.pathname.endsWith(path), {}, `/templates/${id}`);
const left = await ask('query($ids: [String]) { templates(filter: {ids: $ids}) { items { translations { locale } } } }', {
  ids: [id],
});
check('a translation is deleted', left.templates.items[0].translations.length === 0);

// What the frame of the preview refuses of a hostile text is the opposite of a fault.
tab.faults = tab.faults.filter(
  (fault) => !/script-src 'sha256-|img-src data:|^CSP violation: (script-src-attr inline|img-src .*\/studio\/x$)/.test(fault),
);
tab.checkClean('parts');
await browser.close();
finish();
