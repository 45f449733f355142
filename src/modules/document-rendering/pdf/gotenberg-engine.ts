import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { AppError } from '../../../common/base/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { MAX_PDF_BYTES } from '../models/limits.js';
import { type PdfDocument, sidesOf } from './pdf-document.js';
import { type EnginePdf, PAGE_RANGE, type PdfEngine, type PrintJob, readWithin } from './pdf-engine.js';
import { withFiles } from './shown-files.js';

const MM_OF_INCH = 25.4;
const PAPERS_MM = { A4: [210, 297], A5: [148, 210], LETTER: [215.9, 279.4], LEGAL: [215.9, 355.6] } as const;
/** How much of what Gotenberg says is passed on. */
const MAX_SAID = 500;
/** Answers that are about the document; others are about the server of Gotenberg. */
const OF_THE_DOCUMENT = [400, 409, 413];
/** The title that Chromium gives a document without one: the name of its file. */
const FILE = 'index.html';

/** Prints by a Gotenberg 8, over HTTP. */
@Injectable()
export class GotenbergEngine implements PdfEngine {
  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {}

  /** @throws BAD_USER_INPUT with what Gotenberg says of the document; SERVICE_UNAVAILABLE when it does not print */
  async print(document: PdfDocument, { signal }: PrintJob): Promise<EnginePdf> {
    const body = formOf(document);
    const answer = await this.answerTo(body, signal);
    if (!answer.ok) throw await this.refusalOf(answer);
    return { content: await readWithin(answer.body!), titleOf: (stated) => (stated === FILE ? null : stated) };
  }

  private async answerTo(body: FormData, signal: AbortSignal): Promise<Response> {
    try {
      const request = { method: 'POST', body, redirect: 'error', signal } as const;
      return await fetch(`${this.config.pdfUrl}/forms/chromium/convert/html`, request);
    } catch (error) {
      signal.throwIfAborted();
      this.logger.warn({ err: error }, 'the Gotenberg of PDF_URL was not reached');
      throw unavailable('cannot be reached');
    }
  }

  private async refusalOf(answer: Response): Promise<AppError> {
    const { status } = answer;
    const said = (await startOf(answer)).trim();
    if (OF_THE_DOCUMENT.includes(status))
      return new AppError('BAD_USER_INPUT', `input: the Gotenberg of PDF_URL did not print it: ${said}`, { field: 'input' });
    this.logger.warn({ status, said }, 'the Gotenberg of PDF_URL printed no PDF');
    return unavailable(`answered ${status}${status < 500 ? `: ${said}` : ''}`);
  }
}

function formOf(document: PdfDocument): FormData {
  const form = new FormData();
  const [width, height] = PAPERS_MM[document.paper];
  const [top, right, bottom, left] = sidesOf(document.marginsMm);
  const inches = {
    paperWidth: width,
    paperHeight: height,
    marginTop: top,
    marginRight: right,
    marginBottom: bottom,
    marginLeft: left,
  };
  for (const [name, mm] of Object.entries(inches)) form.set(name, String(mm / MM_OF_INCH));
  form.set('landscape', String(document.landscape));
  for (const name of ['printBackground', 'generateTaggedPdf', 'generateDocumentOutline', 'skipNetworkIdleEvent'])
    form.set(name, 'true');
  form.set('nativePageRanges', PAGE_RANGE);
  const { header, footer } = document;
  addFile(form, FILE, standaloneHtml(document));
  if (header !== null) addFile(form, 'header.html', marginOf(header));
  if (footer !== null) addFile(form, 'footer.html', marginOf(footer));
  return form;
}

const addFile = (form: FormData, name: string, html: string): void =>
  form.append('files', new Blob([html], { type: 'text/html' }), name);

/** Gotenberg takes margins as whole documents. */
const marginOf = (html: string): string => `<html><head></head><body>${html}</body></html>`;

async function startOf(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let said = '';
  for await (const chunk of answer.body ?? []) {
    said += decoder.decode(chunk, { stream: true });
    if (said.length > MAX_SAID) break;
  }
  return said.slice(0, MAX_SAID);
}

const unavailable = (what: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', `the Gotenberg of PDF_URL, which prints PDFs, ${what}; try again later`);

/** Keeps the page from scripts, the network and files. It holds from where it stands on, so it stands before all of the document. */
const POLICY = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'">`;
const MAX_HTML_BYTES = MAX_PDF_BYTES;
/** Where a document type is looked for. */
const HEAD_CHARACTERS = 4_096;

/**
 * Writes a document as one text that loads nothing: its files are in it, and a policy that forbids all else.
 * @throws PAYLOAD_TOO_LARGE when it shows its files so often that it is too large
 */
function standaloneHtml({ html, files, locale, title }: PdfDocument): string {
  // The first one counts, and decides how browsers lay the page out.
  const [type = ''] = /<!doctype[^>]*>/i.exec(html.slice(0, HEAD_CHARACTERS)) ?? [];
  const titled = title === null || hasTitle(html) ? '' : `<title>${escaped(title)}</title>`;
  // A further <html> only adds the attributes that the first has not.
  const language = locale === null ? '' : `<html lang="${escaped(locale)}">`;
  return `${type}${POLICY}${titled}${withFiles(html, files, 'the HTML', MAX_HTML_BYTES)}${language}`;
}

/** Whether the document has a title. In an SVG it is that of a shape. */
const hasTitle = (html: string): boolean => /<title[\s>]/i.test(html.split(/<svg\b/i, 1)[0]!);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
