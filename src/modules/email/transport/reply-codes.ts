import { MailNotTaken } from './mail-transport.js';

/** Follows the words that `smtp-errors.ts` puts before a reply. */
const CODES = /answered: ([245]\d\d)(?:[ -](\d\.\d{1,3}\.\d{1,3})(?!\S))?/g;

/**
 * Returns the codes of the replies that a message to the sender quotes, such as "550 5.1.1", for the log of the node: the words of
 * a mail server often name the recipient, in forms that nobody can list.
 */
export function replyCodes(message: string | null): string[] {
  const found = [...(message ?? '').matchAll(CODES)].map(([, code, enhanced]) => (enhanced ? `${code} ${enhanced}` : code!));
  return [...new Set(found)];
}

/** The log's form of a mail that the server rejected for every recipient. A server that takes no mail at all has heard of no recipient. */
export function loggedFault(error: unknown): object {
  if (!(error instanceof MailNotTaken) || error.kind === 'unreachable') return { err: error };
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return { kind: error.kind, code, replies: replyCodes(error.message) };
}
