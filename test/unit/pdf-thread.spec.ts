import { PDF } from '@libpdf/core';
import type { Logger } from '../../src/common/logging/logger.js';
import { PdfThread } from '../../src/modules/document-rendering/pdf/pdf-thread.js';

const warned: string[] = [];
const logger = { warn: (_about: object, text: string) => warned.push(text) } as unknown as Logger;
const ABOUT = { title: 'T', producer: 'p', at: new Date('2026-07-16T10:00:00Z'), isArchival: true, level: null };

async function pdfOf(pages: number, options: object = {}): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = PDF.create();
  for (let page = 0; page < pages; page++) pdf.addPage();
  pdf.setTitle('Été (1)');
  return Uint8Array.from(await pdf.save(options));
}

interface Held {
  worker?: { terminate(): Promise<number> };
}

/** Returns the worker of a thread, for a test to terminate it. */
const workerOf = (pdfs: PdfThread) => (pdfs as unknown as { thread: Held }).thread.worker;

describe('the thread that reads PDFs', () => {
  let thread: PdfThread;
  beforeEach(() => {
    warned.length = 0;
    thread = new PdfThread(logger);
  });
  afterEach(() => thread.onApplicationShutdown());

  it.each([{ useXRefStream: false }, { useXRefStream: true }])(
    'counts pages and finds the title of a PDF with %j',
    async (options) => {
      const pdf = await pdfOf(3, options);
      const before = Buffer.from(pdf);
      const { content, facts } = await thread.read(pdf);
      expect(facts).toEqual({ pages: 3, title: 'Été (1)' });
      expect(content.equals(before)).toBe(true);
    },
  );

  it.each([{ useXRefStream: false }, { useXRefStream: true }])('adds PDF/A data to a PDF with %j', async (options) => {
    const pdf = await pdfOf(2, options);
    const before = Buffer.from(pdf);
    const files = [
      { name: 'b.csv', contentType: 'text/csv; charset=utf-8', bytes: Buffer.from('a,b') },
      { name: 'factur-x.xml', contentType: 'application/xml', bytes: Buffer.from('<x/>') },
    ];
    const made = await thread.complete(pdf, ABOUT, files);
    expect(made.subarray(0, before.length).equals(before)).toBe(true);
    const text = made.toString('latin1');
    for (const part of [
      '<pdfaid:part>3<',
      '/Subtype /text#2Fxml',
      '/Subtype /text#2Fcsv',
      '/AFRelationship /Alternative',
      '/S /GTS_PDFA1',
    ])
      expect(text).toContain(part);
    const read = await PDF.load(made);
    expect([read.getPageCount(), read.getTitle(), read.getProducer()]).toEqual([2, 'T', 'p']);
    expect([...read.getAttachments().keys()]).toEqual(['b.csv', 'factur-x.xml']);
    expect(read.getCreationDate()).toEqual(ABOUT.at);
  });

  it('answers in order, and continues after a file that is not a PDF', async () => {
    const asked = [thread.read(await pdfOf(1)), thread.read(Uint8Array.from(Buffer.from('no PDF'))), thread.read(await pdfOf(2))];
    const [first, second, third] = await Promise.allSettled(asked);
    expect(first).toMatchObject({ status: 'fulfilled', value: { facts: { pages: 1 } } });
    expect(second).toMatchObject({ status: 'rejected' });
    expect(third).toMatchObject({ status: 'fulfilled', value: { facts: { pages: 2 } } });
    expect(warned).toEqual([]);
  });

  it('refuses the jobs of a thread that ended, and starts another', async () => {
    await thread.read(await pdfOf(1));
    const lost = thread.read(await pdfOf(1));
    const ended = workerOf(thread)!.terminate();
    await expect(lost).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await ended;
    expect(warned).toHaveLength(1);
    expect((await thread.read(await pdfOf(4))).facts.pages).toBe(4);
  });

  it('ends with the server, without a warning if nothing is lost', async () => {
    await thread.read(await pdfOf(1));
    thread.onApplicationShutdown();
    expect(workerOf(thread)).toBeUndefined();
    expect(warned).toEqual([]);
  });
});
