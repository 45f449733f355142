// node test/browser/studio-demo.mjs ADDRESS KEY ADMIN_KEY: the pages of a tenant that `platform-services demo` filled, in both themes.
// STUDIO_SHOTS=docs/images makes the pictures of the documents.
import { addressAndKey, check, finish, launch } from './browser.mjs';
import { PHONE, StudioTab } from './studio.mjs';

const { address, key, adminKey } = addressAndKey();
const browser = await launch();
try {
  const tab = await StudioTab.open(browser, { address, key });
  await tab.sees('Overview', 'h1');
  await tab.sees('1 email failed today');
  await tab.review('overview');
  await tab.go('/files?folder=products%2F');
  await tab.openRecord('harvest-espresso.svg');
  await tab.sees('640 × 480 pixels');
  await tab.review('files');
  await tab.go('/templates');
  await tab.openRecord('order confirmation');
  await tab.sees('A-1042');
  await tab.review('templates');
  await tab.go('/email');
  await open(tab, 'Your order A-1041');
  await tab.sees('Your order A-1041', '.detail h2');
  await tab.page.waitForSelector('iframe.frame');
  await tab.review('email');
  await tab.go('/push');
  await open(tab, 'mara@alder-finch.example');
  await tab.page.waitForSelector('.detail h2');
  await tab.review('push');
  await tab.go('/log/document?type=order&id=A-1042');
  await tab.sees('shipped');
  await tab.review('log');
  check('every page of the demo was shown', true);
  tab.checkClean('demo');
  const admin = await StudioTab.open(browser, { address, key: adminKey, path: '/tenants' });
  await admin.openRecord('demo');
  await admin.sees('platform-services demo', '.detail');
  await admin.review('tenants');
  admin.checkClean('tenants');
  const phone = await StudioTab.open(browser, { address, key, size: PHONE });
  await phone.sees('Overview', 'h1');
  await phone.review('overview');
} catch (error) {
  check('the checks of the demo end', false, error.stack);
} finally {
  await browser.close();
}
finish();

/** Opens the first record of the list that has a text. */
async function open(tab, text) {
  const find = (wanted) => {
    const record = [...document.querySelectorAll('.record')].find(({ innerText }) => innerText.includes(wanted));
    record?.click();
    return Boolean(record);
  };
  await tab.page.waitForFunction(find, {}, text);
}
