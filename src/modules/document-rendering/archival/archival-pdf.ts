import { randomBytes } from 'node:crypto';
import { digestOf } from '../../../common/bounds/event-loop.js';
import { type ReadPdf, readPdf } from '../pdf/page-count.js';
import { type About, INVOICE, xmpOf } from './metadata.js';
import { srgbProfile } from './srgb-profile.js';

/** A file to embed. */
export interface Embedded {
  name: string;
  contentType: string;
  bytes: Buffer;
}

/** Objects that are appended to a PDF. */
class Appended {
  private readonly parts: Buffer[] = [];
  private readonly places = new Map<number, number>();
  private length: number;
  private next: number;

  constructor(private readonly before: ReadPdf) {
    this.length = before.pdf.length;
    this.next = before.size;
  }

  add(body: string, stream?: Buffer): number {
    return this.put(this.next++, body, stream);
  }

  /** Writes an object, in place of one that has its number. */
  put(number: number, body: string, stream?: Buffer): number {
    this.places.set(number, this.length);
    const tail = stream ? ['\nstream\n', stream, '\nendstream'] : [];
    for (const part of [`${number} 0 obj\n`, body, ...tail, '\nendobj\n']) this.push(part);
    return number;
  }

  /** Adds the table of the objects, and returns the parts of the whole (ISO 32000-1, 7.5.6). */
  end(trailer: string): Buffer[] {
    const at = this.length;
    const lines = [...this.places].map(([number, place]) => `${number} 1\n${String(place).padStart(10, '0')} 00000 n \n`);
    this.push(
      `xref\n${lines.join('')}trailer\n<</Size ${this.next}\n/Prev ${this.before.tableAt}\n${trailer}>>\nstartxref\n${at}\n%%EOF\n`,
    );
    return [this.before.pdf, ...this.parts];
  }

  private push(part: string | Buffer): void {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    this.parts.push(bytes);
    this.length += bytes.length;
  }
}

/**
 * Makes a PDF of Chromium one for archives (PDF/A-3b, ISO 19005-3), and embeds files. What Chromium wrote stays byte for byte, and the rest is
 * appended, so the work does not grow with its pages. Returns the PDF in parts, since to copy them into one would hold the event loop.
 * @throws when the PDF is none of Chromium
 */
export async function archivalPdf(pdf: Buffer, about: About, embedded: Embedded[], tenantId: string): Promise<Buffer[]> {
  const read = readPdf(pdf);
  if (/\/(?:Names|AF|OutputIntents|Metadata)\b/.test(read.catalog))
    throw new Error('the PDF has entries of its own that would be lost');
  const appended = new Appended(read);
  const metadata = xmpOf(about);
  const entries = [
    `/Version /1.7`,
    `/Metadata ${appended.add(`<</Type /Metadata /Subtype /XML /Length ${metadata.length}>>`, metadata)} 0 R`,
  ];
  if (about.isArchival) {
    const profile = srgbProfile();
    const icc = appended.add(`<</N 3 /Length ${profile.length}>>`, profile);
    const intent = appended.add(
      `<</Type /OutputIntent /S /GTS_PDFA1 /OutputConditionIdentifier (sRGB) /Info (sRGB IEC61966-2.1) /DestOutputProfile ${icc} 0 R>>`,
    );
    entries.push(`/OutputIntents [${intent} 0 R]`);
  }
  if (embedded.length > 0) {
    const files: { file: Embedded; id: number }[] = [];
    for (const file of embedded.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const checksum = await digestOf('md5', [file.bytes], tenantId); // the only one that the format has
      files.push({ file, id: specification(appended, file, checksum, about.at) });
    }
    entries.push(`/AF [${files.map(({ id }) => `${id} 0 R`).join(' ')}]`);
    entries.push(
      `/Names <</EmbeddedFiles <</Names [${files.map(({ file, id }) => `${textOf(file.name)} ${id} 0 R`).join(' ')}]>>>>`,
    );
  }
  appended.put(read.root, read.catalog.replace(/>>\s*$/, `\n${entries.join('\n')}>>`));
  const info = appended.add(infoOf(about));
  const id = randomBytes(16).toString('hex');
  return appended.end(`/Root ${read.root} 0 R\n/Info ${info} 0 R\n/ID [<${id}> <${id}>]`);
}

function specification(appended: Appended, { name, contentType, bytes }: Embedded, checksum: string, at: Date): number {
  const params = `<</Size ${bytes.length} /ModDate ${dateOf(at)} /CheckSum <${checksum}>>>`;
  const [type = ''] = contentType.split(';', 1);
  const stream = appended.add(
    `<</Type /EmbeddedFile /Subtype /${nameOf(type.trim())} /Params ${params} /Length ${bytes.length}>>`,
    bytes,
  );
  const relation = name === INVOICE ? 'Alternative' : 'Supplement';
  return appended.add(
    `<</Type /Filespec /F ${textOf(name)} /UF ${textOf(name)} /Desc ${textOf(name)} /AFRelationship /${relation} /EF <</F ${stream} 0 R /UF ${stream} 0 R>>>>`,
  );
}

function infoOf({ title, producer, at }: About): string {
  const times = `/CreationDate ${dateOf(at)} /ModDate ${dateOf(at)}`;
  return `<<${title === null ? '' : `/Title ${textOf(title)} `}/Producer ${textOf(producer)} ${times}>>`;
}

/** A text as UTF-16, which needs no escapes. */
const textOf = (text: string): string => `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;

const nameOf = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9.+-]/g, (sign) => `#${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

const dateOf = (at: Date): string => `(D:${at.toISOString().replaceAll(/[-:T]|\..*$/g, '')}Z)`;
