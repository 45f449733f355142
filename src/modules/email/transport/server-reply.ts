import { isIP } from 'node:net';
import { MailNotTaken } from './mail-transport.js';

/** How many characters of a reply are used; the rest is cut off. */
const MAX_REPLY = 4_096;
const URLS = /\bhttps?:\/\/[^\s<>"')\]]+/gi;
const WORDS = /[A-Za-z0-9_.:%-]+/g;
const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9])?$/i;
/** Names of private networks, which no public server has. */
const INNER = /(^|\.)(localhost|localdomain|local|lan|internal|intern|intranet|private|corp|home|arpa)$/i;
/** Words before the public name of a blocklist, which says why a mail was refused. */
const BLOCKLIST = /\b(blocked using|(?:block|black)?listed (?:in|on|at|by))\s+$/i;
const ADDRESS = '[address]';
const NAME = '[host]';

/**
 * Redacts host names and IP addresses, which reveal our network, from the reply of a mail server. Keeps its codes and text, the
 * domains of the given addresses, names of blocklists, and links to public pages.
 */
export function redactedReply(reply: string, addresses: string[]): string {
  const known = new Set(addresses.map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase()));
  const text = reply.slice(0, MAX_REPLY).replaceAll(/\p{Cc}+/gu, ' ');
  let redacted = '';
  let done = 0;
  for (const { 0: url, index } of text.matchAll(URLS)) {
    redacted += withoutHosts(text.slice(done, index), known) + (isPublic(url) ? url : NAME);
    done = index + url.length;
  }
  return redacted + withoutHosts(text.slice(done), known);
}

function withoutHosts(text: string, known: Set<string>): string {
  return text.replaceAll(WORDS, (word, at: number) => {
    const bare = word.replace(/[.:]+$/, '');
    const ending = word.slice(bare.length);
    const host = bare.replace(/:\d{1,5}$/, '');
    if (isIP(bare.replace(/^IPv6:/i, '')) || isIP(host)) return ADDRESS + ending;
    if (!isHost(host) || known.has(host.toLowerCase())) return word;
    return !INNER.test(host) && BLOCKLIST.test(text.slice(0, at)) ? word : NAME + ending;
  });
}

/**
 * Whether a word is a host name: two labels or more, of which the last is not a number (5.1.1 is a status code), or a private
 * name.
 */
function isHost(word: string): boolean {
  const labels = word.split('.');
  if (!labels.every((label) => LABEL.test(label))) return false;
  return INNER.test(word) || (labels.length > 1 && /^[a-z][a-z0-9-]+$/i.test(labels.at(-1)!));
}

/** Whether a link may be shown. A link with an IP address may not: blocklists put the sender's address into their links. */
function isPublic(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return isHost(hostname) && !INNER.test(hostname) && !url.split(/[/?&=#]/).some((part) => isIP(part));
}

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
