import { AppError } from '../../../../common/errors/app-error.js';
import { asBytes } from '../../../../common/validation/amounts.js';
import { MAX_PDF_BYTES } from '../../models/limits.js';
import type { PdfDocument } from '../pdf-document.js';

/** Keeps the page from scripts, the network and files. It holds from where it stands on, so it stands before all of the document. */
const POLICY = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'">`;
const MAX_HTML_BYTES = MAX_PDF_BYTES;
const SHOWN = /\bcid:([\da-f-]{36})(?![\w-])/g;
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
  return `${type}${POLICY}${titled}${withFiles(html, files)}${language}`;
}

function withFiles(html: string, files: PdfDocument['files']): string {
  const addresses = new Map([...files].map(([id, file]) => [id, addressOf(file)]));
  let size = html.length;
  return html.replaceAll(SHOWN, (name, id: string) => {
    const address = addresses.get(id) ?? name;
    size += address.length;
    if (size <= MAX_HTML_BYTES) return address;
    const most = `at most ${asBytes(MAX_HTML_BYTES)} with the files that it shows, each as often as it does`;
    throw new AppError('PAYLOAD_TOO_LARGE', `the HTML may have ${most}; show them less often, or smaller ones`);
  });
}

/** Types are what tenants give, so other characters would end the place where the address stands. */
function addressOf({ contentType, bytes }: { contentType: string; bytes: Buffer }): string {
  const [type] = /^[\w.+-]+\/[\w.+-]+/.exec(contentType) ?? ['application/octet-stream'];
  return `data:${type};base64,${bytes.toString('base64')}`;
}

/** Whether the document has a title. In an SVG it is that of a shape. */
const hasTitle = (html: string): boolean => /<title[\s>]/i.test(html.split(/<svg\b/i, 1)[0]!);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
