import { encodeWord, foldLines, quoteString } from 'nodemailer/lib/mime-funcs';
import { isText } from '../models/header-names.js';
import type { MailAddress, OutgoingMail } from './mail-transport.js';

/** Matches words separated by single spaces, each short enough to fold a line within the 998 octets of RFC 5322. */
const FOLDABLE = /^[!-~]{1,70}(?: [!-~]{1,70})*$/;
/** Start of an encoded word (RFC 2047), recognized even by lenient readers. */
const ENCODED = '=?';
const ATOMS = /^[\w ]*$/;
const LINE = 76;
const ENCODED_WORD = 52;

/** Writes the header lines with addresses and the subject. Nodemailer would pass on encoded words of a caller, and not fold long words. */
export function headOf({ from, replyTo, to, cc, subject, headers, unsubscribeUrl }: OutgoingMail): string {
  const lines = [
    people('From', [from]),
    people('To', to),
    people('Cc', cc),
    people('Reply-To', replyTo ? [replyTo] : []),
    subject === '' ? '' : line('Subject', isPlain(subject) ? subject : encoded(subject)),
    ...headers.map(chosen),
    unsubscribeUrl === null ? '' : unsubscribe(unsubscribeUrl),
  ];
  return lines.join('');
}

/**
 * Writes the headers of an unsubscribe button (RFC 2369). Mail programs POST only to https URLs (RFC 8058). Does not fold the line: some
 * readers treat the white space as part of the URL.
 */
function unsubscribe(url: string): string {
  const byPost = url.startsWith('https:') ? 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n' : '';
  return `List-Unsubscribe: <${url}>\r\n${byPost}`;
}

/** Returns true if every mail program shows the text correctly without encoding. */
function isPlain(text: string): boolean {
  return FOLDABLE.test(text) && !text.includes(ENCODED);
}

function people(name: string, list: MailAddress[]): string {
  return list.length > 0 ? line(name, list.map(person).join(', ')) : '';
}

function person({ address, name }: MailAddress): string {
  if (!name) return address;
  if (!isPlain(name)) return `${encoded(name)} <${address}>`;
  return `${ATOMS.test(name) ? name : quoteString(name)} <${address}>`;
}

/**
 * Writes a header of the caller. Encoded words are allowed in texts and in the phrase of List-Id (RFC 2047, 5; RFC 2919); other values are
 * ASCII. A line with a word too long to fold stays unfolded, below 998 octets by the input limits.
 */
function chosen({ name, value }: { name: string; value: string }): string {
  const [, phrase = '', id = ''] = /^list-id$/i.test(name) ? (/^(.*?) *(<[^<>]*>)$/.exec(value) ?? []) : [];
  const words = phrase && !isAscii(phrase) ? `${encoded(phrase.replaceAll(/^"|"$/g, ''))} ${id}` : value;
  const shown = isText(name) && !isVerbatim(value) ? encoded(value) : words;
  return /[!-~]{71}/.test(shown) ? `${name}: ${shown}\r\n` : line(name, shown);
}

/** Returns true if a header text is shown correctly without encoding, even with long words. */
const isVerbatim = (text: string): boolean => /^[!-~]+(?: [!-~]+)*$/.test(text) && !text.includes(ENCODED);

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);

/** Encodes a text in Q if most of it stays readable, otherwise in B, which is then shorter. */
function encoded(text: string): string {
  const letters = text.match(/[a-z0-9 ]/gi)?.length ?? 0;
  return encodeWord(text, letters * 2 > text.length ? 'Q' : 'B', ENCODED_WORD);
}

function line(name: string, value: string): string {
  return `${foldLines(`${name}: ${value}`, LINE)}\r\n`;
}
