import type { ByteRange } from './blob-store/blob-store.js';
import { isSameVersion, type Version } from './http-conditions.js';

/** The part of the content that a request wants; RFC 9110, section 14. */
export interface RangeWanted {
  range?: string;
  ifRange?: string;
}

/**
 * The one range that is wanted: `whole` when there is none, when it is malformed, when it is several (a server may ignore
 * those), or when If-Range names another version; `unsatisfiable` when it begins behind the end.
 */
export function wantedRange(
  { range, ifRange }: RangeWanted,
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
