// node test/browser/example.mjs ADDRESS KEY PAGE: the page of examples/browser in a real browser uploads a file and hears that it arrived.
// CHROMIUM names the browser.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';

const CONTENT = Buffer.alloc(6 * 1024 * 1024, 'page ');
const platform = addressAndKey();
const address = process.argv[4];
const folder = mkdtempSync(join(tmpdir(), 'platform-services-page-'));
const browser = await launch();
try {
  const page = await browser.newPage();
  const faults = [];
  const texts = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => texts.push(request.url() + JSON.stringify(request.headers())));
  page.on('response', (response) => texts.push(response.url()));
  await page.goto(address);
  await page.evaluate(() => {
    globalThis.steps = [];
    const bar = document.getElementById('progress');
    new MutationObserver(() => steps.push(bar.value)).observe(bar, { attributes: true });
  });
  const inbox = (what) =>
    page.evaluate(`(() => { const root = document.querySelector('platform-inbox').shadowRoot; return ${what}; })()`);
  await until('the inbox is loaded', () => inbox(`!root.querySelector('[part=empty]').hidden`));
  const path = join(folder, 'photo.bin');
  writeFileSync(path, CONTENT);
  await (await page.$('#file')).uploadFile(path);
  const notifications = () => inbox(`[...root.querySelectorAll('[part=text]')].map((node) => node.textContent)`);
  await until('a notification', async () => (await notifications()).length > 0);
  check(
    'the page hears that its file arrived',
    (await notifications()).join() === `Unread: photo.bin has arrived, ${CONTENT.length} bytes`,
  );
  await inbox(`root.querySelector('[part=mark-all]').click()`);
  await until('it is read', async () => (await notifications()).join() === `photo.bin has arrived, ${CONTENT.length} bytes`);
  const steps = await page.evaluate('steps');
  check(
    'the progress of an upload grows to the end',
    steps.at(-1) === 1 && steps.every((step, index) => index === 0 || step >= steps[index - 1]),
  );

  const ask = asker('file-management', platform);
  const { files } = await ask('{ files { items { checksumSha256 } } }');
  const sha256 = createHash('sha256').update(CONTENT).digest('hex');
  check('a stored file equals the chosen one', files.items.length === 1 && files.items[0].checksumSha256 === sha256);
  check('the key is in nothing that the page sent', texts.length > 5 && !texts.join().includes(platform.key));
  check('nothing went wrong in the page', faults.length === 0, faults.join());
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
finish();
