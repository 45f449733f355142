import { ABANDONED, anyOf, GONE, IN_REPLY_TO_MAIL, PASSING, SENDER } from './failure-words.js';
import type { BounceKind } from '../bounces/reports/report.js';

/** An enhanced code after a reply code, or alone, or as qmail writes it: `550 5.1.1`, `(#5.1.1)`, `550-5.1.1`. */
const ENHANCED = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/;

/** Meaning of permanent codes (RFC 3463, RFC 7505, Exchange); the first row that has the code counts. A code in no row is of the mail. */
const CODES = [
  // 5.1.7 and 5.1.8: the sender's address is invalid.
  { says: 'sender', codes: /^5\.1\.[78]$/ },
  // 5.1.1 to 5.1.4, 5.1.6, 5.1.10, 5.2.1: no such mailbox. 5.4.4, Exchange's 5.4.310: no such domain.
  { says: 'gone', codes: /^5\.(1\.(1|2|3|4|6|10)|2\.1|4\.(4|310))$/ },
  // 5.0.0, 5.1.0 and others: too little, so the words beside it decide.
  { says: 'little', codes: /^5\.(0\.\d+|[1-7]\.0|1\.\d+|2\.\d+|3\.\d+|4\.1|5\.\d+)$/ },
] as const;

const OF_SENDER = anyOf(SENDER);
const OF_MAIL_FROM = anyOf(IN_REPLY_TO_MAIL);
const SAYS_ABANDONED = anyOf(ABANDONED);
const SAYS_GONE = anyOf(GONE);
const SAYS_PASSING = anyOf(PASSING);

/** Whether words say that an address is not there. */
export const saysGone = (words: string): boolean => SAYS_GONE.test(words);

/** Returns the enhanced code (RFC 3463) that a text of a mail server has; null without one. */
export const codeIn = (text: string): string | null => ENHANCED.exec(text)?.[1] ?? null;

/**
 * Judges a failure that will not be tried again. HARD is an address that is not there, by its code or, where the code says too
 * little, by the words. All else is SOFT: a full mailbox, a server that is down, a refusal of the content or of the sender.
 * @param words the answer of the mail server
 * @param around the report that quotes it, which may say that the answer was to MAIL FROM
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
