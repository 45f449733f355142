import type { Embedded } from './archival-pdf.js';
import type { About } from './metadata.js';

/** Properties read from a printed PDF. */
export interface PdfFacts {
  pages: number;
  title: string | null;
}

/** Work on a PDF, whose buffer is transferred to the thread and back without copying. */
export type PdfOrder =
  | { do: 'read'; pdf: Uint8Array<ArrayBuffer> }
  | { do: 'complete'; pdf: Uint8Array<ArrayBuffer>; about: About; embedded: Embedded[] };

export type PdfOutcome = { pdf: Uint8Array<ArrayBuffer>; facts?: PdfFacts } | { fault: Error };
