import { isIP } from 'node:net';
import { MailNotTaken } from './mail-transport.js';

/** Maximum characters of a reply. The rest is truncated. */
const MAX_REPLY = 4_096;
const URLS = /\bhttps?:\/\/[^\s<>"')\]]+/gi;
const WORDS = /[A-Za-z0-9_.:%-]+/g;
const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9])?$/i;
/** Matches names of private networks. */
const INNER = /(^|\.)(localhost|localdomain|local|lan|internal|intern|intranet|private|corp|home|arpa)$/i;
/** Matches the phrase before a blocklist name, which explains a rejection. */
const BLOCKLIST = /\b(blocked using|(?:block|black)?listed (?:in|on|at|by))\s+$/i;
const ADDRESS = '[address]';
const NAME = '[host]';

/**
 * Redacts host names and IP addresses of our network from the reply of a mail server. Preserves codes, text, the domains of the given
 * addresses, blocklist names and links to public pages.
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

/** Returns true for a host name: at least two labels, the last not a number (5.1.1 is a status code), or a private name. */
function isHost(word: string): boolean {
  const labels = word.split('.');
  if (!labels.every((label) => LABEL.test(label))) return false;
  return INNER.test(word) || (labels.length > 1 && /^[a-z][a-z0-9-]+$/i.test(labels.at(-1)!));
}

/** Returns true for a link to a public page. Links with an IP address are not: blocklists put the sender's address into them. */
function isPublic(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return isHost(hostname) && !INNER.test(hostname) && !url.split(/[/?&=#]/).some((part) => isIP(part));
}

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
