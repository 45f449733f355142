import { codeIn, kindOf } from '../../transport/failure-kinds.js';
import type { MailParts } from './mail-parts.js';
import { MAX_RECIPIENTS, type ReportedRecipient } from './report.js';

/** Characters read of the text. A report identifies itself early. */
const MAX_TEXT = 16 * 1024;
const MAX_LINES = 400;
/** Lines after an address searched for the reason. */
const MAX_REASON_LINES = 12;
const MAX_DIAGNOSTIC = 2_000;

/** Matches the start of the returned mail in a report. */
const RETURNED = new RegExp(
  [
    String.raw`^-{2,} ?(below this line|this is a copy|original message|unsent message|message (header|text|contents?)|the header of|returned (mail|message)|start of|forwarded|your (original )?message|copy of)`,
    String.raw`^[ \t>]*(return-path|received|x-[a-z-]{1,40}|mime-version|dkim-signature|message-id):[ \t]`,
    String.raw`^[-=*\s]*((the )?(original|returned|unsent) (message|mail)|(original|your) message( headers?)? follows?|message headers? follows?|the (first|text|headers) )`,
    String.raw`^-{5,} ?(original|ursprüngliche|mensaje original|mensagem original)`,
  ].join('|'),
  'i',
);
const ADDRESS = /[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}/gi;
/** Matches a line about one address, at its beginning or after a few words. */
const ABOUT =
  /^[ \t>*-]{0,12}(?:(?:final-|failed |original )?(?:recipient|user|addresse?e?|address)s?(?: address)?[ \t]*[:=][ \t]*|rfc822;[ \t]*|smtp:|<)?["'<([]?([a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9.-]{1,253})/i;

/**
 * Parses a nonstandard report, such as those of qmail, Exim, old Exchange and Lotus Domino: each address in its own line, with the reason
 * beside or below it.
 */
export function plainRecipients(mail: MailParts, isDelay: boolean): ReportedRecipient[] {
  const lines = reportLines(mail.text);
  const named = addressesIn(mail.header('x-failed-recipients'));
  const at = new Map<string, number>();
  lines.forEach((line, index) => {
    const address = ABOUT.exec(line)?.[1];
    if (address !== undefined && at.size < MAX_RECIPIENTS && !at.has(address)) at.set(address.replace(/\.+$/, ''), index);
  });
  const found = [named, [...at.keys()], othersIn(lines, mail)].find((addresses) => addresses.length > 0) ?? [];
  if (found.length === 0) return [reasoned([], lines, isDelay)];
  return found.map((address) => reasoned([address], reasonOf(lines, at, address), isDelay));
}

/** Returns the addresses in lines, except those of the report itself. */
function othersIn(lines: string[], mail: MailParts): string[] {
  const own = ['from', 'to', 'sender', 'reply-to', 'return-path'].flatMap((name) => addressesIn(mail.header(name)));
  return addressesIn(lines).filter((address) => !own.some((one) => one.toLowerCase() === address.toLowerCase()));
}

const addressesIn = (texts: string[]): string[] =>
  [
    ...new Set(
      texts.flatMap((text) => text.match(ADDRESS) ?? []).map((address) => address.replace(/[.']+$/, '').replace(/^'/, '')),
    ),
  ].slice(0, MAX_RECIPIENTS);

/** Returns the lines about an address, up to the next address. */
function reasonOf(lines: string[], at: Map<string, number>, address: string): string[] {
  const from = at.get(address);
  if (from === undefined) return lines;
  const next = Math.min(...[...at.values()].filter((index) => index > from), from + MAX_REASON_LINES);
  const own = lines.slice(from, next);
  return own.join('').length > address.length + 8 ? own : lines;
}

function reasoned(addresses: string[], lines: string[], isDelay: boolean): ReportedRecipient {
  const diagnostic =
    lines
      .map((line) => line.trim())
      .filter(Boolean)
      .join(' ')
      .slice(0, MAX_DIAGNOSTIC) || null;
  const code = codeIn(diagnostic ?? '');
  return { addresses, kind: isDelay ? 'DELAYED' : kindOf(code, diagnostic ?? ''), code, diagnostic };
}

/** Returns the lines of a report before the returned mail. */
export function reportLines(text: string): string[] {
  const lines = text.slice(0, MAX_TEXT).split(/\r?\n|\r/, MAX_LINES);
  const end = lines.findIndex((line) => RETURNED.test(line));
  return end > 0 ? lines.slice(0, end) : lines;
}
