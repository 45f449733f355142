// node test/browser/studio-parents.mjs ADDRESS KEY ADMIN_KEY: a parent in Studio: set for a new tenant, changed and removed; what a child
// inherits is marked and read-only.
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { NameServer } from '../nodes/name-server.mjs';
import { StudioTab } from './studio.mjs';

const { EMAIL_DNS_SERVERS } = process.env;
const { address, adminKey } = addressAndKey();
const admin = asker('admin', { address, key: adminKey });
const RUN = Date.now().toString(36);
const [PARENT, CHILD, DOMAIN] = [`parent ${RUN}`, `child ${RUN}`, `parent-${RUN}.example`];
const [TEMPLATE, PARTIAL, STYLESHEET, OWN] = ['template', 'partial', 'stylesheet', 'own'].map((kind) => `${kind} ${RUN}`);
const SCOPE = ['query', 'mutation'].flatMap((kind) => [`document-rendering-api:${kind}:*`, `email-api:${kind}:*`]);

const createTenant = async (name) =>
  (await admin('mutation($i:CreateTenantInput!){createTenant(input:$i){id}}', { i: { name } })).createTenant.id;
const keyOf = async (tenantId) =>
  (await admin('mutation($i:CreateKeyInput!){createKey(input:$i){secret}}', { i: { tenantId, name: 'k', scope: SCOPE } }))
    .createKey.secret;
const tenantNamed = async (name) =>
  (await admin('query($name:String){tenants(name:$name){items{id parentId children}}}', { name })).tenants.items[0];

/** Creates what a child inherits. */
async function possess(key) {
  const rendering = asker('document-rendering', { address, key });
  const { createCss } = await rendering('mutation($i:CreateCssInput!){createCss(input:$i){id}}', {
    i: { name: STYLESHEET, text: 'p { color: red }' },
  });
  await rendering('mutation($i:CreatePartialInput!){createPartial(input:$i){id}}', {
    i: { name: PARTIAL, contentType: 'html', body: '<b>part</b>' },
  });
  const texts = { type: 'email', contentType: 'html', subject: 'Inherited', body: '<p>of the parent</p>' };
  await rendering('mutation($i:CreateTemplateInput!){createTemplate(input:$i){id}}', {
    i: { name: TEMPLATE, ...texts, parentCssId: createCss.id },
  });
}

async function verify(key, names) {
  const email = asker('email', { address, key });
  const { createEmailDomain } = await email(
    'mutation($domain:String!){createEmailDomain(domain:$domain){records{type name value}}}',
    { domain: DOMAIN },
  );
  await names.add(...createEmailDomain.records);
  const check = 'mutation($domain:String!){checkEmailDomain(domain:$domain){status}}';
  const { checkEmailDomain } = await email(check, { domain: DOMAIN });
  if (checkEmailDomain.status !== 'VERIFIED') throw new Error(`The domain is ${checkEmailDomain.status}`);
}

/** Sets a parent for a new tenant, and changes it. */
async function operates(tab) {
  await tab.sees('Tenants', 'h1');
  await tab.click('button', 'New tenant');
  await tab.fill('Name', CHILD);
  await tab.fill('Parent', `${PARENT} nobody`);
  await tab.click('button', 'Create tenant');
  await tab.sees(`No tenant is named ${PARENT} nobody`, '[role="dialog"]');
  await tab.axe('new tenant with a parent');
  await tab.fill('Parent', PARENT);
  await tab.click('button', 'Create tenant');
  await tab.sees(CHILD, '.detail h2');
  await tab.sees(PARENT, '.detail dl');
  const [parent, child] = [await tenantNamed(PARENT), await tenantNamed(CHILD)];
  check('a new tenant gets a parent by its name', child.parentId === parent.id && parent.children === 1);
  await tab.click('button', 'Change parent');
  await tab.fill('Parent', CHILD);
  await tab.click('button', 'Save parent');
  await tab.sees('Must be another tenant', '[role="dialog"]');
  await tab.axe('a refused parent');
  check('a parent that the API refuses is explained', true);
  await tab.page.locator('[role="dialog"] input').click({ count: 3 });
  await tab.page.keyboard.press('Backspace');
  await tab.click('button', 'Save parent');
  await until('no parent', async () => (await tenantNamed(CHILD)).parentId === null);
  await tab.page.waitForFunction(() => !document.querySelector('.detail dl').innerText.includes('Parent'));
  await tab.click('button', 'Change parent');
  await tab.fill('Parent', PARENT);
  await tab.click('button', 'Save parent');
  await tab.sees(PARENT, '.detail dl');
  check('a parent is removed and set again', (await tenantNamed(CHILD)).parentId === parent.id);
  await tab.review('tenant-child');
  await tab.page.locator(`.detail a::-p-text(${PARENT})`).click();
  await tab.sees('1 tenant', '.detail dl');
  check('a parent shows the number of its children', true);
  await tab.click('button', 'Delete');
  await tab.fill('Enter the tenant name to confirm', PARENT);
  await tab.click('button', 'Delete tenant and data');
  await tab.sees('is the parent of 1 tenant', '[role="dialog"]');
  check('a parent with children is not deleted', true);
}

const buttons = (tab) =>
  tab.page.$$eval('main button', (all) => all.map(({ innerText, ariaLabel }) => ariaLabel ?? innerText.trim()));

/** Opens what a list marks as inherited, and expects no way to change it. */
async function reads(tab, { path, name, word, absent }) {
  await tab.go(path);
  await tab.sees('Inherited', '.record .status');
  await tab.review(`${word}-inherited-list`);
  await tab.openRecord(word === 'domain' ? 'Verified' : name);
  await tab.sees(`create a ${word} named ${name}`, '.notice');
  const shown = await buttons(tab);
  check(`an inherited ${word} is marked and read-only`, !absent.some((one) => shown.includes(one)), shown.join());
  await tab.review(`${word}-inherited`);
}

/** Creates an own template of the same name, which replaces the inherited one. */
async function overrides(tab) {
  await tab.go('/templates');
  await tab.sees('Inherited', '.record');
  await tab.click('button', 'New template');
  await tab.fill('Name', TEMPLATE);
  await tab.click('button', 'Create');
  await tab.page.waitForSelector('[aria-label="Body"]');
  await tab.sees('Save', 'button');
  await tab.go('/templates');
  await tab.sees(TEMPLATE, '.record');
  const rows = await tab.page.$$eval('.record', (all) => all.map(({ innerText }) => innerText));
  const named = rows.filter((row) => row.startsWith(TEMPLATE));
  check('an own template of the same name replaces it', named.length === 1 && !named[0].includes('Inherited'), named.join());
}

async function ownDetails(tab, key) {
  const rendering = asker('document-rendering', { address, key });
  const { createTemplate } = await rendering('mutation($i:CreateTemplateInput!){createTemplate(input:$i){id}}', {
    i: { name: OWN, type: 'document', contentType: 'html', body: '' },
  });
  await tab.go(`/templates/${createTemplate.id}`);
  await tab.click('tab', 'Details');
  await tab.sees('None', 'select');
  const names = await tab.page.$$eval('select option', (all) => all.map(({ innerText }) => innerText));
  check('an own template offers no stylesheet of the parent, which the API refuses', !names.includes(STYLESHEET), names.join());
}

const names = await NameServer.start(Number(EMAIL_DNS_SERVERS.split(':')[1]));
const browser = await launch();
try {
  const parentKey = await keyOf(await createTenant(PARENT));
  await Promise.all([possess(parentKey), verify(parentKey, names)]);
  const operator = await StudioTab.open(browser, { address, key: adminKey, path: '/tenants' });
  await operates(operator);
  operator.checkClean('as an operator');
  const childKey = await keyOf((await tenantNamed(CHILD)).id);
  const tab = await StudioTab.open(browser, { address, key: childKey, path: '/templates' });
  const absent = ['Save', 'Saving', 'Delete', 'Store with template', 'Add language'];
  await reads(tab, { path: '/templates', name: TEMPLATE, word: 'template', absent });
  await until('the preview', async () => {
    const frame = tab.page.frames().find((one) => one.url().endsWith('/studio/frame.html'));
    return (await frame?.evaluate(() => document.body.innerText).catch(() => ''))?.includes('of the parent');
  });
  check('an inherited template is shown with the stylesheet of the parent', true);
  await reads(tab, { path: '/templates/partials', name: PARTIAL, word: 'partial', absent });
  await reads(tab, { path: '/templates/stylesheets', name: STYLESHEET, word: 'stylesheet', absent });
  await reads(tab, { path: '/email/domains', name: DOMAIN, word: 'domain', absent: ['Check now', 'Rotate keys', 'Delete'] });
  await ownDetails(tab, childKey);
  await overrides(tab);
  tab.checkClean('as a child');
} catch (error) {
  check('the checks run to their end', false, error.stack);
} finally {
  await browser.close();
  await names.stop();
}
finish();
