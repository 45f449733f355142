/** Everything that a browser is given to print. */
export interface PdfDocument {
  html: string;
  /** HTML of the margins; null: none. */
  header: string | null;
  footer: string | null;
  /** The language and the title where the HTML has none. */
  locale: string | null;
  title: string | null;
  paper: 'A4' | 'A5' | 'LETTER' | 'LEGAL';
  landscape: boolean;
  /** One for all sides, or top, right, bottom and left. */
  marginsMm: number[];
  /** The files that the HTML shows, by the ids in `cid:ID`. */
  files: Map<string, { contentType: string; bytes: Buffer }>;
}

export interface PrintedPdf {
  content: Buffer;
  pages: number;
  title: string | null;
}

/** Returns the margins of the top, the right, the bottom and the left. */
export function sidesOf(marginsMm: number[]): [number, number, number, number] {
  const [top = 0, right = top, bottom = top, left = right] = marginsMm;
  return [top, right, bottom, left];
}
