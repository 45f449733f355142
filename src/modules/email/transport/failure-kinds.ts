import { ABANDONED, anyOf, GONE, IN_REPLY_TO_MAIL, PASSING, SENDER } from './failure-words.js';
import type { BounceKind } from '../bounces/reports/report.js';

/** Matches an enhanced code after a reply code, alone, or in the form of qmail: `550 5.1.1`, `(#5.1.1)`, `550-5.1.1`. */
const ENHANCED = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/;

/** Meaning of permanent codes (RFC 3463, RFC 7505, Exchange); the first match wins. Unlisted codes concern the mail. */
const CODES = [
  // 5.1.7 and 5.1.8: the sender's address is invalid.
  { says: 'sender', codes: /^5\.1\.[78]$/ },
  // 5.1.1 to 5.1.4, 5.1.6, 5.1.10, 5.2.1: no such mailbox. 5.4.4, Exchange's 5.4.310: no such domain.
  { says: 'gone', codes: /^5\.(1\.(1|2|3|4|6|10)|2\.1|4\.(4|310))$/ },
  // 5.0.0, 5.1.0 and others: ambiguous, so the text decides.
  { says: 'little', codes: /^5\.(0\.\d+|[1-7]\.0|1\.\d+|2\.\d+|3\.\d+|4\.1|5\.\d+)$/ },
] as const;

const OF_SENDER = anyOf(SENDER);
const OF_MAIL_FROM = anyOf(IN_REPLY_TO_MAIL);
const SAYS_ABANDONED = anyOf(ABANDONED);
const SAYS_GONE = anyOf(GONE);
const SAYS_PASSING = anyOf(PASSING);

/** Returns true if a text says that an address does not exist. */
export const saysGone = (words: string): boolean => SAYS_GONE.test(words);

/** Returns the enhanced code (RFC 3463) in a reply, or null. */
export const codeIn = (text: string): string | null => ENHANCED.exec(text)?.[1] ?? null;

/**
 * Classifies a permanent failure. HARD means a nonexistent address, by its code or, if that is ambiguous, by the text. Everything else is
 * SOFT: a full mailbox, a server that is down, rejected content or a rejected sender.
 * @param words reply of the mail server
 * @param around quoting report, which may show that the reply was to MAIL FROM
 */
export function kindOf(code: string | null, words: string, around = words): BounceKind {
  const says = code === null ? 'little' : (CODES.find(({ codes }) => codes.test(code))?.says ?? 'mail');
  if (says === 'sender' || says === 'mail') return 'SOFT';
  if (OF_SENDER.test(words) || OF_MAIL_FROM.test(around)) return 'SOFT';
  if (SAYS_ABANDONED.test(words)) return 'HARD';
  const isPassing = SAYS_PASSING.test(words);
  if (says === 'gone') return isPassing && !saysGone(words) ? 'SOFT' : 'HARD';
  return saysGone(words) && !isPassing ? 'HARD' : 'SOFT';
}
