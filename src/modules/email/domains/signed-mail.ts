import { createHash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Algorithm } from './domain-keys.js';
import { RelaxedBody } from './relaxed-body.js';

/** Signing key, with the location of its public key. */
export interface SigningKey {
  algorithm: Algorithm;
  domain: string;
  selector: string;
  privateKey: KeyObject;
}

/** Visible headers. Adding another one of them invalidates the signature (RFC 6376, 8.15). */
const SEEN = ['from', 'reply-to', 'subject', 'date', 'to', 'cc', 'content-type'];
/** Headers covered by a signature (RFC 6376, 5.4.1; RFC 8058, 4). */
const SIGNED = [
  ...SEEN, 'message-id', 'mime-version', 'content-transfer-encoding', 'auto-submitted', 'in-reply-to', 'references', 'list-id',
  'list-unsubscribe', 'list-unsubscribe-post',
]; // prettier-ignore
const CRLF = '\r\n';
const END_OF_HEAD = CRLF + CRLF;

const signAside = promisify<string | null, Buffer, KeyObject, Buffer>(sign);

/** Signs a mail with each key (RFC 6376, RFC 8463), canonicalized as relaxed/relaxed. Buffers the mail, since the signatures precede it. */
export async function* signedMail(mail: AsyncIterable<Buffer>, keys: readonly SigningKey[]): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  const body = new RelaxedBody();
  let head = '';
  let isInBody = false;
  for await (const chunk of mail) {
    chunks.push(chunk);
    if (isInBody) {
      body.write(chunk);
      continue;
    }
    const before = head.length;
    head += chunk.toString('latin1');
    const end = head.indexOf(END_OF_HEAD);
    if (end === -1) continue;
    isInBody = true;
    body.write(chunk.subarray(end + END_OF_HEAD.length - before));
    head = head.slice(0, end);
  }
  yield Buffer.from(await signaturesOf(fieldsOf(head), body.digest(), keys));
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
}

/** Returns one DKIM-Signature header per key. */
async function signaturesOf(fields: Map<string, string[]>, bodyHash: string, keys: readonly SigningKey[]): Promise<string> {
  const present = SIGNED.filter((name) => fields.has(name));
  const names = [...present, ...present.filter((name) => SEEN.includes(name))];
  const covered = names.flatMap((name) => fields.get(name)?.pop() ?? []);
  const headers = await Promise.all(
    keys.map(async ({ algorithm, domain, selector, privateKey }) => {
      const header = [
        `DKIM-Signature: v=1; a=${algorithm}-sha256; c=relaxed/relaxed; d=${domain};`,
        `s=${selector}; bh=${bodyHash};`,
        `h=${names.join(':').replaceAll(/.{60,}?:/g, `$&${CRLF}  `)};`,
        'b=',
      ].join(`${CRLF} `);
      const data = Buffer.from([...covered, relaxed(header)].join(CRLF), 'latin1');
      const signature = await signed(data, algorithm, privateKey);
      return header + signature.toString('base64').replaceAll(/.{74}(?=.)/g, `$&${CRLF} `) + CRLF;
    }),
  );
  return headers.join('');
}

/** Signs data. Ed25519 signs the hash of the headers rather than the headers (RFC 8463, 3). */
function signed(data: Buffer, algorithm: Algorithm, key: KeyObject): Promise<Buffer> {
  return algorithm === 'rsa' ? signAside('sha256', data, key) : signAside(null, createHash('sha256').update(data).digest(), key);
}

/** Returns the headers by name in relaxed canonical form. The last header of a name is signed first. */
function fieldsOf(head: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of head.split(/\r\n(?![\t ])/)) {
    const field = relaxed(line);
    const name = field.slice(0, field.indexOf(':'));
    const others = fields.get(name);
    if (others) others.push(field);
    else fields.set(name, [field]);
  }
  return fields;
}

/** Canonicalizes a header as relaxed (RFC 6376, 3.4.2). Treats bytes as Latin-1, so that only tabs and spaces are white space. */
function relaxed(header: string): string {
  const [, name = '', value = ''] = /^([^:]*?)[\t ]*:(.*)$/s.exec(header) ?? [];
  const text = value.replaceAll(CRLF, '').replaceAll(/[\t ]+/g, ' ');
  return `${name.toLowerCase()}:${text.replaceAll(/^ | $/g, '')}`;
}
