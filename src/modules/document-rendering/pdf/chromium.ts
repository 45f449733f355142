import { once } from 'node:events';
import type { Browser, CDPSession, Page, PDFOptions, Protocol } from 'puppeteer-core';
import { type AppError, badInput } from '../../../common/base/app-error.js';
import { type PdfDocument, sidesOf } from './pdf-document.js';
import { type EnginePdf, PAGE_RANGE, readWithin } from './pdf-engine.js';
import { makeProfile, removeProfile } from './profiles.js';

/** The address of the document. The host never exists (RFC 6761), and the browser resolves no host at all. */
const ADDRESS = 'http://document.invalid/';
const FILES = 'http://document.invalid/files/';
const CONTENT_POLICY = `default-src 'none'; img-src data: cid: ${FILES}; font-src data: ${FILES}; style-src 'unsafe-inline'; sandbox`;
const START_LIMIT_MS = 10_000;
/** Where the scripts that start Chromium find other programs. The browser gets none of the settings and secrets of the server. */
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

/** A browser process, with a fresh profile, for one document. It ends with this process, since the pipe to it closes. */
export class Chromium {
  private constructor(
    private readonly browser: Browser,
    private readonly profile: string,
  ) {}

  /** @throws when the program does not start */
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
        // Chromium has no sandbox for root, and refuses to start with one.
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

  /** Whether it can print. */
  get isAlive(): boolean {
    return this.browser.connected && this.isRunning;
  }

  private get isRunning(): boolean {
    const { exitCode, signalCode } = this.browser.process()!;
    return exitCode === null && signalCode === null;
  }

  /** Ends all of its processes, and removes its profile. */
  async end(): Promise<void> {
    const child = this.browser.process()!;
    const ended = this.isRunning ? once(child, 'exit') : undefined;
    this.kill();
    await ended;
    await removeProfile(this.profile);
  }

  /** Kills all of its processes: they are one group. */
  kill(): void {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      this.browser.process()?.kill('SIGKILL');
    }
  }

  /** Prints an empty page, after which the next takes two thirds of the time: processes, fonts and the printer have been loaded. */
  async warmUp(): Promise<void> {
    await this.print(NOTHING);
  }

  /** @throws PAYLOAD_TOO_LARGE over the limits of a PDF; any other error when the browser ends or fails */
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

  /** Answers each request of the page with what was handed in, or with a failure: nothing reaches a network or a file. */
  private async closeOff(session: CDPSession, document: PdfDocument): Promise<void> {
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    session.on('Fetch.requestPaused', (event) => {
      const { requestId } = event;
      const answer = answerTo(event.request.url, document);
      const sent = answer
        ? session.send('Fetch.fulfillRequest', { requestId, ...answer })
        : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      sent.catch(() => undefined); // the browser has ended
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

/** Gives files of style rules an address of http, since browsers load fonts by no other. */
function withFileAddresses(html: string): string {
  return html.replace(/url\((["']?)cid:/gi, (_, quote: string) => `url(${quote}${FILES}`);
}

/** Sets the language and the title where the document has none, since readers of screens need both. Returns the title. */
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

/** Chromium ends while it prints a header with a stylesheet or font to load. */
const unprintableMargins = (): AppError =>
  badInput(
    'input.pdf',
    'the header or footer cannot be printed: <link>, @import and @font-face do not work there; write its styles out',
  );
