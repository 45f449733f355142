import { MailNotTaken } from './mail-transport.js';

/** Matches the codes after the words that `smtp-errors.ts` puts before a reply. */
const CODES = /answered: ([245]\d\d)(?:[ -](\d\.\d{1,3}\.\d{1,3})(?!\S))?/g;

/**
 * Returns the codes of the replies that an error for the sender quotes, such as "550 5.1.1". The log has only these codes: the
 * text of a mail server often names the recipient, in too many forms to redact.
 */
export function replyCodes(message: string | null): string[] {
  const found = [...(message ?? '').matchAll(CODES)].map(([, code, enhanced]) => (enhanced ? `${code} ${enhanced}` : code!));
  return [...new Set(found)];
}

/**
 * Returns the fields to log for a mail that failed: only codes if the reply may name a recipient. A server that accepts no mail
 * at all has received no recipient.
 */
export function loggedFault(error: unknown): object {
  if (!(error instanceof MailNotTaken) || error.kind === 'unreachable') return { err: error };
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return { kind: error.kind, code, replies: replyCodes(error.message) };
}
