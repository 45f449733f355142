// Room: Prints HTML as PDF by one Chromium per document or a Gotenberg, and makes PDF/A of it in a thread.
import type { PaperSize } from '../models/rendered-file.model.js';
import type { ShownFiles } from './shown-files.js';

/** Everything that a browser is given to print. */
export interface PdfDocument {
  html: string;
  /** HTML of the margins, with the files that it shows as `data:`, since browsers load nothing there; null: none. */
  header: string | null;
  footer: string | null;
  /** The language and the title where the HTML has none. */
  locale: string | null;
  title: string | null;
  paper: keyof typeof PaperSize;
  landscape: boolean;
  /** One for all sides, or top, right, bottom and left. */
  marginsMm: number[];
  files: ShownFiles;
}

export interface PrintedPdf {
  content: Buffer<ArrayBuffer>;
  pages: number;
  title: string | null;
}

/** Returns the margins of the top, the right, the bottom and the left. */
export function sidesOf(marginsMm: number[]): [number, number, number, number] {
  const [top = 0, right = top, bottom = top, left = right] = marginsMm;
  return [top, right, bottom, left];
}
