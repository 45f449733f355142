import { once } from 'node:events';
import type { Browser, CDPSession, Page, PDFOptions, Protocol } from 'puppeteer-core';
import { type AppError, badInput } from '../../../common/base/app-error.js';
import { type PdfDocument, sidesOf } from './pdf-document.js';
import { type EnginePdf, PAGE_RANGE, readWithin } from './pdf-engine.js';
import { makeProfile, removeProfile } from './profiles.js';

/** URL of the document. The host never exists (RFC 6761), and the browser resolves no hosts. */
const ADDRESS = 'http://document.invalid/';
const FILES = 'http://document.invalid/files/';
const CONTENT_POLICY = `default-src 'none'; img-src data: cid: ${FILES}; font-src data: ${FILES}; style-src 'unsafe-inline'; sandbox`;
const START_LIMIT_MS = 10_000;
/** PATH for the scripts that start Chromium. The browser receives none of the server's settings and secrets. */
const PROGRAMS = '/usr/local/bin:/usr/bin:/bin';

const FLAGS = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--no-proxy-server',
  '--disable-gpu',
  '--disable-extensions',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-webrtc',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--blink-settings=scriptEnabled=false',
];

const NOTHING: PdfDocument = {
  html: '<!doctype html><p>1',
  header: null,
  footer: null,
  locale: null,
  title: null,
  paper: 'A4',
  landscape: false,
  marginsMm: [0],
  files: new Map(),
};

/** Browser process with a new profile, for one document. Stops with this process, since its pipe closes. */
export class Chromium {
  private constructor(
    private readonly browser: Browser,
    private readonly profile: string,
  ) {}

  /** Starts a browser. @throws if the program does not start */
  static async start(path: string): Promise<Chromium> {
    const { launch } = await import('puppeteer-core');
    const profile = await makeProfile();
    try {
      const browser = await launch({
        executablePath: path,
        pipe: true,
        headless: true,
        userDataDir: profile,
        timeout: START_LIMIT_MS,
        // Chromium refuses to start as root with a sandbox.
        args: process.getuid?.() === 0 ? [...FLAGS, '--no-sandbox'] : FLAGS,
        env: { HOME: profile, PATH: PROGRAMS, LANG: 'C.UTF-8' },
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
      return new Chromium(browser, profile);
    } catch (error) {
      await removeProfile(profile);
      throw error;
    }
  }

  get pid(): number {
    return this.browser.process()!.pid!;
  }

  /** True while the browser can print. */
  get isAlive(): boolean {
    return this.browser.connected && this.isRunning;
  }

  private get isRunning(): boolean {
    const { exitCode, signalCode } = this.browser.process()!;
    return exitCode === null && signalCode === null;
  }

  /** Stops all of its processes, and removes its profile. */
  async end(): Promise<void> {
    const child = this.browser.process()!;
    const ended = this.isRunning ? once(child, 'exit') : undefined;
    this.kill();
    await ended;
    await removeProfile(this.profile);
  }

  /** Kills its process group. */
  kill(): void {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      this.browser.process()?.kill('SIGKILL');
    }
  }

  /** Prints an empty page, which loads processes, fonts and the printer. The next page then takes two thirds of the time. */
  async warmUp(): Promise<void> {
    await this.print(NOTHING);
  }

  /** Prints a document. @throws PAYLOAD_TOO_LARGE over the limits of a PDF; any other error if the browser exits or fails */
  async print(document: PdfDocument): Promise<EnginePdf> {
    const [page] = await this.browser.pages();
    const session = await page!.createCDPSession();
    await this.closeOff(session, document);
    await page!.goto(ADDRESS, { timeout: 0 });
    const title = await describe(page!, document);
    const content = await printed(page!, document).catch((error: Error) => {
      throw hasMargins(document) && /Printing failed/.test(error.message) ? unprintableMargins() : error;
    });
    await session.detach();
    return { content, titleOf: () => title };
  }

  /** Answers each request of the page from the document's files, or with a failure. Nothing reaches a network or a file. */
  private async closeOff(session: CDPSession, document: PdfDocument): Promise<void> {
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    session.on('Fetch.requestPaused', (event) => {
      const { requestId } = event;
      const answer = answerTo(event.request.url, document);
      const sent = answer
        ? session.send('Fetch.fulfillRequest', { requestId, ...answer })
        : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      sent.catch(() => undefined); // the browser has exited
    });
  }
}

function answerTo(
  url: string,
  { html, files }: PdfDocument,
): Omit<Protocol.Fetch.FulfillRequestRequest, 'requestId'> | undefined {
  if (url === ADDRESS) {
    const body = Buffer.from(withFileAddresses(html)).toString('base64');
    return answerOf('text/html; charset=utf-8', body, [{ name: 'content-security-policy', value: CONTENT_POLICY }]);
  }
  const [, id] = new RegExp(`^(?:cid:|${FILES})([0-9a-f-]{36})$`).exec(url) ?? [];
  const file = id === undefined ? undefined : files.get(id);
  return file && answerOf(file.contentType, file.bytes.toString('base64'), []);
}

function answerOf(contentType: string, body: string, more: Protocol.Fetch.HeaderEntry[]) {
  const responseHeaders = [
    { name: 'content-type', value: contentType },
    { name: 'access-control-allow-origin', value: '*' },
    { name: 'x-content-type-options', value: 'nosniff' },
    ...more,
  ];
  return { responseCode: 200, responseHeaders, body };
}

/** Replaces cid: in style rules by http: URLs, since browsers load fonts only from those. */
function withFileAddresses(html: string): string {
  return html.replace(/url\((["']?)cid:/gi, (_, quote: string) => `url(${quote}${FILES}`);
}

/** Sets language and title if the document has none, since screen readers need both. Returns the title. */
async function describe(page: Page, { locale, title }: PdfDocument): Promise<string | null> {
  const set = `(() => { const [lang, title] = ${JSON.stringify([locale, title])};
    if (lang && !document.documentElement.lang) document.documentElement.lang = lang;
    if (title && !document.title) document.title = title; return document.title; })()`;
  return String(await page.evaluate(set)) || null;
}

async function printed(page: Page, document: PdfDocument): Promise<EnginePdf['content']> {
  const stream = await page.createPDFStream(optionsOf(document));
  return readWithin(stream as unknown as AsyncIterable<Uint8Array>);
}

function optionsOf({ paper, landscape, marginsMm, header, footer }: PdfDocument): PDFOptions {
  const [top, right, bottom, left] = sidesOf(marginsMm).map((margin) => `${margin}mm`);
  return {
    format: paper,
    landscape,
    margin: { top, right, bottom, left },
    displayHeaderFooter: hasMargins({ header, footer }),
    headerTemplate: header ?? '<span></span>',
    footerTemplate: footer ?? '<span></span>',
    printBackground: true,
    tagged: true,
    outline: true,
    pageRanges: PAGE_RANGE,
    timeout: 0,
  };
}

const hasMargins = ({ header, footer }: Pick<PdfDocument, 'header' | 'footer'>): boolean => header !== null || footer !== null;

/** Error for headers that load a stylesheet or font: Chromium crashes while printing them. */
const unprintableMargins = (): AppError =>
  badInput(
    'input.pdf',
    'the header or footer cannot be printed: <link>, @import and @font-face are not supported there; put the rules into <style>',
  );
