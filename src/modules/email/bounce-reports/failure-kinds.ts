import type { BounceKind } from './report.js';

/** An enhanced code after a reply code, or alone, or as qmail writes it: `550 5.1.1`, `(#5.1.1)`, `550-5.1.1`. */
const ENHANCED = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/;

/** Codes (RFC 3463, RFC 7505) of an address that is not there, and will not be. */
const NO_SUCH_ADDRESS = /^5\.(1\.(0|1|2|3|4|6|10)|2\.1|4\.4)$/;
/** Codes that say too little: what they mean is in the words beside them. */
const VAGUE = /^5\.(0\.\d+|[1-7]\.0|1\.\d+|2\.\d+|3\.\d+|4\.1|5\.\d+)$/;

/** Words of mail servers on an address that is not there. Each alternative is found in one pass. */
const GONE = new RegExp(
  [
    String.raw`\b(unknown|no such|invalid|bad|non-?existent|illegal|undeliverable|unrouteable|unroutable|(deactivated|disabled|inactive|suspended|closed))[ _](or \w+ )?(local |virtual |mail |e-?mail |smtp |relay )?(user|mail-?box|recipient|address|account|domain|host|part|alias|person|name|addressee|destination)`,
    String.raw`\b(user|mail-?box|recipient|address|account|alias|addressee|domain|host|name)s?( name| address|\s\S{1,254}|\(s\))?:? (is |was |are |currently )?(unknown|not (found|known)|invalid|disabled|inactive|deactivated|discontinued|expired|terminated|closed|suspended|nonexistent|nicht gefunden)\b`,
    String.raw`\b(is |was |has )?(no longer|not) (a |an |be )?(known|recogni[sz]ed|valid|active|exist|existing|available|listed|accepted|registered|recogni[sz]ed|in use|used|employed|our customer)\b`,
    String.raw`\b(does ?n[o']t|doesn.t|did not|do not) (exist|exactly match|have an? \S{1,60} account|like recipient)`,
    String.raw`\bno (mail ?box|account|user|recipient|person|address)s? (here|by|with|found|of|for|named|matching|available)`,
    String.raw`\bunknown to (us|this)|mailbox unavailable|unavailable mailbox|user doesn.t have|not our customer|isn.t on our|recipient rejected|host or domain name not found|has been (disabled|discontinued|deleted|closed|suspended|removed)|disabled or discontinued`,
    String.raw`\b(user|address|recipient|mailbox|account|name)s? unknown|unknown[- _](user|recipient|address|mailbox)|n'existe pas|existiert nicht|no existe`,
  ].join('|'),
  'i',
);
/** Words on what may pass, or is of the mail and not of its address. They count more than the words above. */
const PASSING = new RegExp(
  [
    String.raw`\b(mailbox|mail ?box|mailfolder|quota|storage|inbox|folder|disk|account)\b[^.\n]{0,60}\b(full|exceeds?|exceeded|exceeding|over|limit|quota|space)\b`,
    String.raw`\b(over|exceed|exceeds|exceeded|exceeding|out of|insufficient|not enough|maximum)\b[^.\n]{0,40}\b(quota|size|storage|space|limit|allocation)\b`,
    String.raw`\b(quota|too (large|big|long)|size limit|message size)\b`,
    String.raw`\b(spam|spamming|blacklist|blacklisted|blocklist|blocked|black ?list|dnsbl|rbl|spamhaus|reputation|policy|virus|message content|content (filter|reject|scan|polic)\w*|banned|dkim|spf|dmarc|unsolicited|junk)\b`,
    String.raw`\b(temporar(il)?y|try again|try later|later|greylist\w*|grey-?listed|rate limit|too many|timed? ?out|timeout|connection (refused|reset|lost)|retry|deferred|loop|loops|hops|busy|delayed|resources)\b`,
    String.raw`\b(relay(ing)? (access )?(is )?(denied|prohibited|not)|not permitted|access denied|authenticat\w+|sender (address|domain|verify))\b`,
  ].join('|'),
  'i',
);

/** Whether words say that an address is not there. */
export const saysGone = (words: string): boolean => GONE.test(words);

/** Returns the enhanced code (RFC 3463) that a text of a mail server has; null without one. */
export const codeIn = (text: string): string | null => ENHANCED.exec(text)?.[1] ?? null;

/**
 * Judges a failure that will not be tried again. HARD is an address that is not there, by its code or, where the code says too
 * little, by the words. All else is SOFT: a full mailbox, a server that is down, a refusal of the content or of the sender.
 */
export function kindOf(code: string | null, words: string): BounceKind {
  const isPassing = PASSING.test(words);
  if (code?.startsWith('4')) return 'SOFT';
  if (code !== null && NO_SUCH_ADDRESS.test(code)) return isPassing && !GONE.test(words) ? 'SOFT' : 'HARD';
  const isTelling = code !== null && !VAGUE.test(code);
  return !isTelling && GONE.test(words) && !isPassing ? 'HARD' : 'SOFT';
}
