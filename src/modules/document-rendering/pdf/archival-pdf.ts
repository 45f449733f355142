import { createHash } from 'node:crypto';
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream, PdfString } from '@libpdf/core';
import { type About, INVOICE, INVOICE_TYPE, xmpOf } from './metadata.js';
import { srgbProfile } from './srgb-profile.js';

/** File to embed. */
export interface Embedded {
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/**
 * Converts a PDF of Chromium to PDF/A-3b (ISO 19005-3), and embeds files. Appends to the original content, so the work does not grow
 * with the number of pages.
 */
export async function archivalPdf(bytes: Uint8Array, about: About, embedded: Embedded[]): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = await PDF.load(bytes);
  const catalog = pdf.getCatalog();
  const add = (object: PdfObject) => pdf.register(object);
  catalog.set('Version', PdfName.of('1.7'));
  catalog.set('Metadata', add(stream({ Type: PdfName.of('Metadata'), Subtype: PdfName.of('XML') }, xmpOf(about))));
  if (about.isArchival) {
    const profile = add(stream({ N: PdfNumber.of(3) }, srgbProfile()));
    catalog.set('OutputIntents', PdfArray.of(add(intentOf(profile))));
  }
  if (embedded.length > 0) {
    const files = embedded.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const specifications = files.map((file) => {
      const params = { Size: PdfNumber.of(file.bytes.length), ModDate: dateOf(about.at), CheckSum: checksumOf(file.bytes) };
      const content = { Type: PdfName.of('EmbeddedFile'), Subtype: PdfName.of(typeOf(file)), Params: PdfDict.of(params) };
      return add(specificationOf(file, add(stream(content, file.bytes))));
    });
    const names = catalog.getDict('Names', (ref) => pdf.getObject(ref)) ?? new PdfDict();
    const pairs = files.flatMap(({ name }, index) => [textOf(name), specifications[index]!]);
    names.set('EmbeddedFiles', PdfDict.of({ Names: PdfArray.of(...pairs) }));
    catalog.set('Names', names);
    catalog.set('AF', PdfArray.of(...specifications));
  }
  pdf.context.info.trailer.set('Info', add(infoOf(about)));
  return (await pdf.save({ incremental: true, compressStreams: false })) as Uint8Array<ArrayBuffer>;
}

const stream = (dictionary: Record<string, PdfObject>, content: Uint8Array): PdfStream => PdfStream.fromDict(dictionary, content);

function intentOf(profile: PdfObject): PdfDict {
  return PdfDict.of({
    Type: PdfName.of('OutputIntent'),
    S: PdfName.of('GTS_PDFA1'),
    OutputConditionIdentifier: PdfString.fromString('sRGB'),
    Info: PdfString.fromString('sRGB IEC61966-2.1'),
    DestOutputProfile: profile,
  });
}

function specificationOf({ name }: Embedded, content: PdfObject): PdfDict {
  const text = textOf(name);
  return PdfDict.of({
    Type: PdfName.of('Filespec'),
    F: text,
    UF: text,
    Desc: text,
    AFRelationship: PdfName.of(name === INVOICE ? 'Alternative' : 'Supplement'),
    EF: PdfDict.of({ F: content, UF: content }),
  });
}

function infoOf({ title, producer, at }: About): PdfDict {
  const titled: Record<string, PdfObject> = title === null ? {} : { Title: textOf(title) };
  return PdfDict.of({ ...titled, Producer: textOf(producer), CreationDate: dateOf(at), ModDate: dateOf(at) });
}

const typeOf = ({ name, contentType }: Embedded): string =>
  name === INVOICE ? INVOICE_TYPE : contentType.split(';', 1)[0]!.trim();

/** MD5 checksum, the only kind that the format supports. */
const checksumOf = (bytes: Uint8Array): PdfString => new PdfString(createHash('md5').update(bytes).digest(), 'hex');

/** Encodes text as UTF-16, which needs no escapes. */
const textOf = (text: string): PdfString => new PdfString(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), 'hex');

const dateOf = (at: Date): PdfString => PdfString.fromString(`D:${at.toISOString().replaceAll(/[-:T]|\..*$/g, '')}Z`);
