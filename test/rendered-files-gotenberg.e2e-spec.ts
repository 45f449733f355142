// @nightly postgresql: no SQL of its own
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PDF } from '@libpdf/core';
import { Config } from '../src/common/config/config.js';
import { CHROMIUM, describeWithChromium } from './support/chromium.js';
import { GotenbergStandIn } from './support/gotenberg.js';
import { ATTACKS, attacked, checkMargins } from './support/pdf-attacks.js';
import { checkShownInMargins, html, largestFont, PNG, RenderingTenant as Tenant } from './support/rendered-files.js';
import { badInput, UNKNOWN } from './support/rendering.js';
import { TestServer } from './support/server.js';

describe('the PDF settings', () => {
  it('refuse CHROMIUM_PATH together with PDF_URL, and a URL with a password or a path', () => {
    const both = { CHROMIUM_PATH: '/usr/bin/chromium', PDF_URL: 'http://localhost:3001' };
    expect(() => Config.read(both)).toThrow(/CHROMIUM_PATH and PDF_URL must not both be set/);
    for (const wrong of ['ftp://localhost', 'http://a:b@localhost', 'http://localhost/path'])
      expect(() => Config.read({ PDF_URL: wrong })).toThrow(/PDF_URL must/);
    expect(Config.read({ PDF_URL: 'http://gotenberg:3000/' }).pdfUrl).toBe('http://gotenberg:3000');
  });
});

describeWithChromium('renderFile by the interface of Gotenberg', () => {
  let gotenberg: GotenbergStandIn;
  let server: TestServer;
  let tenant: Tenant;
  beforeAll(async () => {
    gotenberg = await GotenbergStandIn.start(CHROMIUM);
    server = await TestServer.start({ PDF_URL: gotenberg.url });
    tenant = await Tenant.of(server, await server.createKey());
  });
  beforeEach(() => {
    gotenberg.answer = undefined;
    gotenberg.asked.length = 0;
  });
  afterAll(async () => {
    await server.stop();
    await gotenberg.stop();
  });

  it('prints paper, margins, header, footer, language and title like the built-in Chromium', async () => {
    await tenant.template('bill', '<h1>{{ number }}</h1><p style="page-break-before:always">{{ gone }}</p>');
    await tenant.template('foot', '<b>{{ page }} of {{ pages }}</b>');
    const margins = { marginsMm: [20, 10, 20, 10], headerTemplateName: 'foot', footerTemplateName: 'foot' };
    const input = {
      templateName: 'bill',
      params: '{"number":"2026-17"}',
      locale: 'de-CH',
      pdf: { paper: 'A5', landscape: true, ...margins },
      file: { name: 'a <b> "c".pdf' },
    };
    expect(await tenant.render(input)).toMatchObject({ pages: 2, missingParams: ['gone'], warnings: [] });
    const [form] = gotenberg.forms.slice(-1);
    expect(Number(form!.get('marginTop'))).toBeCloseTo(20 / 25.4);
    expect(Number(form!.get('marginLeft'))).toBeCloseTo(10 / 25.4);
    const number = (name: string) => `<span class="${name}"></span>`;
    expect(form!.get('footer.html')).toContain(`<b>${number('pageNumber')} of ${number('totalPages')}</b>`);
    const content = await tenant.pdf(input);
    expect(content).toMatch(/\/Lang \(de-CH\)/);
    expect(content).toMatch(/\/Title \(a <b> "c"\.pdf\)/);
    expect(content).toMatch(/\/MarkInfo <<\/Type \/MarkInfo\s+\/Marked true>>/);
    expect(content).toMatch(/\/MediaBox \[0 0 59\d(?:\.\d+)? 4(?:19|20)/);
    const own = '<!doctype html><html lang="fr"><head><title>Été</title></head><body><p>x</p></body></html>';
    const kept = await tenant.pdf({ ...html(own), locale: 'de', file: { name: 'b' } });
    expect(kept).toMatch(/\/Lang \(fr\)/);
    expect(kept).toContain('/Title <FEFF00C9007400E9>');
  });

  it('shows stored images and fonts without requests, and refuses more than its limit of them', async () => {
    const dot = await tenant.stored('dot.png', PNG);
    const image = `<img alt="a > b" src="cid:${dot}"><p style="background:url('cid:${dot}')">x`;
    expect(await tenant.pdf(html(image))).toContain('/Subtype /Image');
    expect(gotenberg.forms.at(-1)!.get('index.html')).toContain(PNG.toString('base64'));
    const font = largestFont();
    if (font) {
      const id = await tenant.stored('own.ttf', font);
      const style = `<style>@font-face{font-family:own;src:url(cid:${id})}p{font-family:own}</style>`;
      expect(await tenant.pdf(html(`${style}<p>text`))).toMatch(/\/FontFile/);
    }
    expect(gotenberg.asked.every(({ url }) => url.endsWith('/index.html'))).toBe(true);
    const large = await tenant.stored('large.png', Buffer.alloc(2 ** 20));
    const often = html(`{% for a in list %}<img src="cid:${large}">{% endfor %}`);
    const params = JSON.stringify({ list: Array.from({ length: 40 }, () => 1) });
    expect(await tenant.refusal({ ...often, params })).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('50 MiB'),
    });
  });

  it('shows stored files in a header and a footer, and refuses unknown ones', () => checkShownInMargins(tenant, UNKNOWN));

  it('accepts a PDF with cross-reference and object streams, and converts it to PDF/A', async () => {
    const pdf = PDF.create();
    for (let page = 0; page < 3; page++) pdf.addPage();
    pdf.setTitle('Été');
    const bytes = Buffer.from(await pdf.save({ useXRefStream: true }));
    expect(bytes.includes('\nxref')).toBe(false);
    gotenberg.answer = (response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end(bytes);
    expect(await tenant.render(html('<p>x'))).toMatchObject({ pages: 3, contentLength: bytes.length });
    const list = await tenant.stored('list.csv', Buffer.from('a,b'));
    const content = Buffer.from(await tenant.pdf({ ...html('<p>x'), pdf: { archival: true, embed: [list] } }), 'latin1');
    expect(content.subarray(0, bytes.length).equals(bytes)).toBe(true);
    const read = await PDF.load(content);
    expect([read.getPageCount(), read.getTitle(), read.recoveredViaBruteForce]).toEqual([3, 'Été', false]);
    expect(Buffer.from(read.getAttachment('list.csv')!).toString()).toBe('a,b');
    expect(content.toString('latin1')).toContain('<pdfaid:part>3<');
  });

  it('creates PDF/A with embedded files', async () => {
    const guideline = '<ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:cen.eu:en16931:2017</ram:ID>';
    const xml = Buffer.from(`<?xml version="1.0"?><rsm:CrossIndustryInvoice>${guideline}</rsm:CrossIndustryInvoice>`);
    const invoice = await tenant.stored('factur-x.xml', xml);
    const input = { ...html('<title>Rechnung (1)</title><p>x'), pdf: { archival: true, embed: [invoice] } };
    const content = await tenant.pdf(input);
    for (const part of ['<pdfaid:part>3<', '<fx:ConformanceLevel>EN 16931<', 'Rechnung (1)</rdf:li>', String(xml)])
      expect(content).toContain(part);
  });

  it.each(ATTACKS)(
    'blocks requests for %s, in the document, its header and its footer, under the flags of docker-compose.yml',
    async (...attack) => {
      let connections = 0;
      const listener = createServer((_request, response) => response.end('secret')).listen(0, '127.0.0.1');
      listener.on('connection', () => (connections += 1));
      await once(listener, 'listening');
      const { port } = listener.address() as AddressInfo;
      await attacked(tenant, [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`], attack);
      listener.close();
      expect(connections).toBe(0);
      const through = gotenberg.asked.filter(({ isAllowed }) => isAllowed).map(({ url }) => url);
      expect(through.every((url) => /^file:\/\/\/tmp\/gotenberg-\w+\/index\.html$/.test(url))).toBe(true);
    },
  );

  it('shows no image of the machine and writes values as text, in the document, its header and its footer', () =>
    checkMargins(tenant));

  it('passes on what Gotenberg reports about a document, and is unavailable otherwise', async () => {
    const answers = (status: number, said: string) => {
      gotenberg.answer = (response) => response.writeHead(status).end(said);
    };
    answers(400, 'Invalid form data: x');
    expect(await tenant.refusal(html('x'))).toMatchObject(badInput('input', /Gotenberg at PDF_URL .*: Invalid form data: x$/));
    for (const [status, said] of [
      [503, 'Service Unavailable'],
      [500, 'secret /tmp/a'],
      [404, 'Not Found'],
      [429, 'Too many'],
    ] as const) {
      answers(status, said);
      const { code, message } = await tenant.refusal(html('x'));
      expect({ code, message }).toEqual({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining(`Gotenberg at PDF_URL answered ${status}`),
      });
      expect(message).not.toContain('secret');
    }
    gotenberg.answer = (response) => response.writeHead(302, { location: '/health' }).end();
    expect(await tenant.refusal(html('x'))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    answers(200, 'no PDF');
    expect(await tenant.refusal(html('x'))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    answers(200, 'x'.repeat(50 * 2 ** 20 + 1));
    expect(await tenant.refusal(html('x'))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('is refused with the time limit when Gotenberg does not answer, and serves others after it', async () => {
    const held: (() => void)[] = [];
    gotenberg.answer = (response) => held.push(() => response.destroy());
    expect(await tenant.refusal(html('x'))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('30 s'),
    });
    held.forEach((end) => end());
    gotenberg.answer = undefined;
    expect(await tenant.render(html('<p>x'))).toMatchObject({ pages: 1 });
  });
});
