// Room: Checks types, sizes, headers and speed of uploads and downloads.
import { AppError } from '../../../common/base/app-error.js';
import { contentTypeRules } from '../../../common/base/content-type.js';
import { storedJson } from '../../../common/base/json.js';
import type { FileRow } from '../file-storage/file-row.js';

/** Number of accepted types listed in an error. */
const NAMED_TYPES = 10;
const ANY_TYPE = 'application/octet-stream';

export const essenceOf = (type: string): string => type.split(';', 1)[0]!.trim().toLowerCase();

/** Returns `named` if `accept` lists the type itself, `by kind` if only a wildcard matches it. */
export function acceptance(accept: string[], essence: string): 'named' | 'by kind' | undefined {
  if (accept.includes(essence)) return 'named';
  return accept.includes(`${essence.split('/', 1)[0]!}/*`) ? 'by kind' : undefined;
}

/** Returns the accepted types, or undefined for a file whose type is fixed. */
export const acceptedBy = ({ id, accept }: Pick<FileRow, 'id' | 'accept'>): string[] | undefined =>
  accept === null ? undefined : storedJson<string[]>(accept, `accepted types of file ${id}`);

/** Returns the type shown before an upload: that of the file name, or the only accepted one. */
export function expectedType(accept: string[], ofName: string): string {
  if (acceptance(accept, essenceOf(ofName))) return ofName;
  return accept.length === 1 && !accept[0]!.endsWith('/*') ? accept[0]! : ANY_TYPE;
}

/**
 * Returns the type of new content. Ignores parameters such as charset.
 * @param field name of the value in errors; Content-Type by default
 * @throws BAD_USER_INPUT, as HTTP 415, for a type that the file does not accept
 */
export function uploadedType(
  file: Pick<FileRow, 'id' | 'accept' | 'contentType'>,
  named: string | undefined,
  field?: string,
): string {
  const refused = (problem: string) => unsupported(`${field ? `${field}:` : 'The Content-Type'} ${problem}`, field);
  const accept = acceptedBy(file);
  if (!accept) {
    if (named !== undefined && essenceOf(named) !== essenceOf(file.contentType)) throw refused(ofOtherType(file.contentType));
    return file.contentType;
  }
  const types = `${accept.slice(0, NAMED_TYPES).join(', ')}${accept.length > NAMED_TYPES ? ', …' : ''}`;
  if (named === undefined) throw refused(`is required; the file accepts ${types}`);
  if (!contentTypeRules.safeParse(named).success) throw refused(`must be a MIME type; the file accepts ${types}`);
  if (!acceptance(accept, essenceOf(named))) throw refused(`must be a type that the file accepts: ${types}`);
  return named;
}

const ofOtherType = (contentType: string): string =>
  `must be ${contentType}, the type of the file; create a new file for another type`;

export const wrongType = (contentType: string): AppError => unsupported(`The Content-Type ${ofOtherType(contentType)}`);

export const unsupported = (message: string, field?: string): AppError =>
  new AppError('BAD_USER_INPUT', message, { status: 415, field });
