import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';
import type { AppError } from '../../../common/base/app-error.js';
import { acceptance, essenceOf, unsupported } from './accepted-types.js';

/** How many bytes are looked at, from the first: as many as the signatures of all known formats need. */
export const HEAD_BYTES = 4_100;

/**
 * Names by which one format is known. Formats in the same container stand together, since some are told apart only far behind
 * their first bytes.
 */
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

/** Packages, by ZIP or the compound files of old offices: which document is in one stands far behind its first bytes. */
const PACKAGE =
  /^application\/(zip|x-zip-compressed|x-zip|x-cfb|msword|vnd\..+|.*\+zip|java-archive|x-java-archive|x-msi|x-ole-storage)$/;
const FORMATS_OF_PACKAGES = 'application/zip';

/** Types of text, which has no signature. */
const TEXT =
  /^(text\/.+|.+\+(xml|json|yaml)|application\/(json|xml|javascript|ecmascript|yaml|x-yaml|sql|toml|graphql|x-ndjson|jsonl|x-sh|rtf|pgp-signature|pgp-keys|x-pem-file|x-x509-ca-cert|x-www-form-urlencoded))$/;
const MARKUP = /(\+xml|\/xml)$/;
const UTF_16 = /^(\xff\xfe|\xfe\xff)/;
/** Kinds whose types are texts as an exception. Of these, SVG is recognized by its root element. */
const MEDIA = /^(image|audio|video|font)\//;
const SVG = 'image/svg+xml';
/** The beginning of a document of XML, up to its root element. */
const PROLOG = /^(?:\s+|<\?[^]*?\?>|<!--[^]*?-->|<!DOCTYPE[^[>]*(?:\[[^\]]*\])?\s*>)*/i;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const familyOf = (type: string): string => FAMILIES.get(type) ?? (PACKAGE.test(type) ? FORMATS_OF_PACKAGES : type);
/** Formats whose signature stands behind the first bytes. */
const RECOGNIZED_LATER = ['application/x-iso9660-image', 'application/x-apple-diskimage'];
const RECOGNIZABLE = new Set([...supportedMimeTypes].map((type) => familyOf(essenceOf(type))));
for (const type of RECOGNIZED_LATER) RECOGNIZABLE.delete(type);

/**
 * Compares the first bytes of content with the type that its upload names. Returns the refusal of content of another type.
 * Text has no signature: it must be free of control characters, XML must begin with a tag, and an SVG have the root element svg. A type
 * without a known signature must be accepted by its name, not by a `*`.
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
    return unsupported(`The content is ${found}, not ${type}; send it with its own type, if the file takes that`);
  }
  if (RECOGNIZABLE.has(family)) return unsupported(`The content does not begin as ${type} does`);
  return unsupported(`${type} cannot be recognized by its first bytes, so the file would have to accept it by its whole name`);
}

function textProblem(type: string, head: Buffer): AppError | undefined {
  const text = head.toString('latin1');
  if (UTF_16.test(text)) return undefined;
  if (CONTROLS.test(text)) return unsupported(`The content is not text, as ${type} is`);
  if (MARKUP.test(type) && !/^(\xef\xbb\xbf)?\s*</.test(text))
    return unsupported(`The content does not begin with a tag, as ${type} does`);
  return undefined;
}

/** A file that accepts SVG by its name also takes one whose root element stands behind the first bytes. */
function svgProblem(head: Buffer, isNamed: boolean): AppError | undefined {
  const [found] = /^<(?:[\w.-]+:)?[\w.-]+/.exec(decoded(head).replace(PROLOG, '')) ?? [];
  if (found === undefined ? isNamed : /^<(?:[\w.-]+:)?svg$/.test(found)) return undefined;
  return unsupported(`The content has no root element svg in its first ${HEAD_BYTES} bytes, as ${SVG} does`);
}

function decoded(head: Buffer): string {
  const [first, second] = head;
  const isUtf16 = head.length % 2 === 0 && (first === 0xfe || first === 0xff);
  const inOrder = isUtf16 && second === 0xff ? Buffer.from(head).swap16() : head;
  return inOrder.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
}

/** Returns the type that the first bytes are of, if they are of a known one. */
async function recognized(head: Buffer): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found) return essenceOf(found.mime);
  // Behind the pictures in a tag, which may be larger than what is looked at.
  return head.subarray(0, 3).toString('latin1') === 'ID3' ? 'audio/mpeg' : undefined;
}
