import type { ByteRange } from './blob-store/blob-store.js';

/** What a request says of the version and the part of the content that it wants; RFC 9110, sections 13 and 14. */
export interface Conditions {
  range?: string;
  ifRange?: string;
  ifNoneMatch?: string;
  ifModifiedSince?: string;
}

export interface Version {
  etag: string;
  storedAt: Date;
}

/** Whether the client has this version already. If-None-Match counts before If-Modified-Since. */
export function isUnchanged({ ifNoneMatch, ifModifiedSince }: Conditions, { etag, storedAt }: Version): boolean {
  if (ifNoneMatch !== undefined) {
    const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return tags.includes('*') || tags.includes(etag);
  }
  const since = ifModifiedSince === undefined ? NaN : Date.parse(ifModifiedSince);
  return wholeSeconds(storedAt) <= since;
}

/**
 * The one range that is wanted: `whole` when there is none, when it is malformed, when it is several (a server may ignore
 * those), or when If-Range names another version; `unsatisfiable` when it begins behind the end.
 */
export function wantedRange(
  { range, ifRange }: Conditions,
  version: Version,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range ?? '');
  if (!match || (ifRange !== undefined && !isSameVersion(ifRange, version))) return 'whole';
  const [first, last] = match.slice(1, 3).map((digits) => (digits === '' ? undefined : Number(digits)));
  if (first === undefined) {
    if (last === undefined) return 'whole';
    return last === 0 || sizeBytes === 0 ? 'unsatisfiable' : { start: Math.max(0, sizeBytes - last), end: sizeBytes - 1 };
  }
  if (last !== undefined && last < first) return 'whole';
  if (first >= sizeBytes) return 'unsatisfiable';
  return { start: first, end: Math.min(last ?? Infinity, sizeBytes - 1) };
}

/** If-Range compares strongly: a weak tag never matches, and a date must be the very one. */
function isSameVersion(ifRange: string, { etag, storedAt }: Version): boolean {
  const given = ifRange.trim();
  return given.startsWith('"') ? given === etag : Date.parse(given) === wholeSeconds(storedAt);
}

/** HTTP dates have no fractions. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
