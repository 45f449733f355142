import { parentPort } from 'node:worker_threads';
import { PDF } from '@libpdf/core';
import { archivalPdf } from './archival-pdf.js';
import type { PdfFacts, PdfOrder, PdfOutcome } from './pdf-thread.js';

const port = parentPort!;
let last = Promise.resolve();

// Processes orders one after another, and reports outcomes in that order.
port.on('message', (order: PdfOrder) => {
  last = last.then(async () => {
    const outcome = await outcomeOf(order);
    port.postMessage(outcome, 'pdf' in outcome ? [outcome.pdf.buffer] : []);
  });
});

async function outcomeOf(order: PdfOrder): Promise<PdfOutcome> {
  try {
    if (order.do === 'read') return { pdf: order.pdf, facts: await factsOf(order.pdf) };
    return { pdf: await archivalPdf(order.pdf, order.about, order.embedded) };
  } catch (error) {
    return { fault: error as Error };
  }
}

/** @throws for an invalid PDF */
async function factsOf(bytes: Uint8Array): Promise<PdfFacts> {
  const pdf = await PDF.load(bytes);
  const pages = pdf.getPageCount();
  if (pages === 0) throw new Error('the PDF has no page');
  return { pages, title: pdf.getTitle() ?? null };
}
