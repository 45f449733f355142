import { encodeWord, foldLines, quoteString } from 'nodemailer/lib/mime-funcs';
import { isText } from '../models/header-names.js';
import type { MailAddress, OutgoingMail } from './mail-transport.js';

/** Words separated by single spaces, each short enough for a line to be folded within the 998 octets of RFC 5322. */
const FOLDABLE = /^[!-~]{1,70}(?: [!-~]{1,70})*$/;
/** The beginning of an encoded word (RFC 2047), by which even a lenient reader recognizes it. */
const ENCODED = '=?';
const ATOMS = /^[\w ]*$/;
const LINE = 76;
const ENCODED_WORD = 52;

/**
 * Writes the header lines with addresses and the subject. Nodemailer would pass on encoded words that a caller wrote, and would
 * not fold long words.
 */
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
 * Lets mail programs show a button (RFC 2369). They send a POST to an https address only (RFC 8058). The line is not folded: some
 * readers take the white space for a part of the address.
 */
function unsubscribe(url: string): string {
  const byPost = url.startsWith('https:') ? 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n' : '';
  return `List-Unsubscribe: <${url}>\r\n${byPost}`;
}

/** Whether every mail reader shows the text correctly without encoding. */
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
 * Writes a header of the caller. Encoded words are allowed in texts and in the phrase of List-Id (RFC 2047, 5; RFC 2919); all other
 * values are ASCII. A line with a word that is too long to fold stays one line, which the bounds of the input keep below 998.
 */
function chosen({ name, value }: { name: string; value: string }): string {
  const [, phrase = '', id = ''] = /^list-id$/i.test(name) ? (/^(.*?) *(<[^<>]*>)$/.exec(value) ?? []) : [];
  const words = phrase && !isAscii(phrase) ? `${encoded(phrase.replaceAll(/^"|"$/g, ''))} ${id}` : value;
  const shown = isText(name) && !isVerbatim(value) ? encoded(value) : words;
  return /[!-~]{71}/.test(shown) ? `${name}: ${shown}\r\n` : line(name, shown);
}

/** Whether a reader shows the text of a header correctly without encoding, however long its words are. */
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
