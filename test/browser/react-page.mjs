// node test/browser/react-page.mjs PAGE FILE: chooses a file on the page of docs/five-minutes-react.md. CHROMIUM names the browser.
import { check, finish, launch, until } from './browser.mjs';

const [, , address, path] = process.argv;
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.goto(address);
  await (await page.waitForSelector('input')).uploadFile(path);
  const shown = () => page.$eval('input', (node) => node.title);
  await until('the end of the upload', async () => ['done', 'failed'].includes(await shown()));
  check('the page uploads the file', (await shown()) === 'done', await shown());
  await page.waitForNetworkIdle();
} finally {
  await browser.close();
}
finish();
