import { createHash } from 'node:crypto';

/**
 * Returns JSON with sorted members and without null or undefined ones, so that equal contents have equal texts. For texts and
 * whole numbers this is the form of RFC 8785. It must not change: the seals of the Document Log are computed over it.
 */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) => {
      if (member === null || typeof member !== 'object' || Array.isArray(member)) return member ?? undefined;
      const present = Object.entries(member).filter(([, inner]) => inner !== null && inner !== undefined);
      return Object.fromEntries(present.sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? ''
  );
}

/** Returns a hash that is equal only for equal contents: SHA-256 of the canonical form, in base64url. */
export const contentHash = (content: unknown): string => createHash('sha256').update(canonicalJson(content)).digest('base64url');
