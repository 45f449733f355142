import { createHash } from 'node:crypto';
import { AppError } from './app-error.js';

/**
 * Returns JSON with sorted members and without null or undefined ones: equal contents have equal texts. For texts and whole
 * numbers this is the form of RFC 8785. It must not change: the seals of the Document Log are computed over it.
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

/** Hashes a content: SHA-256 of its canonical JSON, in base64url. */
export const contentHash = (content: unknown): string => createHash('sha256').update(canonicalJson(content)).digest('base64url');

/** Returns whether a parsed JSON value is an object, not a list. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const CHANGED = 'was changed in the database and can no longer be shown; restore it or set it again';

/** Parses stored JSON. @throws FAILED_PRECONDITION if it was altered in the database to something else */
export function storedJson<T>(text: string, name: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new AppError('FAILED_PRECONDITION', `The stored ${name} ${CHANGED}`, { cause: error });
  }
}
