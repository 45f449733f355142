// node test/browser/studio-keys.mjs ADDRESS KEY ADMIN_KEY: the page Keys of Studio: a tenant is made, gets a key that works, which is rotated
// and revoked; limits and periods are set; it is suspended, resumed and deleted.
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab } from './studio.mjs';

const { address, adminKey } = addressAndKey();
// Unique, so that it can run again.
const NAME = `acme ${Date.now()}`;
const hostile = HOSTILE.map((text) => `${text} ${NAME}`);
const admin = asker('admin', { address, key: adminKey });
const statusOf = async (key) => (await fetch(`${address}/key`, { headers: { 'x-api-key': key } })).status;
const shownSecret = (tab) => tab.page.$eval('[role="dialog"] pre', (element) => element.innerText.trim());

const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key: adminKey, path: '/keys' });
  await tenant(tab);
  const secret = await newKey(tab);
  await limits(tab);
  await hostileNames(tab);
  await ends(tab, secret);
  tab.checkClean('keys');
} catch (error) {
  check('the checks of the page end', false, error.stack);
} finally {
  await browser.close();
}
finish();

async function tenant(tab) {
  await tab.sees('Tenants', 'h1');
  await tab.click('button', 'New tenant');
  await tab.fill('Name', NAME);
  await tab.axe('new tenant');
  await tab.click('button', 'Create tenant');
  await tab.sees(NAME, '.detail h2');
  await tab.sees('No keys yet');
  check('a tenant is made, and opens', true);
}

async function newKey(tab) {
  await tab.click('button', 'New key');
  await tab.click('checkbox', 'Files: read');
  await tab.axe('new key');
  await tab.click('button', 'Create key');
  await tab.sees('You won’t be able to see it again', '[role="dialog"]');
  await tab.axe('the new key');
  const secret = await shownSecret(tab);
  check('a new key is shown once, and works', (await statusOf(secret)) === 200);
  await tab.click('checkbox', 'I’ve copied it');
  await tab.click('button', 'Done');
  await tab.sees('Files: read.', '.key-card');
  await tab.review('keys');
  await tab.click('button', 'Rotate');
  await tab.click('button', 'Rotate key');
  await tab.sees('You won’t be able to see it again', '[role="dialog"]');
  const next = await shownSecret(tab);
  check('a rotated key works beside the old one', (await statusOf(next)) === 200 && (await statusOf(secret)) === 200);
  await tab.click('checkbox', 'I’ve copied it');
  await tab.click('button', 'Done');
  await tab.page.waitForFunction(() => document.querySelectorAll('.key-card').length === 2);
  return next;
}

async function limits(tab) {
  await tab.click('tab', 'Limits and usage');
  await tab.click('button', 'Change: Files');
  await tab.fill('Number', '10');
  await tab.axe('a limit');
  await tab.click('button', 'Save limit');
  await tab.page.waitForSelector('[role="dialog"]', { hidden: true });
  await tab.sees('Custom', '.detail table');
  await tab.axe('limits');
  await tab.click('tab', 'Retention');
  await tab.click('button', 'Change: Files, since last change');
  await tab.fill('Days', '30');
  await tab.click('button', 'Save period');
  await tab.sees('30 days', '.detail table');
  await tab.axe('retention');
  const { tenants } = await admin(
    'query ($name: String) { tenants(name: $name) { items { limits { name limit } retention { kind days } } } }',
    { name: NAME },
  );
  const [{ limits: set, retention }] = tenants.items;
  const isSet = set.some(({ name, limit }) => name === 'files' && limit === 10) && retention.some(({ days }) => days === 30);
  check('limits and periods are set', isSet);
}

async function hostileNames(tab) {
  for (const name of hostile) await admin('mutation ($name: String!) { createTenant(input: { name: $name }) { id } }', { name });
  await tab.go('/keys');
  await tab.sees(hostile[0], '.record');
  await tab.page.setViewport(PHONE);
  await tab.review('keys-list');
  await tab.page.setViewport({ width: 1280, height: 800 });
  await tab.openRecord(hostile[1]);
  await tab.sees(hostile[1], '.detail h2');
}

async function ends(tab, secret) {
  await tab.openRecord(NAME);
  await tab.sees(NAME, '.detail h2');
  await tab.page.waitForSelector('.key-card');
  const prefix = secret.slice(0, 12);
  await tab.page.evaluate((wanted) => {
    const card = [...document.querySelectorAll('.key-card')].find(({ innerText }) => innerText.includes(wanted));
    [...card.querySelectorAll('button')].find(({ innerText }) => innerText.startsWith('Revoke')).click();
  }, prefix);
  await tab.sees(`Revoke ${prefix}…?`, '[role="alertdialog"]');
  await tab.axe('revoke');
  await tab.click('button', 'Revoke key');
  await until('the refusal of the key', async () => (await statusOf(secret)) === 401);
  check('a revoked key is refused', true);
  await tab.click('button', 'Suspend');
  await tab.sees('Suspended', '.detail-head');
  await tab.click('button', 'Resume');
  await tab.sees('Active', '.detail-head');
  await tab.click('button', 'Delete');
  await tab.fill('Enter the tenant name to confirm', NAME);
  await tab.axe('delete a tenant');
  await tab.click('button', 'Delete tenant and data');
  await tab.sees('Being deleted', '.detail-head');
  check('a tenant is suspended, resumed and deleted', true);
}
