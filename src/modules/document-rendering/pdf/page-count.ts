/** The window in which the end of a PDF names its cross-references. */
const TAIL_BYTES = 1_024;
const DICTIONARY_BYTES = 16 * 1_024;

/** A PDF of Chromium, with what its end says. */
export interface ReadPdf {
  pdf: Buffer;
  /** Where its cross-reference table begins, and how many objects that has. */
  tableAt: number;
  size: number;
  /** The dictionary at its end, which names its catalog and its title. */
  trailer: string;
  /** The number of its catalog, and the dictionary. */
  root: number;
  catalog: string;
}

/**
 * Reads the end of a PDF of Chromium, which has one cross-reference table.
 * @throws when it is no such PDF
 */
export function readPdf(pdf: Buffer): ReadPdf {
  const tail = pdf.subarray(-TAIL_BYTES).toString('latin1');
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
  const trailerAt = pdf.indexOf('trailer', tableAt);
  const trailer = pdf.toString('latin1', trailerAt, trailerAt + DICTIONARY_BYTES);
  const root = referenceIn(trailer, 'Root');
  const size = Number(/\/Size\s+(\d+)/.exec(trailer)?.[1]);
  const [, catalog = ''] = /^\d+ 0 obj\s*(<<[^]*>>)\s*$/.exec(dictionaryAt(pdf, offsetOf(pdf, tableAt, root))) ?? [];
  return { pdf, tableAt, size, trailer, root, catalog };
}

/**
 * Returns how many pages a PDF of Chromium has, by its cross-reference table: its title could look like a page tree.
 * @throws when it is no such PDF
 */
export function pagesOf(pdf: Buffer): number {
  const { tableAt, catalog } = readPdf(pdf);
  const tree = referenceIn(catalog, 'Pages');
  const count = Number(/\/Count\s+(\d+)/.exec(dictionaryAt(pdf, offsetOf(pdf, tableAt, tree)))?.[1]);
  if (!Number.isInteger(count)) throw new Error('the PDF has no page tree');
  return count;
}

/** Returns the title of a PDF of Chromium, which writes it as ASCII or as UTF-16; null if it has none. */
export function titleOf(pdf: Buffer): string | null {
  const { tableAt, trailer } = readPdf(pdf);
  const about = dictionaryAt(pdf, offsetOf(pdf, tableAt, referenceIn(trailer, 'Info')));
  const [, utf16, ascii] = /\/Title\s*(?:<FEFF([\dA-F]*)>|\(((?:\\.|[^\\)])*)\))/.exec(about) ?? [];
  if (utf16 !== undefined) return Buffer.from(utf16, 'hex').swap16().toString('utf16le');
  return ascii?.replaceAll(/\\(.)/g, '$1') ?? null;
}

/** Reads one line of 20 bytes of the table, which Chromium writes in one section from object 0. */
function offsetOf(pdf: Buffer, tableAt: number, object: number): number {
  const head = /^xref\s+0 \d+\s*\n/.exec(pdf.toString('latin1', tableAt, tableAt + 64))?.[0];
  if (head === undefined) throw new Error('the PDF has no cross-reference table');
  const lineAt = tableAt + head.length + 20 * object;
  return Number(pdf.toString('latin1', lineAt, lineAt + 10));
}

function dictionaryAt(pdf: Buffer, offset: number): string {
  const end = pdf.indexOf('endobj', offset);
  return pdf.toString('latin1', offset, end === -1 ? offset + DICTIONARY_BYTES : end);
}

function referenceIn(dictionary: string, name: string): number {
  const [, object] = new RegExp(`/${name}\\s+(\\d+)\\s+0\\s+R`).exec(dictionary) ?? [];
  if (object === undefined) throw new Error(`the PDF names no ${name}`);
  return Number(object);
}
