// node test/browser/inert-files.mjs ADDRESS KEY: files that hold scripts, opened in a real browser. The same bytes run when
// a plain server gives them out, and not when the product does. One line for each check; exit code 1 when one failed.
// CHROMIUM names the browser.
import { createServer } from 'node:http';
import { addressAndKey, asker, check, finish, launch, WAIT_MS } from './browser.mjs';

const XHTML = 'http://www.w3.org/1999/xhtml';
const XSLT = 'http://www.w3.org/1999/XSL/Transform';
const PROOF = "fetch('/ran');document.documentElement.setAttribute('data-ran','1')";
const HTML = `<!doctype html><meta charset=utf-8><style>p{color:rgb(1,2,3)}</style><p>readable</p><script>${PROOF}</script><img src=x onerror="${PROOF}">`;
const XML = `<html xmlns="${XHTML}"><p>readable</p><script>${PROOF}</script></html>`;
const stylesheet = (body) =>
  `<xsl:stylesheet version="1.0" xmlns:xsl="${XSLT}"><xsl:template match="/"><html>${body}</html></xsl:template></xsl:stylesheet>`;
const styledBy = (href) => `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${href}"?><a/>`;

/** Types that run where nothing prevents it. */
const RUN = [
  ['text/html', HTML],
  ['text/html; charset=utf-8', HTML],
  ['application/xhtml+xml', XML],
  ['text/xml', XML],
  ['application/xml', XML],
  ['text/xsl', XML],
  ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"><script>${PROOF}</script><text y="20">readable</text></svg>`],
];
const MIXED = `--b\r\nContent-Type: text/html\r\n\r\n${HTML}\r\n--b--\r\n`;

const { address, key } = addressAndKey();
const ask = asker('file-management', { address, key });

/** The permanent address of a public file. */
async function publicFile(contentType, content) {
  const input = { contentType, public: true };
  const create = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
  const { id, uploadUrl } = (await ask(create, { input })).createFile;
  const { status } = await fetch(uploadUrl, { method: 'PUT', body: Buffer.from(content) });
  if (status !== 200) throw new Error(`PUT of ${contentType}: ${status}`);
  return (await ask(`{file(ID:"${id}"){downloadUrl}}`)).file.downloadUrl;
}

/** A server that sends a type and nothing more, so that each check is known to be able to fail. */
async function plainServer() {
  const contents = new Map();
  const server = createServer((request, response) => {
    const [type, body] = contents.get(request.url) ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type }).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const add = (type, body) => {
    const path = `/${contents.size}`;
    contents.set(path, [type, body]);
    return `http://localhost:${server.address().port}${path}`;
  };
  return { add, close: () => server.close() };
}

const browser = await launch();
const plain = await plainServer();

/** Opens an address and tells whether its script ran: what it changed, or what it asked for. */
async function open(url) {
  const page = await browser.newPage();
  try {
    let asked = false;
    page.on('request', (request) => (asked ||= request.url().endsWith('/ran')));
    const response = await page.goto(url, { waitUntil: 'networkidle0', timeout: WAIT_MS }).catch(() => undefined);
    if (!response) return { downloaded: true, ran: asked };
    const seen = await page.evaluate(() => ({
      origin: self.origin,
      changed: document.documentElement?.getAttribute('data-ran') === '1',
      text: document.documentElement?.textContent ?? '',
      color: document.querySelector('p') && getComputedStyle(document.querySelector('p')).color,
    }));
    return { ...seen, ran: asked || seen.changed };
  } finally {
    await page.close();
  }
}

try {
  for (const [type, content] of RUN) {
    check(`${type} runs where nothing prevents it`, (await open(plain.add(type, content))).ran);
    const { ran, origin, text } = await open(await publicFile(type, content));
    check(`${type} runs nothing, is of no origin, and can be read`, !ran && origin === 'null' && text.includes('readable'));
  }
  check('a page of HTML keeps its styles', (await open(await publicFile('text/html', HTML))).color === 'rgb(1, 2, 3)');

  const script = `<script xmlns="${XHTML}">${PROOF}</script>`;
  const xslt = stylesheet(script);
  const loose = plain.add('application/xml', styledBy(plain.add('text/xsl', xslt)));
  check('XML with a stylesheet runs what that makes, where nothing prevents it', (await open(loose)).ran);
  const held = await publicFile('application/xml', styledBy(await publicFile('text/xsl', xslt)));
  check('XML with a stylesheet runs nothing', !(await open(held)).ran);

  for (const type of ['multipart/x-mixed-replace; boundary=b', 'multipart/related; boundary=b', 'message/rfc822']) {
    const result = await open(await publicFile(type, MIXED));
    check(`${type} is a download`, result.downloaded === true && !result.ran);
  }
  const sniffed = await open(await publicFile('text/plain', HTML));
  check('HTML as plain text is shown as text', !sniffed.ran && sniffed.text.includes('<script>'));

  const worker = 'self.addEventListener("fetch", () => {})';
  const register = async (url) => {
    const page = await browser.newPage();
    await page.setBypassCSP(true); // as a page of the service that may run scripts, which a console is
    await page.goto(new URL('/health/live', url).href);
    const outcome = await page.evaluate(
      (target) =>
        navigator.serviceWorker.register(target).then(
          () => 'registered',
          () => 'refused',
        ),
      url,
    );
    await page.close();
    return outcome;
  };
  check(
    'a script becomes a service worker where nothing prevents it',
    (await register(plain.add('text/javascript', worker))) === 'registered',
  );
  check('a script does not become a service worker', (await register(await publicFile('text/javascript', worker))) === 'refused');

  const page = await browser.newPage();
  const session = await browser.target().createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  const begun = new Promise((resolve) => session.once('Browser.downloadWillBegin', () => resolve(true)));
  const zip = await publicFile('application/zip', 'PK');
  await page.goto(zip).catch(() => undefined);
  check(
    'a file that is not a document is still downloaded',
    await Promise.race([begun, new Promise((r) => setTimeout(r, WAIT_MS, false))]),
  );
} finally {
  plain.close();
  await browser.close();
}
finish();
