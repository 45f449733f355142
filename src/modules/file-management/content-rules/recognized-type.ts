import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';
import type { AppError } from '../../../common/base/app-error.js';
import { acceptance, essenceOf, unsupported } from './accepted-types.js';

/** Number of first bytes to inspect. Covers the signatures of all known formats. */
export const HEAD_BYTES = 4_100;

/** Synonyms of one format. Formats in the same container are grouped, since some differ only after the inspected bytes. */
const SAME = [
  'image/jpeg image/jpg image/pjpeg',
  'image/png image/apng image/x-png',
  'image/heic image/heif image/heic-sequence image/heif-sequence',
  'image/x-icon image/vnd.microsoft.icon',
  'image/vnd.adobe.photoshop application/x-photoshop image/x-photoshop',
  'image/bmp image/x-bmp image/x-ms-bmp',
  'image/tiff image/tif image/x-tiff',
  'video/mp4 audio/mp4 audio/x-m4a video/x-m4v audio/m4a application/mp4 video/quicktime video/3gpp video/3gpp2 audio/3gpp',
  'video/webm audio/webm video/matroska video/x-matroska audio/x-matroska audio/matroska',
  'audio/ogg video/ogg application/ogg audio/opus audio/vorbis',
  'audio/mpeg audio/mp3 audio/x-mpeg audio/mpeg3 video/mpeg',
  'audio/aac audio/x-aac audio/aacp',
  'audio/wav audio/x-wav audio/wave audio/vnd.wave',
  'audio/flac audio/x-flac',
  'audio/midi audio/mid audio/x-midi',
  'audio/aiff audio/x-aiff',
  'video/vnd.avi video/x-msvideo video/avi',
  'video/x-ms-wmv video/x-ms-asf audio/x-ms-wma application/vnd.ms-asf audio/x-ms-asf',
  'video/mp2t video/vnd.dlna.mpeg-tts',
  'application/pdf application/x-pdf application/illustrator',
  'application/gzip application/x-gzip application/x-tgz application/gzip-compressed',
  'application/x-7z-compressed application/x-7z',
  'application/zstd application/x-zstd',
  'application/x-rar-compressed application/vnd.rar application/x-rar',
  'application/x-bzip2 application/x-bzip',
  'application/postscript application/eps application/x-eps image/x-eps',
  'font/woff application/font-woff',
  'font/ttf font/otf font/sfnt font/collection application/x-font-ttf application/x-font-otf',
].flatMap((line) => line.split(' ').map((name) => [name, line.split(' ', 1)[0]!] as const));
const FAMILIES = new Map(SAME);

/** Formats packaged in ZIP or compound files. The kind of document appears only after the inspected bytes. */
const PACKAGE =
  /^application\/(zip|x-zip-compressed|x-zip|x-cfb|msword|vnd\..+|.*\+zip|java-archive|x-java-archive|x-msi|x-ole-storage)$/;
const FORMATS_OF_PACKAGES = 'application/zip';

/** Text types, which have no signature. */
const TEXT =
  /^(text\/.+|.+\+(xml|json|yaml)|application\/(json|xml|javascript|ecmascript|yaml|x-yaml|sql|toml|graphql|x-ndjson|jsonl|x-sh|rtf|pgp-signature|pgp-keys|x-pem-file|x-x509-ca-cert|x-www-form-urlencoded))$/;
const MARKUP = /(\+xml|\/xml)$/;
const UTF_16 = /^(\xff\xfe|\xfe\xff)/;
/** Media types, of which only a few are text. SVG is recognized by its root element. */
const MEDIA = /^(image|audio|video|font)\//;
const SVG = 'image/svg+xml';
/** Start of an XML document, up to its root element. */
const PROLOG = /^(?:\s+|<\?[^]*?\?>|<!--[^]*?-->|<!DOCTYPE[^[>]*(?:\[[^\]]*\])?\s*>)*/i;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const familyOf = (type: string): string => FAMILIES.get(type) ?? (PACKAGE.test(type) ? FORMATS_OF_PACKAGES : type);
/** Formats whose signature is after the inspected bytes. */
const RECOGNIZED_LATER = ['application/x-iso9660-image', 'application/x-apple-diskimage'];
const RECOGNIZABLE = new Set([...supportedMimeTypes].map((type) => familyOf(essenceOf(type))));
for (const type of RECOGNIZED_LATER) RECOGNIZABLE.delete(type);

/**
 * Returns the error of content whose first bytes do not match its declared type, or undefined. Text must be free of control
 * characters, XML must begin with a tag, and SVG must have the root element svg. A type without a known signature must be accepted by
 * its full name, not by a wildcard.
 */
export async function typeProblem(accept: string[], named: string, head: Buffer): Promise<AppError | undefined> {
  const type = essenceOf(named);
  if (type === 'application/octet-stream') return undefined;
  const isNamed = acceptance(accept, type) === 'named';
  if (type === SVG) return textProblem(type, head) ?? svgProblem(head, isNamed);
  if (TEXT.test(type) && (isNamed || !MEDIA.test(type))) return textProblem(type, head);
  const family = familyOf(type);
  if (!RECOGNIZABLE.has(family) && isNamed) return undefined;
  const found = await recognized(head);
  if (found !== undefined) {
    if (familyOf(found) === family) return undefined;
    return unsupported(`The content is ${found}, not ${type}; send it as ${found} if the file accepts that type`);
  }
  if (RECOGNIZABLE.has(family)) return unsupported(`The content does not have the signature of ${type}`);
  return unsupported(`${type} has no known signature, so a file must accept it by its full name`);
}

function textProblem(type: string, head: Buffer): AppError | undefined {
  const text = head.toString('latin1');
  if (UTF_16.test(text)) return undefined;
  if (CONTROLS.test(text)) return unsupported(`The content has control characters, which ${type} must not have`);
  if (MARKUP.test(type) && !/^(\xef\xbb\xbf)?\s*</.test(text))
    return unsupported(`The content does not begin with a tag, as ${type} must`);
  return undefined;
}

/** Checks the root element. Passes SVG with a long prolog if the file accepts SVG by its full name. */
function svgProblem(head: Buffer, isNamed: boolean): AppError | undefined {
  const [found] = /^<(?:[\w.-]+:)?[\w.-]+/.exec(decoded(head).replace(PROLOG, '')) ?? [];
  if (found === undefined ? isNamed : /^<(?:[\w.-]+:)?svg$/.test(found)) return undefined;
  return unsupported(`The content has no root element svg in its first ${HEAD_BYTES} bytes, as ${SVG} must`);
}

function decoded(head: Buffer): string {
  const [first, second] = head;
  const isUtf16 = head.length % 2 === 0 && (first === 0xfe || first === 0xff);
  const inOrder = isUtf16 && second === 0xff ? Buffer.from(head).swap16() : head;
  return inOrder.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
}

/** Returns the type with a matching signature, or undefined. */
async function recognized(head: Buffer): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found) return essenceOf(found.mime);
  // MP3 whose audio follows tagged images that exceed the inspected bytes.
  return head.subarray(0, 3).toString('latin1') === 'ID3' ? 'audio/mpeg' : undefined;
}
