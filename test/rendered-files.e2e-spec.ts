// @nightly postgresql: no SQL of its own
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
// Past the API: profiles that killed nodes left behind.
import { makeProfile, removeProfile } from '../src/modules/document-rendering/pdf/profiles.js';
import { CHROMIUM, describeWithChromium } from './support/chromium.js';
import { areMet, program } from './support/needs.js';
import { Deployment } from './support/process.js';
import { until } from './support/websockets.js';
import { ATTACKS, attacked, checkMargins } from './support/pdf-attacks.js';
import {
  checkShownInMargins,
  FILE,
  html,
  largestFont,
  PNG,
  RENDER,
  RenderingTenant as Tenant,
} from './support/rendered-files.js';
import { badInput, UNKNOWN } from './support/rendering.js';
import { TestServer } from './support/server.js';

/** Returns the browser profiles of a process, by their names. */
const profiles = (owner = process.pid): string[] =>
  readdirSync(tmpdir()).filter((name) => new RegExp(`^platform-services-pdf-.*-${owner}-\\d+-\\w{6}$`).test(name));

/** Returns the browser processes that use one of some profiles. */
function browsers(named: string[]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return named.some((profile) => command.includes(profile));
      } catch {
        return false;
      }
    });
}

/** Waits until there is no browser but the one for the next PDF. */
const onlyNext = (): Promise<unknown> => until(async () => profiles().length === 1 && browsers(profiles()).length > 2);

/** Pages that exceed a limit. The first two are printed on each change, the others at night. */
const HEAVY = [
  '<table><tr><td>x</td></tr></table>'.repeat(10_000),
  '<div style="page-break-after:always">x</div>'.repeat(10_000),
  '<div style="width:100000px;height:10000000px">x</div>',
  `${'<div style="display:flex"><table><tr><td>'.repeat(1_500)}x`,
  `<style>${'@font-face{font-family:a;src:url(data:font/woff2;base64,d09GMgABAAAAAAAA)}'.repeat(5_000)}p{font-family:a}</style><p>x`,
  `<style>p{filter:blur(500px);box-shadow:0 0 9000px red}</style>${'<p>x</p>'.repeat(2_000)}`,
].slice(0, process.env.TEST_LONG === '1' ? undefined : 2);

/** A server in a process of its own, with a tenant. */
async function ownProcess() {
  const deployment = await Deployment.create({ CHROMIUM_PATH: CHROMIUM });
  const server = deployment.start({ PORT: '0' });
  const address = await server.ready();
  const key = await deployment.keys('create', '--tenant', 'a', '--scope', ALL_SCOPES);
  return { deployment, server, address, tenant: await Tenant.of({ address }, key) };
}

describe('renderFile without a browser', () => {
  it('is refused with the settings to set', async () => {
    const server = await TestServer.start();
    const tenant = await Tenant.of(server, await server.createKey());
    expect(await tenant.refusal(html('<p>x'))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining('CHROMIUM_PATH'),
    });
    await server.stop();
  });
});

describeWithChromium('renderFile', () => {
  let server: TestServer;
  let tenant: Tenant;
  let listener: Server;
  let connections = 0;
  let origin: string;
  beforeAll(async () => {
    server = await TestServer.start({ CHROMIUM_PATH: CHROMIUM });
    tenant = await Tenant.of(server, await server.createKey());
    listener = createServer((_, response) => response.end('secret')).listen(0, '0.0.0.0');
    listener.on('connection', () => (connections += 1));
    await once(listener, 'listening');
    origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    listener.close();
    await server.stop();
  });

  it('stores a saved template as a PDF with its pages, header, footer, language, title and the fields of createFile', async () => {
    await tenant.template('bill', '<h1>{{ number }}</h1><p style="page-break-before:always">{{ gone }}</p>');
    await tenant.template('foot', '<b>{{ page }} of {{ pages }}</b>');
    const file = { name: 'bill.pdf', externalReference: 'order-1', attributes: [{ name: 'a', value: 'b' }] };
    const pdf = {
      paper: 'A5',
      landscape: true,
      marginsMm: [20, 10, 20, 10],
      headerTemplateName: 'foot',
      footerTemplateName: 'foot',
    };
    const input = { templateName: 'bill', params: '{"number":"2026-17"}', locale: 'de-CH', pdf, file };
    const made = await tenant.render(input);
    expect(made).toMatchObject({ pages: 2, missingParams: ['gone'], warnings: [] });
    const { file: stored } = await tenant.files.ask(FILE, { id: made.fileId });
    const shown = { ...file, status: 'done', contentType: 'application/pdf', contentLength: made.contentLength };
    expect(stored).toMatchObject(shown);
    const content = await tenant.pdf(input);
    expect(content).toMatch(/^%PDF-/);
    expect(content).toMatch(/\/Lang \(de-CH\)/);
    expect(content).toMatch(/\/Title \(bill\.pdf\)/);
    expect(content).toMatch(/\/MarkInfo <<\/Type \/MarkInfo\s+\/Marked true>>/);
    expect(content).toMatch(/\/MediaBox \[0 0 59\d(?:\.\d+)? 4(?:19|20)/);
  });

  it('shows stored files of the tenant, and those of no other', async () => {
    const id = await tenant.stored('dot.png', PNG);
    const page = html(`<img src="cid:${id}"><p style="background:url('cid:${id}')">x`);
    expect(await tenant.pdf(page)).toContain('/Subtype /Image');
    const other = await Tenant.of(server, await server.createKey());
    for (const [asked, shown] of [
      [other, id],
      [tenant, UNKNOWN],
    ] as const)
      // prettier-ignore
      expect(await asked.refusal(html(`<img src="cid:${shown}">`))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('shows stored files in a header and a footer, and refuses unknown ones', () => checkShownInMargins(tenant, UNKNOWN));

  it('refuses invalid input by its field', async () => {
    await tenant.template('plain', 'x', { contentType: 'plain' });
    const faults: [object, ReturnType<typeof badInput>][] = [
      [{ params: '{}' }, badInput('input.templateName', /send one of the two/)],
      [{ ...html('x'), templateName: 'plain' }, badInput('input.templateName', /send one of the two/)],
      [{ templateName: 'plain', params: '{}' }, badInput('input.templateName', /html/)],
      [{ ...html('x'), pdf: { marginsMm: [1, 2] } }, badInput('input.pdf.marginsMm', /one number, or four/)],
      [{ ...html('x'), pdf: { marginsMm: [101] } }, badInput('input.pdf.marginsMm.0', /0 to 100/)],
      [{ ...html('x'), file: { expiresIn: 0 } }, badInput('input.file.expiresIn', /1 to/)],
      [{ ...html('{{ a }}'), strict: true }, badInput('input.params', /a is missing/)],
    ];
    for (const [input, error] of faults) expect(await tenant.refusal(input)).toMatchObject(error);
    const header = { ...html('x'), pdf: { headerTemplateName: 'unknown' } };
    expect(await tenant.refusal(header)).toMatchObject({ code: 'NOT_FOUND', field: 'input.pdf.headerTemplateName' });
  });

  it('creates one file for a repeated or concurrent key, none for other input, and frees the key after a failure', async () => {
    const count = async () => (await tenant.files.ask('{storageUsed{fileCount}}')).storageUsed.fileCount;
    const keyed = { templateName: 'keyed', params: '{"a":1}', file: { name: 'k.pdf' }, idempotencyKey: 'once' };
    expect(await tenant.refusal(keyed)).toMatchObject({ code: 'NOT_FOUND' });
    const template = (await tenant.template('keyed', '<p>{{ a }}{{ b }}')).createTemplate.id;
    const before = await count();
    const [first, second] = await Promise.all([tenant.render(keyed), tenant.render(keyed)]);
    expect(first).toMatchObject({ pages: 1, missingParams: ['b'] });
    expect(second).toEqual(first);
    await tenant.rendering.ask('mutation($id:ID!){deleteTemplate(id:$id){id}}', { id: template });
    expect(await tenant.render(keyed)).toEqual(first);
    expect(await count()).toBe(before + 1);
    for (const other of [{ params: '{"a":2}' }, { pdf: { landscape: true } }, { file: { name: 'other.pdf' } }])
      expect(await tenant.refusal({ ...keyed, ...other })).toMatchObject({ code: 'CONFLICT', field: 'input.idempotencyKey' });
    expect(await tenant.refusal({ ...keyed, idempotencyKey: '' })).toMatchObject(
      badInput('input.idempotencyKey', /must not be empty/),
    );
    const another = await Tenant.of(server, await server.createKey());
    await another.template('keyed', 'x');
    const own = await another.render(keyed);
    expect(own.missingParams).toEqual([]);
    expect(own.fileId).not.toBe(first.fileId);
  });

  it('creates a PDF/A-3b with an embedded Factur-X invoice, byte for byte', async () => {
    const guideline = '<ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:cen.eu:en16931:2017</ram:ID>';
    const xml = Buffer.from(`<?xml version="1.0"?><rsm:CrossIndustryInvoice>${guideline}</rsm:CrossIndustryInvoice>`);
    const [invoice, again] = [await tenant.stored('2026/factur-x.xml', xml), await tenant.stored('factur-x.xml', xml)];
    const other = await tenant.stored('äö "list".csv', Buffer.from('a,b'));
    const page = html('<title>Rechnung <17> & Söhne</title><h1>Rechnung</h1><a href="https://example.com">x</a>');
    const content = await tenant.pdf({ ...page, pdf: { archival: true, embed: [other, invoice] } });
    for (const part of [
      '/Subtype /text#2Fxml',
      '<pdfaid:part>3</pdfaid:part><pdfaid:conformance>B<',
      '<fx:ConformanceLevel>EN 16931<',
      '&amp; S',
      '/S /GTS_PDFA1',
    ])
      expect(content).toContain(part);
    expect(content).toMatch(
      /trailer\s+<<\s*\/Size \d+\s+\/Root \d+ 0 R\s+\/Prev \d+\s+\/Info \d+ 0 R\s+\/ID \[<\w{32}> <\w{32}>\]\s*>>/,
    );
    expect(content).toMatch(
      /\/AFRelationship \/Alternative.*\/AFRelationship \/Supplement|\/AFRelationship \/Supplement.*\/AFRelationship \/Alternative/s,
    );
    // Each object stands where the last table says.
    const [, table] = /startxref\s(\d+)\s%%EOF\s$/.exec(content)!;
    const sections = content.slice(Number(table)).matchAll(/^(\d+) (\d+)\n((?:\d{10} 00000 n\r\n)+)/gm);
    const places = [...sections].flatMap(([, first, count, lines]) => {
      expect(lines).toHaveLength(20 * Number(count));
      return lines!
        .split('\r\n', Number(count))
        .map((line, index) => [Number(first) + index, Number(line.slice(0, 10))] as const);
    });
    expect(places.length).toBeGreaterThan(8);
    for (const [number, place] of places) expect(content.slice(place)).toMatch(new RegExp(`^${number} 0 obj\\n`));
    const folder = mkdtempSync(join(tmpdir(), 'archival-'));
    const file = join(folder, 'a.pdf');
    writeFileSync(file, content, 'latin1');
    const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' });
    if (areMet(program('qpdf'))) {
      expect(run('qpdf', '--check', file)).toContain('No syntax or stream encoding errors found');
      expect(run('qpdf', '--show-attachment=factur-x.xml', file)).toBe(String(xml));
      expect(run('qpdf', '--show-attachment=äö "list".csv', file)).toBe('a,b');
    }
    if (areMet(program('pdfinfo')))
      expect(run('pdfinfo', file)).toMatch(/Title: +Rechnung <17> & Söhne\n(?:.*\n)*Tagged: +yes\n/);
    rmSync(folder, { recursive: true });
    expect(await tenant.refusal({ ...page, pdf: { embed: [invoice, again] } })).toMatchObject(
      badInput('input.pdf.embed.1', /rename one of them/),
    );
    const wrong = await tenant.stored('factur-x.xml', Buffer.from('<x/>'));
    expect(await tenant.refusal({ ...page, pdf: { embed: [wrong] } })).toMatchObject(badInput('input.pdf.embed.0', /guideline/));
    const stranger = await Tenant.of(server, await server.createKey());
    expect(await stranger.refusal({ ...page, pdf: { embed: [invoice] } })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('creates a public file on request, with the Cache-Control of createFile', async () => {
    const file = { public: true, cacheControl: 'public, max-age=60' };
    const { fileId } = await tenant.render({ ...html('<p>x'), file });
    const { file: made } = await tenant.files.ask('query($id:ID!){file(ID:$id){public cacheControl}}', { id: fileId });
    expect(made).toEqual(file);
    const wrong = { ...html('<p>x'), file: { cacheControl: 'no-store' } };
    expect(await tenant.refusal(wrong)).toMatchObject(badInput('input.file.cacheControl', /public/));
  });

  it('follows no redirect, and prints with a large font passed in', async () => {
    const redirect = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/redirect`;
    const body = `<img src="${redirect}"><link rel=stylesheet href="${redirect}"><iframe src="${redirect}"></iframe>`;
    expect(await tenant.render(html(`${body}<p>x`))).toMatchObject({ pages: 1 });
    expect(connections).toBe(0);
    const large = largestFont();
    if (!large) return;
    const id = await tenant.stored('large.ttf', large);
    const style = `<style>@font-face{font-family:large;src:url(cid:${id})}p{font-family:large}</style>`;
    expect(await tenant.pdf(html(`${style}<p>text`))).toMatch(/\/FontFile/);
  });

  it.each(ATTACKS)('opens no connection for %s, in the document, its header and its footer', async (...attack) => {
    const own = [origin, `http://localhost:${new URL(origin).port}/`];
    for (const { document, margins } of await attacked(tenant, own, attack)) {
      expect(document).toBeUndefined();
      expect([undefined, 'BAD_USER_INPUT']).toContain(margins);
    }
    expect(connections).toBe(0);
  });

  it('shows no image of the machine and writes values as text, in the document, its header and its footer', () =>
    checkMargins(tenant));

  it('ends each page that exceeds a limit with a result or a clear error, and serves others after it', async () => {
    const codes = [undefined, 'BAD_USER_INPUT', 'PAYLOAD_TOO_LARGE', 'SERVICE_UNAVAILABLE'];
    for (const body of HEAVY) {
      const { errors } = await tenant.rendering.send(RENDER, { input: html(body) });
      expect(codes).toContain(errors?.[0]?.extensions?.code);
    }
    expect(await tenant.render(html('<p>after'))).toMatchObject({ pages: 1 });
    await onlyNext();
  });

  it('serves tenants in round-robin order, and leaves no process or profile except one for the next PDF', async () => {
    const other = await Tenant.of(server, await server.createKey());
    const order: string[] = [];
    const many = Array.from({ length: 8 }, (_, at) =>
      tenant.rendering.send(RENDER, { input: html(`<p>${at}`) }).then(() => order.push('many')),
    );
    await Promise.all([...many, other.render(html('<p>one')).then(() => order.push('one'))]);
    expect(order.indexOf('one')).toBeLessThan(5);
    await onlyNext();
  });

  it('prints in a browser that was started ahead, once, and in a new one if that has died', async () => {
    const { deployment, server: own, address, tenant: asking } = await ownProcess();
    const fresh = () => profiles(own.child.pid);
    expect(fresh()).toEqual([]);
    const figure = async (name: string) =>
      Number((await (await fetch(`${address}/metrics`)).text()).split(`\n${name} `)[1]?.split('\n')[0] ?? 0);
    const started = (start: string) => figure(`pdf_browsers_total{start="${start}"}`);
    const next = async () => {
      await until(async () => (await figure('pdf_browsers_prepared')) === 1 && fresh().length === 1);
      return fresh()[0]!;
    };
    await asking.render(html('<p>1'));
    const ahead = await next();
    await asking.render(html('<p>2'));
    const last = await next();
    expect(last).not.toBe(ahead);
    expect([await started('ahead'), await started('on demand')]).toEqual([1, 1]);
    for (const pid of browsers([last])) process.kill(Number(pid), 'SIGKILL');
    await until(async () => browsers([last]).length === 0);
    expect(await asking.render(html('<p>3'))).toMatchObject({ pages: 1 });
    expect(await started('on demand')).toBe(2);
    expect(await own.stop()).toBe(0);
    expect(fresh()).toEqual([]);
    await deployment.remove();
  });

  it('leaves no browser when the server is killed, and no profile once it has restarted', async () => {
    const { deployment, server: killed, tenant: own } = await ownProcess();
    const left = own.render(html('<table><tr><td>x</td></tr></table>'.repeat(20_000))).catch(() => undefined);
    await until(async () => browsers(profiles(killed.child.pid)).length > 2);
    const [profile] = profiles(killed.child.pid);
    await killed.stop('SIGKILL');
    await left;
    await until(async () => browsers([profile!]).length === 0);
    expect(profiles(killed.child.pid)).toContain(profile);
    const ofLiving = await makeProfile();
    const next = deployment.start({ PORT: '0' });
    await next.ready();
    expect(profiles(killed.child.pid)).toEqual([]);
    expect(existsSync(ofLiving)).toBe(true);
    await removeProfile(ofLiving);
    expect(await next.stop()).toBe(0);
    await deployment.remove();
  });
});
