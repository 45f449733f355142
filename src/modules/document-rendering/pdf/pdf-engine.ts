import { AppError } from '../../../common/base/app-error.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';
import { MAX_PDF_BYTES, MAX_PDF_PAGES } from '../models/limits.js';
import type { PdfDocument } from './pdf-document.js';

/** Print job, as seen by its engine. */
export interface PrintJob {
  tenantId: string;
  /** Signal that is aborted when the job stops early. */
  signal: AbortSignal;
  /** Stops the job. The caller gets the first refusal. */
  stop(outcome: string, refusal: AppError): void;
  /** Holds the job's slot until the promise settles. */
  holdUntil(ended: Promise<void>): void;
}

/** PDF returned by an engine. */
export interface EnginePdf {
  content: Uint8Array<ArrayBuffer>;
  /** Returns the document's title, given the title in the PDF. */
  titleOf: (stated: string | null) => string | null;
}

export interface PdfEngine {
  /** Prints a document. @throws AppError for the caller; any other error if the engine fails */
  print(document: PdfDocument, job: PrintJob): Promise<EnginePdf>;
  /**
   * Prepares the next PDF, to make it faster. Runs after a PDF while a slot is free. `isAwaited` returns true if a PDF is already
   * queued.
   */
  prepare?(isAwaited: () => boolean): void;
}

/** Page range to print. One page over the limit reveals longer documents. */
export const PAGE_RANGE = `1-${MAX_PDF_PAGES + 1}`;

/** Reads a PDF into memory. @throws PAYLOAD_TOO_LARGE */
export async function readWithin(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_PDF_BYTES) throw tooLarge(`may have at most ${asBytes(MAX_PDF_BYTES)}`);
    parts.push(chunk);
  }
  const whole = new Uint8Array(size); // unpooled, since pooled buffers cannot be transferred to a thread
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @throws PAYLOAD_TOO_LARGE for too many pages */
export function checkPages(pages: number): void {
  if (pages > MAX_PDF_PAGES) throw tooLarge(`may have at most ${asCount(MAX_PDF_PAGES)} pages`);
}

const tooLarge = (what: string): AppError => new AppError('PAYLOAD_TOO_LARGE', `the PDF ${what}; make the document smaller`);
