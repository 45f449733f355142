import { AppError } from '../../../common/base/app-error.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';
import { MAX_PDF_BYTES, MAX_PDF_PAGES } from '../models/limits.js';
import type { PdfDocument } from './pdf-document.js';

/** A PDF that somebody waits for, as its engine sees it. */
export interface PrintJob {
  tenantId: string;
  /** Aborted when the job ends before it is done. */
  signal: AbortSignal;
  /** Ends the job. The first refusal is the one that its caller gets. */
  stop(outcome: string, refusal: AppError): void;
  /** Keeps the place of the job until something has ended. */
  holdUntil(ended: Promise<void>): void;
}

/** PDF as an engine prints it. */
export interface EnginePdf {
  content: Uint8Array<ArrayBuffer>;
  /** Returns the title of the document, from that which the PDF states. */
  titleOf: (stated: string | null) => string | null;
}

/** Engine that prints documents. */
export interface PdfEngine {
  /** Prints a document. @throws AppError for what its caller is told; any other error when the engine fails */
  print(document: PdfDocument, job: PrintJob): Promise<EnginePdf>;
  /** Makes the next PDF faster. Called after a PDF, while a place is free. `isAwaited` says whether somebody waits for that one. */
  prepare?(isAwaited: () => boolean): void;
}

/** Pages to print: one over the limit shows that there are more. */
export const PAGE_RANGE = `1-${MAX_PDF_PAGES + 1}`;

/** Reads the bytes of a PDF. @throws PAYLOAD_TOO_LARGE */
export async function readWithin(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_PDF_BYTES) throw tooLarge(`may have at most ${asBytes(MAX_PDF_BYTES)}`);
    parts.push(chunk);
  }
  const whole = new Uint8Array(size); // no buffer of a pool, which cannot go to a thread
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @throws PAYLOAD_TOO_LARGE for more pages than a PDF may have */
export function checkPages(pages: number): void {
  if (pages > MAX_PDF_PAGES) throw tooLarge(`may have at most ${asCount(MAX_PDF_PAGES)} pages`);
}

const tooLarge = (what: string): AppError => new AppError('PAYLOAD_TOO_LARGE', `the PDF ${what}; make it smaller`);
