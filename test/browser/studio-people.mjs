// node test/browser/studio-people.mjs ADDRESS KEY ADMIN_KEY: a person signs in to Studio at an issuer, works, switches tenants and signs
// out everywhere; keys continue to work. The issuer of the server is oidc-provider, whose page asks for a login.
import { addressAndKey, asker, check, finish, launch, until } from './browser.mjs';
import { StudioTab } from './studio.mjs';

const { address, key, adminKey } = addressAndKey();
const NAME = `by-ann-${Date.now()}.txt`;

const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, path: '/files' });
  await signIn(tab, 'ann');
  await until('the page that was asked for', () => tab.page.url() === `${address}/studio/files`);
  await tab.sees('Ann Lee', 'nav');
  await tab.sees('acme', 'nav');
  check('a person signs in, and is back on the page that was asked for', true);
  const stored = await tab.page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie);
  check('no script can read the session', !stored.includes('psk_') && !stored.includes('platform-session'), stored);
  await works(tab);
  await switches(tab);
  const second = await secondTab(tab);
  await signsOut(tab, second);
  tab.checkClean('people');
  await withKey();
  await operates();
} catch (error) {
  check('the checks of the page end', false, error.stack);
} finally {
  await browser.close();
}
finish();

async function signIn(tab, login) {
  await tab.sees('Sign in with your account');
  await tab.axe('sign in');
  await tab.click('link', 'Sign in with your account');
  const field = await tab.page.waitForSelector('input[name="login"]');
  await field.type(login);
  await tab.page.type('input[name="password"]', 'any');
  await tab.page.click('button[type="submit"]');
}

async function works(tab) {
  const made = await tab.page.evaluate(async (name) => {
    const headers = {
      'content-type': 'application/json',
      'x-tenant-id': sessionStorage.getItem('platform-services-key').slice(7),
    };
    const query = 'mutation($n:String){createFile(input:{name:$n}){uploadUrl}}';
    const body = JSON.stringify({ query, variables: { n: name } });
    const answer = await fetch('/file-management/graphql', { method: 'POST', headers, body });
    const { data } = await answer.json();
    return (await fetch(data.createFile.uploadUrl, { method: 'PUT', body: 'content' })).status;
  }, NAME);
  check('a page uploads with the session', made === 200);
  await tab.go('/files');
  await tab.sees(NAME);
  const files = await asker('file-management', { address, key })('{files{items{name author{id name}}}}');
  const { author } = files.files.items.find(({ name }) => name === NAME);
  check('what a person saves has the person as author', author.id === 'ann' && author.name === 'Ann Lee');
}

async function switches(tab) {
  await tab.click('button', 'Menu');
  await tab.click('menuitem', 'Switch tenant');
  await tab.sees('beta', '[role="dialog"]');
  await tab.axe('switch of tenants');
  await tab.click('button', 'beta');
  await tab.sees('beta', 'nav');
  await until('the files of the other tenant', () => tab.page.evaluate((name) => !document.body.innerText.includes(name), NAME));
  check('a person switches tenants', true);
}

/** A tab of the same browser opened later, which has the session too. */
async function secondTab({ page }) {
  const other = await page.browserContext().newPage();
  await other.setViewport({ width: 1280, height: 800 });
  await other.goto(`${address}/studio`);
  await other.waitForFunction(() => document.querySelector('nav')?.innerText.includes('Ann Lee'));
  check('another tab needs no second sign-in', true);
  return other;
}

async function signsOut(tab, other) {
  await tab.page.bringToFront(); // a tab in the background draws no frame, and a click waits for one
  await tab.click('button', 'Menu');
  await tab.click('menuitem', 'Sign out');
  await until('the page of the issuer', () => tab.page.url().includes('/session/end'));
  await other.bringToFront();
  await other.waitForFunction(() => document.body.innerText.includes('Sign in with your account'));
  check('a sign-out ends all tabs, and leads to the issuer', true);
  await other.reload();
  await other.waitForFunction(() => document.body.innerText.includes('Sign in with your account'));
  check('a signed-out person is asked to sign in again', true);
  tab.foreign.clear();
}

async function withKey() {
  const tab = await StudioTab.open(browser, { address, key, path: '/files' });
  await tab.sees(NAME);
  check('a key continues to work beside', true);
}

async function operates() {
  const tab = await StudioTab.open(browser, { address });
  await signIn(tab, 'olga');
  await tab.sees('Olga', 'nav');
  tab.foreign.clear(); // the issuer is another host
  await tab.click('button', 'Menu');
  await tab.click('menuitem', 'Switch tenant');
  await tab.click('button', 'platform-admin');
  await tab.sees('platform-admin', 'nav');
  await tab.go('/tenants/sessions');
  await tab.sees('editor:acme');
  await tab.axe('sessions');
  const admin = asker('admin', { address, key: adminKey });
  const live = async () =>
    (await admin('{sessions{items{name revokedAt}}}')).sessions.items.filter(({ revokedAt }) => !revokedAt);
  check(
    'an operator sees sessions',
    (await live()).some(({ name }) => name === 'Olga'),
  );
  tab.checkClean('sessions');
}
