import { createHash } from 'node:crypto';

const LONGEST_IN_FULL = 200;

/** A recipient in the form that indexes contain. */
export interface RecipientKey {
  tenantId: string;
  recipientKey: string;
}

/**
 * Makes an index key of a recipient's name. A long name is hashed, since PostgreSQL cannot index it. Each name has a unique key.
 */
export function recipientKey(recipient: string): string {
  if (recipient.length <= LONGEST_IN_FULL) return `=${recipient}`;
  return `#${createHash('sha256').update(recipient).digest('base64url')}`;
}

/** Restores the name from a key; `full` is the name that is stored beside a hashed key. */
export function recipientOf(key: string, full: string | null): string {
  return full ?? key.slice(1);
}

/** Returns the name if it must be stored beside its key; otherwise null. */
export function fullName(recipient: string): string | null {
  return recipient.length <= LONGEST_IN_FULL ? null : recipient;
}
