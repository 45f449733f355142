import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import puppeteer, { type Browser } from 'puppeteer-core';

const PATH = '/forms/chromium/convert/html';
/** Form fields of Gotenberg 8 that we use, with their types. */
const FIELDS: Record<string, RegExp> = {
  paperWidth: /^\d+(\.\d+)?$/,
  paperHeight: /^\d+(\.\d+)?$/,
  marginTop: /^\d+(\.\d+)?$/,
  marginRight: /^\d+(\.\d+)?$/,
  marginBottom: /^\d+(\.\d+)?$/,
  marginLeft: /^\d+(\.\d+)?$/,
  landscape: /^(true|false)$/,
  printBackground: /^(true|false)$/,
  generateTaggedPdf: /^(true|false)$/,
  generateDocumentOutline: /^(true|false)$/,
  skipNetworkIdleEvent: /^(true|false)$/,
  nativePageRanges: /^\d+-\d+$/,
};

/** Flags of Gotenberg in docker-compose.yml. */
function composeFlags(): Map<string, string> {
  const [, command = ''] = /^ {6}- gotenberg\n((?: {6}- --.*\n)+)/m.exec(readFileSync('docker-compose.yml', 'utf8')) ?? [];
  const flags = command.matchAll(/- --([\w-]+)=(.*)/g);
  return new Map(Array.from(flags, ([, name, value]) => [name!, value!.replaceAll('$$', '$')]));
}

/**
 * A stand-in for Gotenberg 8: implements the part of its HTTP interface that we use, and prints with a real Chromium under the flags of
 * docker-compose.yml.
 */
export class GotenbergStandIn {
  /** Response to the next requests, in place of a PDF. */
  answer?: (response: ServerResponse) => void;
  /** URLs that pages requested, and whether they were allowed. */
  readonly asked: { url: string; isAllowed: boolean }[] = [];
  /** Received forms, with files by name. */
  readonly forms: Map<string, string>[] = [];
  private readonly flags = composeFlags();
  /** The browser of all documents, as Gotenberg has one. Each document has a context of its own. */
  private browser?: Promise<Browser>;

  private constructor(
    private readonly chromium: string,
    private readonly server: Server,
  ) {
    server.on('request', (request, response) => {
      this.serve(request, response).catch((error: Error) => say(response, 500, error.message));
    });
  }

  static async start(chromium: string): Promise<GotenbergStandIn> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new GotenbergStandIn(chromium, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await (await this.browser)?.close();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/health') return say(response, 200, '{"status":"up"}', 'application/json');
    if (request.method !== 'POST' || request.url !== PATH) return say(response, 404, 'Not Found');
    const type = { 'content-type': request.headers['content-type'] ?? '' };
    const sent = await new Response(Readable.toWeb(request) as ReadableStream, { headers: type }).formData();
    const form = new Map<string, string>();
    for (const [name, value] of sent) {
      if (typeof value === 'string') form.set(name, value);
      else form.set(value.name, await value.text());
    }
    this.forms.push(form);
    if (this.answer) return this.answer(response);
    if (!form.has('index.html')) return say(response, 400, "Invalid form data: form file 'index.html' is required");
    for (const [name, value] of form)
      if (!name.endsWith('.html') && !FIELDS[name]?.test(value))
        return say(response, 400, `Invalid form data: form field '${name}' is invalid`);
    say(response, 200, await this.printed(form), 'application/pdf');
  }

  private async printed(form: Map<string, string>): Promise<Buffer> {
    const folder = mkdtempSync(join(tmpdir(), 'gotenberg-'));
    const index = join(folder, 'index.html');
    writeFileSync(index, form.get('index.html')!);
    const args = ['--no-sandbox', `--host-resolver-rules=${this.flags.get('chromium-host-resolver-rules')}`];
    this.browser ??= puppeteer.launch({ executablePath: this.chromium, pipe: true, args });
    const context = await (await this.browser).createBrowserContext();
    try {
      const page = await context.newPage();
      const session = await page.createCDPSession();
      const isScriptless = this.flags.get('chromium-disable-javascript') === 'true';
      await session.send('Emulation.setScriptExecutionDisabled', { value: isScriptless });
      await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
      session.on('Fetch.requestPaused', ({ requestId, request: { url } }) => {
        const isAllowed = this.allows(url);
        this.asked.push({ url, isAllowed });
        const sent = isAllowed
          ? session.send('Fetch.continueRequest', { requestId })
          : session.send('Fetch.failRequest', { requestId, errorReason: 'AccessDenied' });
        sent.catch(() => undefined);
      });
      if (!this.allows(`file://${index}`)) throw new Error('the document itself is not allowed');
      await page.goto(`file://${index}`);
      const { data } = await session.send('Page.printToPDF', optionsOf(form));
      return Buffer.from(data, 'base64');
    } finally {
      await context.close();
      rmSync(folder, { recursive: true });
    }
  }

  private allows(url: string): boolean {
    const denied = this.flags.get('chromium-deny-list');
    return new RegExp(this.flags.get('chromium-allow-list')!).test(url) && !(denied && new RegExp(denied).test(url));
  }
}

function optionsOf(form: Map<string, string>) {
  const number = (name: string) => Number(form.get(name));
  const hasMargins = form.has('header.html') || form.has('footer.html');
  const none = '<html><head></head><body></body></html>';
  return {
    paperWidth: number('paperWidth'),
    paperHeight: number('paperHeight'),
    marginTop: number('marginTop'),
    marginRight: number('marginRight'),
    marginBottom: number('marginBottom'),
    marginLeft: number('marginLeft'),
    landscape: form.get('landscape') === 'true',
    printBackground: form.get('printBackground') === 'true',
    generateTaggedPDF: form.get('generateTaggedPdf') === 'true',
    generateDocumentOutline: form.get('generateDocumentOutline') === 'true',
    pageRanges: form.get('nativePageRanges')!,
    displayHeaderFooter: hasMargins,
    headerTemplate: form.get('header.html') ?? none,
    footerTemplate: form.get('footer.html') ?? none,
  };
}

function say(response: ServerResponse, status: number, body: string | Buffer, type = 'text/plain; charset=UTF-8'): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}
