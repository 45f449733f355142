import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate with its key, in the form of TLS options. */
export interface Certificate {
  key: string;
  cert: string;
}

interface Wanted {
  /** Host names and IPv4 addresses of the certificate. */
  names?: string[];
  from?: Date;
  until?: Date;
  /** Issuer; self-signed by default. */
  issuer?: Authority;
}

/** Issuer that nobody trusts by default. */
export interface Authority {
  name: string;
  key: KeyObject;
  cert: string;
}

const DAY_MS = 24 * 3_600_000;

function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts);
const octets = (content: Buffer) => tlv(0x04, content);
const bits = (content: Buffer) => tlv(0x03, Buffer.from([0]), content);
const time = (date: Date) => tlv(0x18, Buffer.from(date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')));
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const distinguished = (name: string) => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))));
const extension = (id: string, value: Buffer) => sequence(oid(id), octets(value));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const BASIC_CONSTRAINTS = '551d13';
const ALTERNATIVE_NAMES = '551d11';

function alternative(name: string): Buffer {
  return isIP(name) === 4 ? tlv(0x87, Buffer.from(name.split('.').map(Number))) : tlv(0x82, Buffer.from(name));
}

/** X.509 v3, by RFC 5280. */
function issue(subject: string, key: KeyObject, extensions: Buffer[], { from, until, issuer }: Wanted, own: KeyObject): string {
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    distinguished(issuer?.name ?? subject),
    sequence(time(from ?? new Date(Date.now() - DAY_MS)), time(until ?? new Date(Date.now() + DAY_MS))),
    distinguished(subject),
    key.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, issuer?.key ?? own);
  const lines = sequence(content, ECDSA_WITH_SHA256, bits(signature))
    .toString('base64')
    .match(/.{1,64}/g)!;
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

export function newAuthority(name = 'An authority of our own'): Authority {
  const { privateKey, publicKey } = newKey();
  const isAuthority = extension(BASIC_CONSTRAINTS, sequence(tlv(0x01, Buffer.from([0xff]))));
  return { name, key: privateKey, cert: issue(name, publicKey, [isAuthority], {}, privateKey) };
}

/** Issues a certificate, by default for this machine and for a day. */
export function newCertificate(wanted: Wanted = {}): Certificate {
  const { privateKey, publicKey } = newKey();
  const names = (wanted.names ?? ['localhost', '127.0.0.1']).map(alternative);
  const cert = issue('a mail server', publicKey, [extension(ALTERNATIVE_NAMES, sequence(...names))], wanted, privateKey);
  return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), cert };
}
