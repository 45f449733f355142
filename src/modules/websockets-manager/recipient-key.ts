import { createHash } from 'node:crypto';

const LONGEST_IN_FULL = 200;

/** A recipient as indexes name it. */
export interface RecipientKey {
  tenantId: string;
  recipientKey: string;
}

/** What indexes hold of a recipient's name: itself, or a hash where PostgreSQL could not index it. Equal only for equal names. */
export function recipientKey(recipient: string): string {
  if (recipient.length <= LONGEST_IN_FULL) return `=${recipient}`;
  return `#${createHash('sha256').update(recipient).digest('base64url')}`;
}

/** The name again; `full` is what was stored beside a key that does not tell it. */
export function recipientOf(key: string, full: string | null): string {
  return full ?? key.slice(1);
}

/** What has to be stored beside its key. */
export function fullName(recipient: string): string | null {
  return recipient.length <= LONGEST_IN_FULL ? null : recipient;
}
