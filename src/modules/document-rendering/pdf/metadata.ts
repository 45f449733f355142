import { badInput } from '../../../common/base/app-error.js';

/** File name of an embedded invoice, fixed by Factur-X 1.0 and ZUGFeRD 2. */
export const INVOICE = 'factur-x.xml';
/** Media type of the invoice in both standards' examples. */
export const INVOICE_TYPE = 'text/xml';
const FX = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';
/** Guidelines of an invoice (BT-24), with their conformance levels in Factur-X. */
const LEVELS: [RegExp, string][] = [
  [/^urn:factur-x\.eu:1p0:minimum$/, 'MINIMUM'],
  [/^urn:factur-x\.eu:1p0:basicwl$/, 'BASIC WL'],
  [/#urn:factur-x\.eu:1p0:basic$/, 'BASIC'],
  [/#urn:factur-x\.eu:1p0:extended$/, 'EXTENDED'],
  [/xrechnung/i, 'XRECHNUNG'],
  [/^urn:cen\.eu:en16931:2017$/, 'EN 16931'],
];
const GUIDELINE = /<(?:\w+:)?GuidelineSpecifiedDocumentContextParameter>\s*<(?:\w+:)?ID[^>]*>([^<]{1,200})</;
/** Length of the invoice's start in which its guideline is searched. */
const HEAD_BYTES = 16_384;

/** Metadata of a PDF, written as XMP and as an info dictionary for older programs. */
export interface About {
  title: string | null;
  producer: string;
  at: Date;
  isArchival: boolean;
  /** Conformance level of the embedded invoice. */
  level: string | null;
}

/** Returns the Factur-X level of an invoice. @throws BAD_USER_INPUT for an invoice without a known guideline */
export function levelOf(invoice: Buffer, field: string): string {
  const guideline = GUIDELINE.exec(invoice.toString('latin1', 0, HEAD_BYTES))?.[1]?.trim() ?? '';
  const [, level] = LEVELS.find(([pattern]) => pattern.test(guideline)) ?? [];
  if (level !== undefined) return level;
  throw badInput(field, `${INVOICE} must contain a guideline of Factur-X or EN 16931, such as urn:cen.eu:en16931:2017`);
}

/** Writes XMP metadata (ISO 16684-1), with the schemas of PDF/A-3b and Factur-X where they apply. */
export function xmpOf({ title, producer, at, isArchival, level }: About): Buffer {
  const time = at.toISOString().replace(/\.\d+Z$/, 'Z');
  const of = (space: string, ...lines: string[]) => `<rdf:Description rdf:about="" ${space}>${lines.join('')}</rdf:Description>`;
  const parts = [
    of(`xmlns:pdf="http://ns.adobe.com/pdf/1.3/"`, `<pdf:Producer>${escaped(producer)}</pdf:Producer>`),
    of(`xmlns:xmp="http://ns.adobe.com/xap/1.0/"`, `<xmp:CreateDate>${time}</xmp:CreateDate><xmp:ModifyDate>${time}</xmp:ModifyDate>`),
  ]; // prettier-ignore
  if (title !== null) {
    const text = `<rdf:Alt><rdf:li xml:lang="x-default">${escaped(title)}</rdf:li></rdf:Alt>`;
    parts.push(of(`xmlns:dc="http://purl.org/dc/elements/1.1/"`, `<dc:title>${text}</dc:title>`));
  }
  if (isArchival) {
    const claim = '<pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>';
    parts.push(of(`xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"`, claim));
  }
  if (level !== null) parts.push(...facturX(of, level));
  const body = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${parts.join('')}</rdf:RDF></x:xmpmeta>`;
  return Buffer.from(`<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>\n${body}\n<?xpacket end="r"?>`);
}

/** Returns the Factur-X properties with their schema. PDF/A forbids properties that are not described. */
function facturX(of: (space: string, ...lines: string[]) => string, level: string): string[] {
  const values = { DocumentType: 'INVOICE', DocumentFileName: INVOICE, Version: '1.0', ConformanceLevel: level };
  const about = { DocumentType: 'the type of the document', DocumentFileName: 'the name of the embedded document', Version: 'the version of the standard', ConformanceLevel: 'the level of the document' }; // prettier-ignore
  const properties = Object.entries(about).map(
    ([name, text]) =>
      `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>` +
      `<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${text}</pdfaProperty:description></rdf:li>`,
  );
  const spaces = ['extension', 'schema', 'property'].map((name) => `xmlns:pdfa${name[0]!.toUpperCase()}${name.slice(1)}="http://www.aiim.org/pdfa/ns/${name}${name === 'extension' ? '/' : '#'}"`).join(' '); // prettier-ignore
  const schema =
    `<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>` +
    `<pdfaSchema:namespaceURI>${FX}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>` +
    `<pdfaSchema:property><rdf:Seq>${properties.join('')}</rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas>`;
  const given = Object.entries(values).map(([name, value]) => `<fx:${name}>${value}</fx:${name}>`);
  return [of(`xmlns:fx="${FX}"`, ...given), of(spaces, schema)];
}

const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
