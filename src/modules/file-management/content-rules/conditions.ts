import { AppError } from '../../../common/base/app-error.js';

/** Request preconditions; RFC 9110, section 13. */
export interface Conditions {
  ifMatch?: string;
  ifUnmodifiedSince?: string;
  ifNoneMatch?: string;
  ifModifiedSince?: string;
}

export interface Version {
  /** Strong ETag with quotes. */
  etag: string;
  storedAt: Date;
}

/** Checks If-Match, or If-Unmodified-Since without it. @throws FAILED_PRECONDITION; BAD_USER_INPUT for a malformed If-Match */
export function checkIsWanted({ ifMatch, ifUnmodifiedSince }: Conditions, version: Version | undefined): void {
  if (ifMatch !== undefined) {
    const tags = entityTags(ifMatch) ?? malformed('If-Match');
    if (!version) throw failed('If-Match: the file has no content yet');
    if (tags !== '*' && !tags.includes(version.etag))
      throw failed('If-Match: the content has another ETag; read the content again');
    return;
  }
  const since = httpDate(ifUnmodifiedSince);
  if (!version || since === undefined || wholeSeconds(version.storedAt) <= since) return;
  throw failed(`If-Unmodified-Since: the content was stored at ${version.storedAt.toUTCString()}; read it again`);
}

/** Checks that new content may replace this version, or be the first. @throws the errors of checkIsWanted */
export function checkIsReplaceable(conditions: Conditions, version: Version | undefined): void {
  checkIsWanted(conditions, version);
  if (conditions.ifNoneMatch === undefined) return;
  const tags = entityTags(conditions.ifNoneMatch) ?? malformed('If-None-Match');
  if (!version || !matches(tags, version)) return;
  throw failed(`If-None-Match: the file has ${tags === '*' ? 'content' : 'this content'} already; it was not replaced`);
}

/** Returns true if the client already has this version. If-None-Match takes precedence over If-Modified-Since. */
export function isUnchanged({ ifNoneMatch, ifModifiedSince }: Conditions, version: Version): boolean {
  if (ifNoneMatch !== undefined) return matches(entityTags(ifNoneMatch) ?? [], version);
  const since = httpDate(ifModifiedSince);
  return since !== undefined && wholeSeconds(version.storedAt) <= since;
}

/** Returns true if If-Range names this version. Compares tags strongly, so a weak tag never matches; dates must be equal. */
export function isSameVersion(ifRange: string, { etag, storedAt }: Version): boolean {
  return ifRange.trim() === etag || httpDate(ifRange) === wholeSeconds(storedAt);
}

/** Compares tags weakly: W/"a" matches "a". */
function matches(tags: '*' | string[], { etag }: Version): boolean {
  return tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag);
}

/** Parses a list of ETags. Returns undefined for a malformed or empty list. */
function entityTags(text: string): '*' | string[] | undefined {
  if (text.trim() === '*') return '*';
  const tag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
  const tags = text.match(tag);
  return tags && /^[\s,]*$/.test(text.replace(tag, '')) ? tags : undefined;
}

const DAY = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?';
const TIME = '\\d\\d:\\d\\d:\\d\\d';
const DATE = new RegExp(`^${DAY}, \\d\\d[ -][A-Z][a-z]{2}[ -](?:\\d{4}|\\d\\d) ${TIME} GMT$`);
/** Date format of C's asctime, without a time zone. */
const ASCTIME = new RegExp(`^${DAY} [A-Z][a-z]{2} [ \\d]\\d ${TIME} \\d{4}$`);

/** Parses the three HTTP date formats to milliseconds since 1970. Returns undefined for other text, which servers must ignore. */
function httpDate(text: string | undefined): number | undefined {
  const date = text?.trim() ?? '';
  const parsed = DATE.test(date) ? Date.parse(date) : ASCTIME.test(date) ? Date.parse(`${date} GMT`) : NaN;
  const [, day] = /^\D+(\d\d?)/.exec(date) ?? [];
  return new Date(parsed).getUTCDate() === Number(day) ? parsed : undefined; // Date.parse turns 31 February into a day in March
}

/** Rounds down to whole seconds, the precision of HTTP dates. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}

const failed = (message: string): AppError => new AppError('FAILED_PRECONDITION', message);

function malformed(header: string): never {
  throw new AppError('BAD_USER_INPUT', `The header ${header} must be * or a list of ETags in quotes, such as "abc", "def"`);
}
