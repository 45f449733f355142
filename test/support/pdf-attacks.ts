import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areMet, program } from './needs.js';
import { html, PNG, RENDER, type RenderingTenant } from './rendered-files.js';

/** URLs that a document must not reach, besides a test server. */
const INNER = ['http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd', 'file:///tmp/', 'file:///tmp/?.html'];

const RECTANGLE = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">';
/** HTML that makes a browser request a URL. */
export const ATTACKS: [string, (to: string) => string][] = [
  ['addresses of elements', (to) => `<img src="${to}"><iframe src="${to}"></iframe><embed src="${to}"><object data="${to}"></object><video src="${to}" poster="${to}"></video><input type=image src="${to}">`],
  ['links', (to) => `<link rel=stylesheet href="${to}"><link rel=preload as=image href="${to}"><link rel=preconnect href="${to}"><link rel=dns-prefetch href="${to}"><link rel=prefetch href="${to}"><link rel=icon href="${to}"><a ping="${to}" href="${to}">a</a><base href="${to}"><img src=x>`],
  ['a refresh', (to) => `<meta http-equiv=refresh content="0;url=${to}">`],
  ['styles', (to) => `<style>@import url(${to});@font-face{font-family:x;src:url(${to})}p{font-family:x;background:url(${to});list-style:url(${to});content:url(${to});cursor:url(${to}),auto}</style><p>x</p>`],
  ['SVG', (to) => `${RECTANGLE}<image href="${to}"/><use xlink:href="${to}#a"/><foreignObject><iframe src="${to}"></iframe></foreignObject><script href="${to}"></script></svg><img src='data:image/svg+xml,${RECTANGLE}<image href="${to}"/></svg>'>`],
  ['scripts', (to) => `<script>fetch("${to}");new WebSocket("${to}".replace("http","ws"));location="${to}"</script><img src=x onerror="location='${to}'"><script src="${to}"></script><iframe srcdoc="<script>top.location='${to}'</script>"></iframe>`],
  ['forms', (to) => `<form action="${to}" method=post><input autofocus onfocus="form.submit()"></form><iframe src="data:text/html,<img src='${to}'>"></iframe>`],
  ['a policy of its own', (to) => `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src *"><img src="${to}">`],
]; // prettier-ignore

/**
 * Prints an attack on each of some addresses as a document, and as its header and footer, since each takes a browser. At night, the
 * addresses of the test's own server are printed apart from all others. Returns the codes of the refusals.
 */
export async function attacked(
  tenant: RenderingTenant,
  own: string[],
  [name, attack]: readonly [string, (to: string) => string],
): Promise<{ document?: string; margins?: string }[]> {
  const codes: { document?: string; margins?: string }[] = [];
  for (const addresses of process.env.TEST_LONG === '1' ? [own, INNER] : [[...own, ...INNER]]) {
    const body = addresses.map(attack).join('');
    const part = `${name} ${addresses[0]}`;
    await tenant.template(part, body);
    const codeOf = async (input: object) =>
      (await tenant.rendering.send(RENDER, { input })).errors?.[0]?.extensions?.code as string | undefined;
    const pdf = { headerTemplateName: part, footerTemplateName: part };
    codes.push({ document: await codeOf(html(`<p>safe</p>${body}`)), margins: await codeOf({ ...html('<p>safe</p>'), pdf }) });
  }
  return codes;
}

/** The image has one point. The placeholder of a broken one has more. */
const PICTURE = /\/Width 1\s/;
/** Extracts the texts of a PDF. */
const READER = 'pdftotext';
const VALUE = '<b>bold</b> {{ page }}';

/** Checks that margins show supplied images, none of a file of the machine, and parameter values as text. */
export async function checkMargins(tenant: RenderingTenant): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pdf-attack-'));
  const picture = join(folder, 'secret.png');
  writeFileSync(picture, PNG);
  const shown = async (src: string, serial: string) => {
    const image = `<img src="${src}" style="width:20px;height:20px">`;
    await tenant.template(`picture ${serial}`, image);
    const pdf = { marginsMm: [20], headerTemplateName: `picture ${serial}`, footerTemplateName: `picture ${serial}` };
    return [await tenant.pdf(html(image)), await tenant.pdf({ ...html('<p>x'), pdf })].map((content) => PICTURE.test(content));
  };
  expect(await shown(`data:image/png;base64,${PNG.toString('base64')}`, 'handed in')).toEqual([true, true]);
  expect(await shown(`file://${picture}`, 'of the machine')).toEqual([false, false]);
  await tenant.template('value', '<span title="{{ x }}">{{ x }}</span>');
  const params = JSON.stringify({ x: VALUE });
  const pdf = { marginsMm: [20], headerTemplateName: 'value', footerTemplateName: 'value' };
  const content = await tenant.pdf({ ...html('<p>{{ x }}'), params, pdf });
  if (areMet(program(READER))) {
    const file = join(folder, 'a.pdf');
    writeFileSync(file, content, 'latin1');
    const text = execFileSync(READER, [file, '-'], { encoding: 'utf8' });
    expect(text.split(VALUE)).toHaveLength(4);
  }
  rmSync(folder, { recursive: true });
}
