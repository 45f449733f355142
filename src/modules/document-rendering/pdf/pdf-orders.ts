import type { Embedded } from './archival-pdf.js';
import type { About } from './metadata.js';

/** Facts that a printed PDF states. */
export interface PdfFacts {
  pages: number;
  title: string | null;
}

/** Work on a PDF, whose bytes go to the thread and come back: nothing copies them. */
export type PdfOrder =
  | { do: 'read'; pdf: Uint8Array<ArrayBuffer> }
  | { do: 'complete'; pdf: Uint8Array<ArrayBuffer>; about: About; embedded: Embedded[] };

export type PdfOutcome = { pdf: Uint8Array<ArrayBuffer>; facts?: PdfFacts } | { fault: Error };
