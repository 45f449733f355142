import { isIP } from 'node:net';

/** Longer replies tell nobody more, and are not looked through. */
const MAX_REPLY = 4_096;
const URLS = /\bhttps?:\/\/[^\s<>"')\]]+/gi;
const WORDS = /[A-Za-z0-9_.:%-]+/g;
const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9])?$/i;
/** Names that no public server has. */
const INNER = /(^|\.)(localhost|localdomain|local|lan|internal|intern|intranet|private|corp|home|arpa)$/i;
const ADDRESS = '[address]';
const NAME = '[host]';

/**
 * The reply of a mail server as senders may read it: with its codes and its text, and without the names and the IP addresses of
 * hosts, which tell of the network that this service is in. The domains of the addresses that it is about stay, and so do links
 * to public pages.
 */
export function shownReply(reply: string, addresses: string[]): string {
  const known = new Set(addresses.map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase()));
  const text = reply.slice(0, MAX_REPLY).replaceAll(/\p{Cc}+/gu, ' ');
  let shown = '';
  let done = 0;
  for (const { 0: url, index } of text.matchAll(URLS)) {
    shown += withoutHosts(text.slice(done, index), known) + (isPublic(url) ? url : NAME);
    done = index + url.length;
  }
  return shown + withoutHosts(text.slice(done), known);
}

function withoutHosts(text: string, known: Set<string>): string {
  return text.replaceAll(WORDS, (word) => {
    const bare = word.replace(/[.:]+$/, '');
    const ending = word.slice(bare.length);
    const host = bare.replace(/:\d{1,5}$/, '');
    if (isIP(bare.replace(/^IPv6:/i, '')) || isIP(host)) return ADDRESS + ending;
    return isHost(host) && !known.has(host.toLowerCase()) ? NAME + ending : word;
  });
}

/** Two labels or more, the last not a number, as in the enhanced code 5.1.1; or a name of inner networks. */
function isHost(word: string): boolean {
  const labels = word.split('.');
  if (!labels.every((label) => LABEL.test(label))) return false;
  return INNER.test(word) || (labels.length > 1 && /^[a-z][a-z0-9-]+$/i.test(labels.at(-1)!));
}

/** Blocklists name the sender's address in the links to their pages. */
function isPublic(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return isHost(hostname) && !INNER.test(hostname) && !url.split(/[/?&=#]/).some((part) => isIP(part));
}
