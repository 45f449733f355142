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
/** Maximum length of a quoted Gotenberg error. */
const MAX_SAID = 500;
/** Status codes about the document; others are about the Gotenberg server. */
const OF_THE_DOCUMENT = [400, 409, 413];
/** File name of the document. Chromium uses it as title of a document without one. */
const FILE = 'index.html';

/** Prints with Gotenberg 8 over HTTP. */
@Injectable()
export class GotenbergEngine implements PdfEngine {
  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {}

  /** Prints a document. @throws BAD_USER_INPUT with Gotenberg's error about the document; SERVICE_UNAVAILABLE if it does not print */
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
      this.logger.warn({ err: error }, 'Gotenberg at PDF_URL is unreachable');
      throw unavailable('is unreachable');
    }
  }

  private async refusalOf(answer: Response): Promise<AppError> {
    const { status } = answer;
    const said = (await startOf(answer)).trim();
    if (OF_THE_DOCUMENT.includes(status))
      return new AppError('BAD_USER_INPUT', `input: Gotenberg at PDF_URL refused the document: ${said}`, { field: 'input' });
    this.logger.warn({ status, said }, 'Gotenberg at PDF_URL returned no PDF');
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

/** Wraps a margin as a whole document, as Gotenberg requires. */
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

const unavailable = (what: string): AppError => new AppError('SERVICE_UNAVAILABLE', `Gotenberg at PDF_URL ${what}; retry later`);

/** Policy that blocks scripts, network and files. Precedes the document, since it applies only to what follows. */
const POLICY = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'">`;
const MAX_HTML_BYTES = MAX_PDF_BYTES;
/** Length of the start in which a doctype is searched. */
const HEAD_CHARACTERS = 4_096;

/**
 * Writes a self-contained document: files are inlined, and a policy blocks all other loads.
 * @throws PAYLOAD_TOO_LARGE if inlined files make it too large
 */
function standaloneHtml({ html, files, locale, title }: PdfDocument): string {
  // Only the first doctype counts; it selects the layout mode.
  const [type = ''] = /<!doctype[^>]*>/i.exec(html.slice(0, HEAD_CHARACTERS)) ?? [];
  const titled = title === null || hasTitle(html) ? '' : `<title>${escaped(title)}</title>`;
  // A second <html> only adds attributes that the first lacks.
  const language = locale === null ? '' : `<html lang="${escaped(locale)}">`;
  return `${type}${POLICY}${titled}${withFiles(html, files, 'the HTML', MAX_HTML_BYTES)}${language}`;
}

/** Returns true if the document has a title. Ignores the titles of shapes in SVG. */
const hasTitle = (html: string): boolean => /<title[\s>]/i.test(html.split(/<svg\b/i, 1)[0]!);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
