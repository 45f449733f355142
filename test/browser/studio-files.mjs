// node test/browser/studio-files.mjs ADDRESS KEY: the files of Studio: uploads in one piece and in parts, folders, filters, previews,
// changes, sharing, deletion, stored values that are scripts, and keys that may do little.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, openSync, closeSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, key, adminKey } = addressAndKey();
const ask = asker('file-management', { address, key });
const folder = mkdtempSync(join(tmpdir(), 'studio-files-'));
const run = randomBytes(4).toString('hex'); // names of this run, since the tenant may have files of others
/** What is recognized as a picture. */
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR picture', 'latin1');
const browser = await launch();
try {
  await uploadsAndReads();
  await parts();
  await choosesAndDeletes();
  await worksWithFolders();
  await readsTablesAndMarkdown();
  await showsThumbnails();
  await hostileValues();
  await phone();
  if (adminKey) await narrowKey();
} catch (error) {
  check('the checks of the files end', false, error.stack);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
finish();

function onDisk(name, content) {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Sends content to a file whose creator named the types that it takes. */
async function withRules(tab) {
  const create = 'mutation ($input: CreateFileInput!) { createFile(input: $input) { id } }';
  const { id } = (await ask(create, { input: { name: `${run}/portrait`, accept: ['image/png', 'image/jpeg'] } })).createFile;
  await tab.go(`/files/${id}`);
  await choose(tab, 'New content', onDisk('portrait.png', PNG));
  await tab.click('button', 'Upload');
  await told(
    'content goes to a file that takes some types only',
    async () => (await named(`${run}/portrait`))[0].status === 'done',
  );
  await uploaded(tab);
}

/** Waits until the tab knows that its uploads are done. Before, it asks whether to leave the page, after the server has the content too. */
async function uploaded(tab) {
  await tab.sees('uploaded', '[aria-label="Uploads"] [role="status"]');
}

/** Creates a file by the API. */
async function stored(input, content) {
  const create = 'mutation ($input: CreateFileInput!) { createFile(input: $input) { id uploadUrl } }';
  const { id, uploadUrl } = (await ask(create, { input })).createFile;
  const { status } = await fetch(uploadUrl, { method: 'PUT', body: Buffer.from(content) });
  if (status !== 200) throw new Error(`PUT of ${input.name}: ${status}`);
  return id;
}

async function named(prefix) {
  const query = `query ($filter: FilesFilter) { files(filter: $filter) { items { id name status contentLength checksumSha256 public
    externalReference attributes { name value } downloadUrl } } }`;
  return (await ask(query, { filter: { namePrefix: prefix } })).files.items;
}

async function choose(tab, label, ...paths) {
  const input = await tab.page.waitForSelector(`input[type="file"][aria-label="${label}"]`);
  await input.uploadFile(...paths);
}

/** Waits until the API tells so. */
async function told(what, condition) {
  await until(what, condition);
  check(what, true);
}

async function uploadsAndReads() {
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${run}%2F` });
  await tab.sees(`${run}/ has no files`);
  await tab.review('files-empty');
  const text = `Hello, ${run}\n`;
  await choose(tab, 'Files to upload', onDisk('hello.txt', text), onDisk('data.json', '{"deep":{"one":1}}'));
  await tab.sees('2 files uploaded', '.files-upload-tray');
  await tab.sees('hello.txt', '.record');
  const [{ checksumSha256 }] = await named(`${run}/hello.txt`);
  check('a chosen file is stored in the open folder, byte for byte', checksumSha256 === sha256(text));
  await tab.review('files-list');
  await tab.click('button', 'Clear');
  await tab.page.waitForSelector('.files-upload-tray', { hidden: true });

  await drops(tab);
  await choose(tab, 'Folder to upload', folder);
  await told('a folder keeps its paths below the open folder', async () => {
    const names = (await named(`${run}/`)).map(({ name }) => name);
    return names.some((name) => name.startsWith(`${run}/studio-files-`) && name.endsWith('/hello.txt'));
  });
  await tab.sees('2 files uploaded', '.files-upload-tray');
  await tab.click('button', 'Clear');
  await tab.openRecord('studio-files-');
  await tab.page.waitForFunction(() => new URLSearchParams(location.search).get('folder')?.includes('/studio-files-'));
  await tab.sees('data.json', '.record');
  check('a folder opens, and the address names it', true);
  await tab.click('link', run);
  await tab.openRecord('data.json');
  await tab.sees('"one": 1', '.preview');
  const { pathname } = new URL(tab.page.url());
  check('a file has an address of its own', /^\/studio\/files\/[0-9a-f-]{36}$/.test(pathname), pathname);
  await tab.review('files-detail');
  await tab.page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => void (globalThis.copied = text);
  });
  await tab.click('button', 'Copy link');
  await tab.sees('Link copied. It works for 1 hour');
  const copied = () => tab.page.evaluate(() => globalThis.copied);
  check('the head of a file copies a link that works', (await fetch(await copied())).ok);
  await tab.page.select('[aria-label="Sharing"] select', '604800');
  await told('the head of a file copies a link of the chosen lifetime', async () => {
    await tab.click('button', 'Copy link');
    return Number(new URL(await copied()).searchParams.get('expires')) > Date.now() / 1_000 + 6 * 86_400;
  });
  await tab.sees('Link copied. It works for 7 days');
  await changes(tab);
  await tab.click('button', 'More ways to upload');
  await tab.click('menuitem', 'Upload with options');
  await tab.sees('Expires', '[role="dialog"]');
  await tab.axe('dialog of options');
  await tab.fill('Folder', `${run}/new`, 'textbox');
  await choose(tab, 'Files', onDisk('short.txt', 'Soon gone'));
  await told('a file is uploaded into a new folder', async () => (await named(`${run}/new/short.txt`)).length === 1);
  tab.checkClean('uploads');
}

/** Drops a file on the page, as a person would from a folder of his machine. */
async function drops(tab) {
  await tab.page.evaluate(() => {
    globalThis.dropped = new DataTransfer();
    globalThis.dropped.items.add(new File(['Dropped'], 'dropped.txt'));
    const event = (type) => new DragEvent(type, { dataTransfer: globalThis.dropped, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event('dragenter'));
    globalThis.drop = () => document.body.dispatchEvent(event('drop'));
  });
  await tab.sees(`into ${run}/`, '.files-drop-zone');
  await tab.axe('place to drop');
  await tab.shot('files-drop');
  await tab.page.evaluate(() => globalThis.drop());
  await tab.sees('dropped.txt', '.record');
  check('a file that is dropped on the page is stored in the open folder', true);
  await tab.sees('1 file uploaded', '.files-upload-tray');
  await tab.click('button', 'Clear');
}

/** Changes the open file in every way that the page has. */
async function changes(tab) {
  await tab.click('button', 'More actions');
  await tab.click('menuitem', 'Rename or edit');
  await tab.axe('dialog to edit a file');
  await tab.fill('Name', `${run}/renamed.json`, 'textbox');
  await tab.fill('Reference', `order-${run}`, 'textbox');
  await tab.click('button', 'Save');
  await tab.sees('renamed.json', '.detail-head');
  await tab.click('button', 'Edit details');
  await tab.fill('Comment', `Kept for ${run}`, 'textbox');
  await tab.click('button', 'Save');
  await tab.sees(`Kept for ${run}`, '[aria-label="Details"]');
  const sections = await tab.page.$$eval('.detail section section', (all) =>
    all.map(({ ariaLabel, innerText }) => [ariaLabel, innerText]),
  );
  const names = sections.map(([name]) => name).join();
  check('a file is shared before its details', names === 'Sharing,Details,Attributes', names);
  const [, details] = sections[1];
  check('the times of a file are exact', /Created\s.*\d{4}, \d\d:\d\d:\d\d/.test(details), details);
  await tab.click('button', 'Add');
  await tab.fill('Name 1', 'customer', 'textbox');
  await tab.fill('Value 1', HOSTILE[0], 'textbox');
  await tab.axe('dialog of attributes');
  await tab.click('button', 'Save');
  await tab.sees(HOSTILE[0], '.files-attributes');
  const toggle = await tab.page.waitForSelector(
    '::-p-aria([name="Public. Anyone with the permanent link can view it"][role="switch"])',
  );
  await toggle.press('Space');
  await tab.click('button', 'Make public');
  await tab.sees('works until the file is private');
  const [changed] = await named(`${run}/renamed.json`);
  const { externalReference, attributes, public: isPublic } = changed;
  check(
    'a new name, a reference, an attribute and public are stored',
    externalReference === `order-${run}` && attributes[0].value === HOSTILE[0] && isPublic,
  );
  const code = await tab.page.waitForSelector('.files-address code');
  const shown = await code.evaluate(({ textContent }) => textContent);
  check('the address that is shown is that of the content', (await fetch(shown)).ok && shown === changed.downloadUrl, shown);
  await choose(tab, 'New content', onDisk('other.json', '{"deep":"replaced"}'));
  await tab.click('button', 'Replace');
  await tab.sees('"replaced"', '.preview');
  await uploaded(tab);
  check('content is replaced, and the new one is shown', true);
  await withRules(tab);
  await tab.go(`/files/${changed.id}`);
  await tab.sees('"replaced"', '.preview');
  await tab.click('button', 'More actions');
  await tab.click('menuitem', 'Delete');
  await tab.sees('Delete renamed.json?', '[role="alertdialog"]');
  await tab.axe('question before a deletion');
  await tab.click('button', 'Delete file');
  await told('a file is deleted after one question that names it', async () => (await named(`${run}/renamed.json`)).length === 0);
  await tab.page.waitForFunction(() => location.pathname.replace(/\/$/, '') === '/studio/files');
}

/** A large file is paused on its way, another page is shown meanwhile, and it continues where it was. */
async function parts() {
  const MIB = 1024 * 1024;
  const path = join(folder, 'large.bin');
  closeSync(openSync(path, 'w'));
  truncateSync(path, 72 * MIB);
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${run}%2F` });
  await tab.sees('Upload', 'button');
  const sent = new Set();
  let again = 0;
  tab.page.on('requestfinished', (request) => {
    if (request.method() !== 'PUT') return;
    const { pathname } = new URL(request.url());
    if (sent.has(pathname)) again += 1;
    sent.add(pathname);
  });
  await choose(tab, 'Files to upload', path);
  await until('a part', async () => sent.size > 1);
  await tab.click('button', 'Pause large.bin');
  await tab.sees('Paused', '.files-upload-tray');
  const before = sent.size;
  const warns = await tab.page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
  check('the window warns before it is closed with an unfinished upload', warns);
  await tab.axe('uploads');
  await tab.shot('files-uploading');
  await tab.click('link', 'Overview');
  await tab.sees('Overview', 'h1');
  await tab.click('button', 'Resume large.bin');
  await tab.sees('1 file uploaded', '.files-upload-tray');
  // The part that the pause ended may have arrived as a whole.
  await until('all parts', async () => sent.size >= 8);
  const [file] = await named(`${run}/large.bin`);
  check('a large file is stored as a whole after a pause', file.status === 'done' && file.contentLength === 72 * MIB);
  check(
    'parts sent before a pause are not sent again',
    before < 8 && again === 0,
    `${before} before, ${sent.size} in all, ${again} again`,
  );
  await tab.click('link', 'Files');
  await choose(tab, 'Files to upload', path);
  await tab.click('button', 'Pause large.bin');
  await tab.sees('1 paused', '.files-upload-tray');
  await tab.click('button', 'Cancel large.bin');
  await told('a cancelled upload leaves nothing', async () =>
    (await named('large.bin')).every(({ status }) => status === 'done'),
  );
  tab.checkClean('uploads in parts');
}

async function choosesAndDeletes() {
  const names = Array.from({ length: 12 }, (_, at) => `${run}-many/${String(at).padStart(2, '0')}.txt`);
  for (const name of names) await stored({ name }, name);
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${run}-many%2F` });
  await tab.sees('11.txt', '.record');
  await tab.fill('Name or ID', '0');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 10);
  check(
    'the filter finds names by their beginning, and is in the address',
    new URL(tab.page.url()).searchParams.get('name') === '0',
  );
  await tab.fill('Name or ID', '5.TX');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 1);
  await tab.sees('05.txt', '.record');
  check('three characters find names that contain them, in any letter case', true);
  await tab.click('button', 'Clear filters');
  await tab.sees('11.txt', '.record');
  const boxes = await tab.page.$$('.record [data-choose]');
  await boxes[0].click();
  await tab.page.keyboard.down('Shift');
  await boxes[3].click();
  await tab.page.keyboard.up('Shift');
  await tab.sees('4 selected', '.list-head');
  await tab.axe('chosen files');
  await tab.shot('files-chosen');
  await downloads(tab, () => tab.click('button', 'Download'), 'the chosen files are downloaded as an archive');
  await tab.click('checkbox', 'Select all 12 files');
  await tab.sees('12 selected', '.list-head');
  await tab.click('button', 'Delete');
  await tab.axe('question before many deletions');
  await tab.click('button', 'Delete 12 files');
  await told('many files are deleted at once', async () => (await named(`${run}-many/`)).length === 0);
  await tab.sees('has no files');
  tab.checkClean('choice');
}

/** Presses what downloads, and asks for the address that the page opens. */
async function downloads(tab, press, what) {
  await tab.page.evaluate(() => {
    HTMLAnchorElement.prototype.click = function click() {
      window.opened = this.href;
    };
  });
  await press();
  const opened = await (await tab.page.waitForFunction(() => window.opened)).jsonValue();
  await tab.page.evaluate(() => delete window.opened);
  const response = await fetch(opened);
  const bytes = (await response.arrayBuffer()).byteLength;
  check(
    what,
    response.status === 200 && bytes === Number(response.headers.get('content-length')),
    `${response.status}, ${bytes}`,
  );
}

async function readsTablesAndMarkdown() {
  const place = `${run}-read/`;
  const rows = Array.from({ length: 300 }, (_, at) => `${at};"a ""quoted""\nvalue";${HOSTILE[0]}`);
  const table = await stored({ name: `${place}values.csv` }, ['id;text;hostile', ...rows].join('\n'));
  const markdown = await stored(
    { name: `${place}readme.md`, contentType: 'text/markdown' },
    `# Title ${run}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>parent.hacked()</script>\n\n[x](javascript:parent.hacked()) ${HOSTILE.join(' ')}`,
  );
  const tab = await StudioTab.open(browser, { address, key, path: `/files/${table}` });
  await tab.sees('a "quoted"', '.files-table');
  await tab.sees('Shows the first 200 rows.');
  await tab.axe('a table of values');
  await tab.shot('files-table');
  await tab.click('button', 'Source');
  await tab.sees('id;text;hostile', '.files-text');
  check('values are shown as a table and as they are', true);
  await tab.go(`/files/${markdown}`);
  await tab.sees(`${run}-read`, '[aria-label="Folders"] [aria-current="page"]');
  check('a file that a link opens is shown in its folder', true);
  const frame = await (await tab.page.waitForSelector('iframe.frame')).contentFrame();
  await frame.waitForFunction((title) => document.querySelector('h1')?.textContent === title, {}, `Title ${run}`);
  const inside = await frame.evaluate(
    () => document.querySelectorAll('td').length + document.querySelectorAll('[href]').length * 100,
  );
  check('Markdown is shown as it is read, and its links and scripts do nothing', inside === 2, String(inside));
  await tab.axe('Markdown');
  await tab.shot('files-markdown');
  for (const text of ['>'.repeat(100_000), '_a'.repeat(100_000)]) {
    const deep = await stored({ name: `${place}${text.slice(0, 2)}.md`, contentType: 'text/markdown' }, text);
    await tab.go(`/files/${deep}`);
    await tab.sees('This Markdown is too complex to render.');
  }
  check('Markdown that would overflow or hold the page is shown as it is', true);
  // What the policy of the frame refuses is noted as a fault of the tab, and is the opposite of one.
  const isRefusedInFrame = (fault) =>
    /script-src 'sha256-|img-src data:|^CSP violation: (script-src-attr inline|img-src .*\/studio\/x$)/.test(fault);
  tab.faults = tab.faults.filter((fault) => !isRefusedInFrame(fault));
  tab.checkClean('tables and Markdown');
}

async function worksWithFolders() {
  const tab = await StudioTab.open(browser, { address, key, path: '/files' });
  await tab.click('button', 'More ways to upload');
  await tab.click('menuitem', 'New folder');
  await tab.sees('New folder', '[role=dialog] h2');
  await tab.axe('new folder');
  await tab.fill('Name', `${run}-tree/a`);
  await tab.click('button', 'Open folder');
  await tab.sees('has no files');
  for (const name of ['a/1.txt', 'a/b/2.txt', '3.txt']) await stored({ name: `${run}-tree/${name}` }, name);
  await tab.go(`/files?folder=${run}-tree%2Fa%2F`);
  await tab.sees('1.txt', '.record');
  await tab.click('button', 'Folder actions');
  await tab.axe('folder actions');
  await tab.shot('files-folder-actions');
  await downloads(tab, () => tab.click('menuitem', 'Download as ZIP'), 'a folder is downloaded as an archive');
  await tab.click('button', 'Folder actions');
  await tab.click('menuitem', 'Delete folder');
  await tab.click('button', 'Delete folder');
  await tab.sees('2 files deleted');
  await tab.sees('3.txt', '.record');
  check(
    'a folder is deleted with its subfolders, and nothing else',
    (await named(`${run}-tree/`)).map(({ name }) => name).join() === `${run}-tree/3.txt`,
  );
  tab.checkClean('folders');
}

/** Rows show what small images hold; large ones, those with many pixels in few bytes, and SVG keep their icon. */
async function showsThumbnails() {
  const place = `${run}-thumbnails/`;
  const contents = {
    'red.png': png(64, 32, 8, [0xd0, 0, 0]),
    'many-pixels.png': png(5_000, 5_000, 1),
    'large.png': Buffer.concat([png(64, 32, 8, [0, 0, 0xd0]), Buffer.alloc(1_100_000)]),
    'no-picture.png': PNG,
    'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
  };
  for (const [name, content] of Object.entries(contents))
    await stored({ name: place + name, public: name === 'red.png' }, content);
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${encodeURIComponent(place)}` });
  await tab.sees('red.png', '.record');
  await tab.page.waitForSelector('.files-thumbnail');
  await tab.page.waitForNetworkIdle();
  const shown = await tab.page.evaluate(() => {
    const canvas = document.createElement('canvas');
    return [...document.querySelectorAll('.record')].flatMap((row) => {
      const image = row.querySelector('.files-thumbnail');
      if (!image) return [];
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return [[row.innerText.split('\n')[0], ...context.getImageData(24, 24, 1, 1).data].join()];
    });
  });
  check(
    'a row shows what its image holds, and only where it is small',
    shown.join(' ') === 'red.png,208,0,0,255',
    shown.join(' '),
  );
  await tab.review('files-thumbnails');
  tab.checkClean('thumbnails');
}

/** A picture of one colour, or without one black in one bit a pixel. */
function png(width, height, bits, color = []) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([bits, color.length === 3 ? 2 : 0], 8);
  const line = Buffer.alloc(1 + Math.ceil((width * bits * (color.length || 1)) / 8));
  for (let at = 1; at < line.length && color.length > 0; at += 1) line[at] = color[(at - 1) % color.length];
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)));
  return Buffer.concat([PNG.subarray(0, 8), chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

async function hostileValues() {
  const place = `${run}-hostile/`;
  for (const value of HOSTILE) await stored({ name: `${place}${value.replaceAll('/', '∕')}.txt` }, value);
  const [name, email, , externalReference] = HOSTILE;
  const attributes = HOSTILE.map((value) => ({ name: value, value }));
  const input = { name: `${place}${name}.html`, comment: HOSTILE.join(), author: { name, email }, externalReference, attributes };
  const page = await stored({ ...input, public: true }, `<script>parent.hacked()</script>${HOSTILE.join()}`);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.hacked()</script></svg>';
  const picture = await stored({ name: `${place}picture.svg` }, svg);
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${encodeURIComponent(place)}` });
  await tab.sees('picture.svg', '.record');
  await tab.axe('hostile names');
  await tab.shot('files-hostile');
  await tab.go(`/files/${page}`);
  await tab.sees('<script>parent.hacked()</script>', '.preview');
  await tab.sees(HOSTILE.at(-1), '.files-attributes');
  check('HTML is shown as its source', true);
  await tab.go(`/files/${picture}`);
  await tab.sees('9 × 9 pixels');
  check('SVG is shown as a picture', true);
  const opened = await tab.page.$eval('a.preview', ({ href, target }) => ({ href, target }));
  check('a picture opens in a tab of its own', opened.target === '_blank' && (await fetch(opened.href)).ok, opened.href);
  await tab.go(`/files?folder=${encodeURIComponent(`${HOSTILE[0]}/`)}&name=${encodeURIComponent(HOSTILE[1])}&status=x&from=y`);
  await tab.sees('No files in');
  tab.checkClean('hostile values');
}

async function phone() {
  const id = await stored({ name: `${run}/phone/notes.txt` }, 'Notes');
  const tab = await StudioTab.open(browser, { address, key, path: `/files?folder=${run}%2Fphone%2F`, size: PHONE });
  await tab.sees('notes.txt', '.record');
  await tab.review('files');
  await tab.go(`/files/${id}?folder=${run}%2Fphone%2F`);
  await tab.sees('Notes', '.preview');
  await tab.review('files-detail');
  await tab.go('/files/storage');
  await tab.sees('Storage');
  await tab.review('files-storage');
  const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
  check('a phone shows it without scrolling sideways', width <= PHONE.width, String(width));
  tab.checkClean('phone');
}

/** A key that may look and not touch. */
async function narrowKey() {
  const { tenant } = await (await fetch(`${address}/key`, { headers: { 'x-api-key': key } })).json();
  const input = { tenantId: tenant.id, scope: ['files', 'file'].map((name) => `file-management-api:query:${name}`) };
  const create = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }';
  const { createKey } = await asker('admin', { address, key: adminKey })(create, { input });
  const id = await stored({ name: `${run}-narrow.txt` }, 'Only to be read');
  const tab = await StudioTab.open(browser, { address, key: createKey.secret, path: `/files/${id}` });
  await tab.sees('Only to be read', '.preview');
  await tab.sees(`${run}-narrow.txt`, '.record');
  await tab.sees('This key needs file-management-api:mutation:updateFile');
  const refused = await tab.page.$$eval('main button[aria-disabled="true"]', (buttons) =>
    buttons.map(({ innerText }) => innerText),
  );
  check(
    'a key that may only read sees what it may not do',
    refused.includes('Upload') && refused.includes('Add'),
    refused.join(),
  );
  await tab.click('button', 'More actions');
  const replace = await tab.page.waitForSelector('::-p-aria([name="Replace content"][role="menuitem"])');
  const reason = await replace.evaluate(({ title }) => title);
  const wanted = 'This key needs file-management-api:mutation:createFile or file-management-api:mutation:updateFile';
  check('a key that may only read is told why it cannot replace content', reason === wanted, reason);
  await tab.page.keyboard.press('Escape');
  await tab.axe('narrow key');
  tab.checkClean('narrow key');
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}
