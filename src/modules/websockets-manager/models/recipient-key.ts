import { createHash } from 'node:crypto';

const LONGEST_IN_FULL = 200;

/** A recipient as indexes hold it. */
export interface RecipientKey {
  tenantId: string;
  recipientKey: string;
}

/** Makes an index key of a recipient's name: a long name is hashed, since PostgreSQL cannot index it. Unique for each name. */
export function recipientKey(recipient: string): string {
  if (recipient.length <= LONGEST_IN_FULL) return `=${recipient}`;
  return `#${createHash('sha256').update(recipient).digest('base64url')}`;
}

/** Restores the name; `full` is the name stored beside a hashed key. */
export function recipientOf(key: string, full: string | null): string {
  return full ?? key.slice(1);
}

/** Returns the name if it must be stored beside its key, or null. */
export function fullName(recipient: string): string | null {
  return recipient.length <= LONGEST_IN_FULL ? null : recipient;
}
