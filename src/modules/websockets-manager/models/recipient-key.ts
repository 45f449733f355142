import { createHash } from 'node:crypto';

const LONGEST_IN_FULL = 200;

/** Recipient as contained in indexes. */
export interface RecipientKey {
  tenantId: string;
  recipientKey: string;
}

/** Returns the unique index key of a recipient's name. Hashes a long name, which PostgreSQL cannot index. */
export function recipientKey(recipient: string): string {
  if (recipient.length <= LONGEST_IN_FULL) return `=${recipient}`;
  return `#${createHash('sha256').update(recipient).digest('base64url')}`;
}

/** Restores the name from a key; `full` is the name stored beside a hashed key. */
export function recipientOf(key: string, full: string | null): string {
  return full ?? key.slice(1);
}

/** Returns the name if it must be stored beside its key, else null. */
export function fullName(recipient: string): string | null {
  return recipient.length <= LONGEST_IN_FULL ? null : recipient;
}
