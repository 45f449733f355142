import { createHash } from 'node:crypto';

/**
 * JSON with sorted members and without those that are null or left out, so that what is equal reads the same. For texts and
 * whole numbers it is the form of RFC 8785, which the seals of the Document Log are made over: it must not change.
 */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) => {
      if (member === null || typeof member !== 'object' || Array.isArray(member)) return member ?? undefined;
      const given = Object.entries(member).filter(([, inner]) => inner !== null && inner !== undefined);
      return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? ''
  );
}

/** The same for equal contents only: SHA-256 of the canonical form, in base64url. */
export const contentHash = (content: unknown): string => createHash('sha256').update(canonicalJson(content)).digest('base64url');
