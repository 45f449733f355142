import { MailNotTaken } from './mail-transport.js';

/** Matches the codes after the prefix that `smtp-errors.ts` adds to a reply. */
const CODES = /responded: ([245]\d\d)(?:[ -](\d\.\d{1,3}\.\d{1,3})(?!\S))?/g;

/**
 * Returns the reply codes quoted in an error, such as "550 5.1.1". Only codes are logged: replies often contain the recipient, in too many
 * forms to redact.
 */
export function replyCodes(message: string | null): string[] {
  const found = [...(message ?? '').matchAll(CODES)].map(([, code, enhanced]) => (enhanced ? `${code} ${enhanced}` : code!));
  return [...new Set(found)];
}

/**
 * Returns the log fields of a failed mail: only codes if the reply may contain a recipient. A server that accepts no mail at all has
 * received none.
 */
export function loggedFault(error: unknown): object {
  if (!(error instanceof MailNotTaken) || error.kind === 'unreachable') return { err: error };
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return { kind: error.kind, code, replies: replyCodes(error.message) };
}
