// Room: Prints HTML as PDF by one Chromium per document or by Gotenberg, and converts it to PDF/A in a thread.
import type { PaperSize } from '../models/rendered-file.model.js';
import type { ShownFiles } from './shown-files.js';

/** Document to print, with its files and options. */
export interface PdfDocument {
  html: string;
  /** HTML of the margins, with files as `data:` URLs, since browsers load nothing there; null for none. */
  header: string | null;
  footer: string | null;
  /** Language and title for HTML without these. */
  locale: string | null;
  title: string | null;
  paper: keyof typeof PaperSize;
  landscape: boolean;
  /** One margin for all sides, or top, right, bottom, left. */
  marginsMm: number[];
  files: ShownFiles;
}

export interface PrintedPdf {
  content: Buffer<ArrayBuffer>;
  pages: number;
  title: string | null;
}

/** Returns the margins as top, right, bottom, left. */
export function sidesOf(marginsMm: number[]): [number, number, number, number] {
  const [top = 0, right = top, bottom = top, left = right] = marginsMm;
  return [top, right, bottom, left];
}
