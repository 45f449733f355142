import { MAX_PDF_BYTES } from '../models/limits.js';
import type { PdfDocument } from './pdf-document.js';
import { withFiles } from './shown-files.js';

/** Keeps the page from scripts, the network and files. It holds from where it stands on, so it stands before all of the document. */
const POLICY = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'">`;
const MAX_HTML_BYTES = MAX_PDF_BYTES;
/** Where a document type is looked for. */
const HEAD_CHARACTERS = 4_096;

/**
 * Writes a document as one text that loads nothing: its files are in it, and a policy that forbids all else.
 * @throws PAYLOAD_TOO_LARGE when it shows its files so often that it is too large
 */
export function standaloneHtml({ html, files, locale, title }: PdfDocument): string {
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
