// Room: Types, sizes, headers and speed that uploads and downloads must respect.
import { AppError } from '../../../common/base/app-error.js';
import { contentTypeRules } from '../../../common/base/content-type.js';
import { storedJson } from '../../../common/base/json.js';
import type { FileRow } from '../file-storage/file-row.js';

/** How many accepted types an error names. */
const NAMED_TYPES = 10;
const ANY_TYPE = 'application/octet-stream';

/** Returns the type without its parameters, in lower case. */
export const essenceOf = (type: string): string => type.split(';', 1)[0]!.trim().toLowerCase();

/** Whether types name this one, and whether one of them does so as a whole, not by a `*`. */
export function acceptance(accept: string[], essence: string): 'named' | 'by kind' | undefined {
  if (accept.includes(essence)) return 'named';
  return accept.includes(`${essence.split('/', 1)[0]!}/*`) ? 'by kind' : undefined;
}

/** Returns the types that a file accepts, or nothing if its content has the type of the file. */
export const acceptedBy = ({ id, accept }: Pick<FileRow, 'id' | 'accept'>): string[] | undefined =>
  accept === null ? undefined : storedJson<string[]>(accept, `accepted types of file ${id}`);

/** Returns the type that a file shows until its upload names one: that of its name, or the only one that it accepts. */
export function expectedType(accept: string[], ofName: string): string {
  if (acceptance(accept, essenceOf(ofName))) return ofName;
  return accept.length === 1 && !accept[0]!.endsWith('/*') ? accept[0]! : ANY_TYPE;
}

/**
 * Returns the type that new content of a file gets. Parameters such as charset do not count.
 * @param field names the value in errors; without it, that is the header Content-Type
 * @throws BAD_USER_INPUT, as HTTP 415, for another type than that of the file, or than those that it accepts
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
  if (named === undefined) throw refused(`is required: the file takes ${types}`);
  if (!contentTypeRules.safeParse(named).success) throw refused(`must be a MIME type; the file takes ${types}`);
  if (!acceptance(accept, essenceOf(named))) throw refused(`must be one that the file takes: ${types}`);
  return named;
}

const ofOtherType = (contentType: string): string =>
  `must be ${contentType}, the type of the file; a file of another type needs a new file`;

export const wrongType = (contentType: string): AppError => unsupported(`The Content-Type ${ofOtherType(contentType)}`);

export const unsupported = (message: string, field?: string): AppError =>
  new AppError('BAD_USER_INPUT', message, { status: 415, field });
