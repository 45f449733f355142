import type { BounceKind } from '../bounces/reports/report.js';

/** Phrases of mail servers for one reason, with an example reply. */
interface Wording {
  example: string;
  words: RegExp;
}

/**
 * Phrases about the sender. Tested first: a server that rejects a sender says nothing about the recipient, and often calls the sender's
 * address invalid or unknown.
 */
export const SENDER: readonly Wording[] = [
  {
    example: '550 5.1.0 <bounce@sender.example>: sender rejected',
    words:
      /\b(sender|originator|return[- ]path|envelope[- ]from|mail[- ]from)(( e-?mail)?( address| domain| host)| id)?('s domain)?[:\s]{1,3}(<[^>\s]{0,254}>:?\s)?((is|was|has been|in)\s)?(rejected|denied|refused|blocked|blacklisted|banned|blocklist|black ?list|invalid|unknown|not (accepted|allowed|permitted|authori[sz]ed|valid|verified)|unverified|verif(y|ication) failed)/i,
  },
  {
    example: '550 5.1.0 Invalid sender',
    words:
      /\b(invalid|unknown|bad|illegal|forged|fake|rejected|blocked|unverified|unauthori[sz]ed|reject|refuse|deny) (mail )?(sender|return[- ]path|envelope[- ]from)\b/i,
  },
];

/** Phrases of reports on a rejected MAIL FROM, which concerns only the sender. */
export const IN_REPLY_TO_MAIL: readonly Wording[] = [
  {
    example: 'host mx.example.net said: 550 5.1.0 Address rejected (in reply to MAIL FROM command)',
    words: /\bin reply to (the )?MAIL\s{1,8}FROM\b/i,
  },
  {
    example: 'SMTP error from remote mail server after MAIL FROM:<a@sender.example>: 550 rejected',
    words: /\bafter (pipelined )?MAIL\s{1,8}FROM:/i,
  },
  { example: '>>> MAIL From:<a@sender.example> SIZE=9 <<< 550 5.1.0 rejected', words: />>> MAIL From:/i },
];

/** Phrases about a mailbox closed for inactivity. Tested before those of rejected mails, such as "blocked". */
export const ABANDONED: readonly Wording[] = [
  {
    example: '550 5.2.1 This mailbox has been blocked due to inactivity',
    words: /\b(mail ?box|account|user|address|recipient)\b[^.\n]{0,60}\binactivity\b/i,
  },
];

/** Phrases about a nonexistent address. */
export const GONE: readonly Wording[] = [
  {
    example: '550 unknown user',
    words:
      /\b(unknown|no such|invalid|bad|non-?existent|illegal|undeliverable|unrouteable|unroutable|(deactivated|disabled|inactive|suspended|closed))[ _](or \w+ )?(local |virtual |mail |e-?mail |smtp |relay )?(user|mail-?box|recipient|address|account|domain|host|part|alias|person|name|addressee|destination)/i,
  },
  {
    example: '550 mailbox ann@example.com not found',
    words:
      /\b(user|mail-?box|recipient|address|account|alias|addressee|domain|host|name)s?( name| address|\s\S{1,254}|\(s\))?:? (is |was |are |currently )?(unknown|not (found|known)|invalid|disabled|inactive|deactivated|discontinued|expired|terminated|closed|suspended|nonexistent|nicht gefunden)\b/i,
  },
  {
    example: '550 ann is no longer employed here',
    words:
      /\b(is |was |has )?(no longer|not) (a |an |be )?(known|recogni[sz]ed|valid|active|exist|existing|available|listed|accepted|registered|recogni[sz]ed|in use|used|employed|our customer)\b/i,
  },
  {
    example: '550 the account does not exist',
    words: /\b(does ?n[o']t|doesn.t|did not|do not) (exist|exactly match|have an? \S{1,60} account|like recipient)/i,
  },
  {
    example: 'Sorry, no mailbox here by that name',
    words: /\bno (mail ?box|account|user|recipient|person|address)s? (here|by|with|found|of|for|named|matching|available)/i,
  },
  {
    example: '550 5.1.0 Address rejected',
    words: /\b(recipient|(?<!sender )(?<!from )address) rejected/i,
  },
  {
    example: '550 mailbox unavailable',
    words:
      /\bunknown to (us|this)|mailbox unavailable|unavailable mailbox|user doesn.t have|not our customer|isn.t on our|host or domain name not found|has been (disabled|discontinued|deleted|closed|suspended|removed)|disabled or discontinued/i,
  },
  {
    example: '550 user unknown',
    words:
      /\b(user|address|recipient|mailbox|account|name)s? unknown|unknown[- _](user|recipient|address|mailbox)|n'existe pas|existiert nicht|no existe/i,
  },
];

/** Phrases about temporary problems, or about the mail rather than its address. Tested before those about a nonexistent address. */
export const PASSING: readonly Wording[] = [
  {
    example: '552 mailbox is over its quota',
    words:
      /\b(mailbox|mail ?box|mailfolder|quota|storage|inbox|folder|disk|account)\b[^.\n]{0,60}\b(full|exceeds?|exceeded|exceeding|over|limit|quota|space)\b/i,
  },
  {
    example: '552 exceeded storage allocation',
    words:
      /\b(over|exceed|exceeds|exceeded|exceeding|out of|insufficient|not enough|maximum)\b[^.\n]{0,40}\b(quota|size|storage|space|limit|allocation)\b/i,
  },
  { example: '552 message too large', words: /\b(quota|too (large|big|long)|size limit|message size)\b/i },
  {
    example: '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
    words: /\b(at a (high |higher )?rate|too (quickly|fast|frequently|often)|rate limit\w*|too many)\b/i,
  },
  {
    example: '550 rejected as spam',
    words:
      /\b(spam|spamming|blacklist|blacklisted|blocklist|blocked|black ?list|dnsbl|rbl|spamhaus|reputation|policy|virus|message content|content (filter|reject|scan|polic)\w*|banned|dkim|spf|dmarc|unsolicited|junk)\b/i,
  },
  {
    example: '550 temporarily deferred, try again later',
    words:
      /\b(temporar(il)?y|try again|try later|later|greylist\w*|grey-?listed|timed? ?out|timeout|connection (refused|reset|lost)|retry|deferred|loop|loops|hops|busy|delayed|resources)\b/i,
  },
  {
    example: '550 relaying denied',
    words:
      /\b(relay(ing)? (access )?(is )?(denied|prohibited|not)|not permitted|access denied|authenticat\w+|sender (address|domain|verify))\b/i,
  },
];

/** Combines phrases into one pattern. */
const anyOf = (wordings: readonly Wording[]): RegExp => new RegExp(wordings.map(({ words }) => words.source).join('|'), 'i');

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
