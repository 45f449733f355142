// node test/browser/studio-tenants.mjs ADDRESS KEY ADMIN_KEY: the page Tenants of Studio: a tenant is made, gets a key that works, which is
// renamed, rotated and revoked; limits and periods are set; a person is erased; it is suspended, resumed and deleted; the audit log tells.
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { HOSTILE, PHONE, StudioTab, WIDE } from './studio.mjs';

const { address, key, adminKey } = addressAndKey();
// Unique, so that it can run again.
const NAME = `acme ${Date.now()}`;
const hostile = HOSTILE.map((text) => `${text} ${NAME}`);
const admin = asker('admin', { address, key: adminKey });
const statusOf = async (key) => (await fetch(`${address}/key`, { headers: { 'x-api-key': key } })).status;
const shownSecret = (tab) => tab.page.$eval('[role="dialog"] pre', (element) => element.innerText.trim());

const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key: adminKey, path: '/keys' });
  await until('the new address', () => tab.page.url().endsWith('/studio/tenants'));
  await tenant(tab);
  const secret = await newKey(tab);
  await limits(tab);
  await erasure(tab);
  await hostileNames(tab);
  await ends(tab, secret);
  await audit(tab);
  tab.checkClean('tenants');
  await withoutRights();
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
  check('a tenant is created and opens', true);
}

async function newKey(tab) {
  await tab.click('button', 'New key');
  await tab.fill('Name', hostile[0].slice(0, 100));
  await tab.click('checkbox', 'Files: read');
  await tab.axe('new key');
  await tab.click('button', 'Create key');
  await tab.sees('You won’t be able to see it again', '[role="dialog"]');
  await tab.axe('the new key');
  const secret = await shownSecret(tab);
  check('a new key is shown once, and works', (await statusOf(secret)) === 200);
  await tab.click('checkbox', 'I’ve copied it');
  await tab.click('button', 'Done');
  await tab.sees('Files: read.', '.tenants-key-card');
  await tab.sees(hostile[0].slice(0, 100), '.tenants-key-card');
  await tab.click('button', `Actions: ${hostile[0].slice(0, 100)}`);
  await tab.click('menuitem', 'Edit');
  await tab.fill('Name', 'Shop backend');
  await tab.click('checkbox', 'Log: read');
  await tab.axe('edit a key');
  await tab.click('button', 'Save key');
  await tab.sees('Shop backend', '.tenants-key-card');
  await tab.sees('Files: read. Log: read.', '.tenants-key-card');
  check('a key gets another name and more permissions', true);
  await tab.review('tenants');
  await tab.page.setViewport({ width: 1440, height: 900 });
  await tab.review('tenants-1440');
  await tab.page.setViewport(PHONE);
  await tab.review('tenants');
  await tab.page.setViewport(WIDE);
  await tab.click('button', 'Actions: Shop backend');
  await tab.click('menuitem', 'Rotate');
  await tab.click('button', 'Rotate key');
  await tab.sees('You won’t be able to see it again', '[role="dialog"]');
  const next = await shownSecret(tab);
  check('a rotated key works beside the old one', (await statusOf(next)) === 200 && (await statusOf(secret)) === 200);
  await tab.click('checkbox', 'I’ve copied it');
  await tab.click('button', 'Done');
  await tab.page.waitForFunction(() => document.querySelectorAll('.tenants-key-card').length === 2);
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

async function erasure(tab) {
  await tab.click('tab', 'Erasures');
  await tab.sees('No erasures yet');
  await tab.click('button', 'Erase person');
  await tab.fill('Author ID', 'u-17');
  await tab.fill('Email address', 'ann@example.com');
  await tab.axe('erase a person');
  await tab.click('button', 'Continue');
  await tab.sees('Erase this person?', '[role="dialog"]');
  await tab.sees('u-17', '[role="dialog"] li');
  await tab.sees('ann@example.com', '[role="dialog"] li');
  await tab.review('tenants-erase');
  check('an erasure names what it removes before it starts', true);
  await tab.click('checkbox', 'Erase all of this. It can’t be undone.');
  await tab.page.locator('[role="dialog"] button[type="submit"]').click();
  await tab.sees('Running', '.detail .status');
  await tab.review('tenants-erasure');
  check('a person is being erased', true);
}

async function hostileNames(tab) {
  for (const name of hostile) await admin('mutation ($name: String!) { createTenant(input: { name: $name }) { id } }', { name });
  await tab.go('/tenants');
  await tab.sees(hostile[0], '.record');
  await tab.sees('Emails today', '[role="columnheader"]');
  await tab.review('tenants-list');
  await tab.page.setViewport({ width: 1440, height: 900 });
  await tab.review('tenants-list-1440');
  await tab.page.setViewport(PHONE);
  await tab.review('tenants-list');
  await tab.page.setViewport(WIDE);
  await tab.openRecord(hostile[1]);
  await tab.sees(hostile[1], '.detail h2');
}

async function ends(tab, secret) {
  await tab.openRecord(NAME);
  await tab.sees(NAME, '.detail h2');
  await tab.page.waitForSelector('.tenants-key-card');
  const prefix = secret.slice(0, 12);
  await tab.page.evaluate((wanted) => {
    const card = [...document.querySelectorAll('.tenants-key-card')].find(({ innerText }) => innerText.includes(wanted));
    card.querySelector('button').click();
  }, prefix);
  await tab.click('menuitem', 'Revoke');
  await tab.sees('Revoke Shop backend?', '[role="alertdialog"]');
  await tab.axe('revoke');
  await tab.click('button', 'Revoke key');
  await until('the refusal of the key', async () => (await statusOf(secret)) === 401);
  check('a revoked key is refused', true);
  await tab.click('button', 'Show 1 ended key');
  await tab.sees('Revoked', '.tenants-key-card');
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

async function audit(tab) {
  await tab.click('link', 'View audit log');
  await tab.sees('Started deleting tenant', '.record');
  check('the actions on a tenant are there', new URL(tab.page.url()).searchParams.has('documentId'));
  await endTokens();
  await tab.go('/tenants/audit');
  await tab.sees('Revoked key', '.record');
  await tab.sees('Shop backend (psk_', '.record');
  await tab.sees('Tokens of the key created until', '.record');
  check('ended tokens are in the audit log', true);
  const rows = await tab.page.$$eval(
    '.record',
    (all) => all.filter(({ innerText }) => innerText.startsWith('Created key')).length,
  );
  check('an action of several changes is one line', rows === 1, rows);
  await tab.review('audit-list');
  await tab.page.setViewport(PHONE);
  await tab.review('audit-list');
  await tab.page.setViewport(WIDE);
  await tab.click('button', 'Action');
  await tab.click('menuitemradio', 'Changed key');
  await tab.page.waitForFunction(() => document.querySelectorAll('.record').length === 1);
  await tab.openRecord('Changed key');
  await tab.sees('Shop backend', '.tenants-audit-changes');
  await tab.review('audit');
  await tab.page.reload();
  await tab.sees('Shop backend', '.tenants-audit-changes');
  await tab.click('link', 'Show tenant');
  await tab.sees(NAME, '.detail h2');
  check('an action leads to its tenant, and has an address', true);
}

/** Ends the access tokens of a tenant's key. */
async function endTokens() {
  const { id } = await (await fetch(`${address}/key`, { headers: { 'x-api-key': key } })).json();
  await asker('email', { address, key })('mutation($id:ID){denyAccess(input:{keyId:$id}){deniedAt}}', { id });
}

async function withoutRights() {
  const tab = await StudioTab.open(browser, { address, key, path: '/tenants/audit' });
  await tab.sees('This key can’t use Tenants');
  check('a tenant key is told the missing scope', true);
  const operator = await StudioTab.open(browser, { address, key: adminKey });
  await operator.sees('Latest activity');
  const text = await operator.page.$eval('main', ({ innerText }) => innerText);
  check('the overview offers no step that the key may not take', !text.includes('First steps'), text.slice(0, 200));
}
