import type { ByteRange } from '../blob-store/blob-store.js';
import { isSameVersion, type Version } from './conditions.js';

/** Range headers; RFC 9110, section 14. */
export interface RangeHeaders {
  range?: string;
  ifRange?: string;
}

/**
 * Returns the range to send. `whole` for no, a malformed or several ranges (a server may ignore these), or if If-Range names another
 * version. `unsatisfiable` if the range begins after the end.
 */
export function wantedRange(
  { range, ifRange }: RangeHeaders,
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
