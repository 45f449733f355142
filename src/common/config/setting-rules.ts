import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { BYTE_UNITS, parseBytes } from '../base/amounts.js';
import { parseAddress } from '../base/email-address.js';
import { MAX_RETENTION_DAYS } from './retention-periods.js';

/** Rule for `true`, `false`, or a comma-separated list of addresses and CIDR ranges. Refuses a number of hops, which could be spoofed. */
export const trustProxy = z
  .string()
  .transform((text) => (text === 'true' || text === 'false' ? text === 'true' : text.split(',').map((part) => part.trim())))
  .refine(
    (value) => typeof value === 'boolean' || value.every(isAddressOrRange),
    'TRUST_PROXY must be true, false, or a comma-separated list of addresses or CIDR ranges',
  );

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 && rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

/** Host name valid in DNS and for containers, or an IPv6 address in brackets. */
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d._-]{0,251}[a-z\d.])?|\[[\da-f:.]+\])$/;

/** Returns whether a URL has only host and port. Accepts text that is not a URL, here and below: another rule refuses it. */
function isBareOrigin(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { pathname, username, password } = new URL(text);
  return pathname === '/' && username === '' && password === '';
}

/** Returns whether every client of a store accepts the host. URLs allow more. */
function namesHost(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { hostname, port } = new URL(text);
  return HOST_NAME.test(hostname) && port !== '0';
}

export const MAX_WORKERS = 64;

export const whole = (name: string, min: number, max: number) =>
  z.coerce
    .number({ error: `${name} must be a whole number from ${min} to ${max}` })
    .int(`${name} must be a whole number from ${min} to ${max}`)
    .min(min, `${name} must be a whole number from ${min} to ${max}`)
    .max(max, `${name} must be a whole number from ${min} to ${max}`);

export const days = (name: string) => whole(name, 1, MAX_RETENTION_DAYS);

/** Rule for a limit. 0, the default, means no limit. */
export const limit = (name: string) =>
  whole(name, 0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .transform((value) => value || Infinity);

/** Rule for a size, optionally with a unit. */
export const bytes = (name: string, min: number) => {
  const message = `${name} must be a whole number from ${min} to ${Number.MAX_SAFE_INTEGER}, optionally with ${BYTE_UNITS}, such as 10GiB`;
  return z.string().transform((text, context): number => {
    const size = parseBytes(text);
    if (size !== undefined && size >= min) return size;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
};

export const url = (name: string, ...schemes: string[]) => {
  const message = `${name} must be a URL that begins with ${schemes.map((s) => `${s}://`).join(' or ')} and has no query`;
  return z.string().refine((text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    return parsed !== undefined && schemes.includes(parsed.protocol.slice(0, -1)) && !parsed.search && !parsed.hash;
  }, message);
};

/** Rule for an origin. Refuses a path, since signed paths begin at the root, and credentials, which have their own settings. */
export const origin = (name: string) =>
  url(name, 'http', 'https')
    .refine(isBareOrigin, `${name} must have no path, user or password: http://host:port`)
    .refine(
      namesHost,
      `${name} must name a host by letters, digits, dots, hyphens and underscores, or an IP address, and not port 0`,
    );

export const bucketName = z
  .string()
  .regex(
    /^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'S3_BUCKET must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
  );

const WORKERS_RULE = 'WORKERS must be a whole number from 1 to 64, or auto';
export const workers = z
  .string()
  .regex(/^(auto|[1-9]\d?)$/, WORKERS_RULE)
  .transform((text) => (text === 'auto' ? text : Number(text)))
  .refine((count) => count === 'auto' || count <= MAX_WORKERS, WORKERS_RULE);

export const flag = (name: string) =>
  z.enum(['true', 'false'], { error: `${name} must be true or false` }).transform((text) => text === 'true');

/** Maximum length of a domain whose addresses have local parts of up to 64 characters. */
const MAX_DOMAIN = 180;

/** Rule for a domain of email addresses. Returns it in punycode. */
export const domainName = (name: string) =>
  z.string().transform((text, context): string => {
    const parsed = parseAddress(`a@${text}`);
    if ('address' in parsed && parsed.address.length <= MAX_DOMAIN + 2) return parsed.address.slice(2);
    context.addIssue({
      code: 'custom',
      message: `${name} must be a domain of up to ${MAX_DOMAIN} characters, such as bounces.example.com`,
    });
    return z.NEVER;
  });

/** Rule for a comma-separated list of addresses and CIDR ranges. */
export const networks = (name: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine((parts) => parts.every(isAddressOrRange), `${name} must be addresses or CIDR ranges, separated by commas`);

/** Rule for a proxy URL, which may have a user and a password. */
export const proxyUrl = (name: string) =>
  url(name, 'http', 'https').refine(
    (text) => URL.canParse(text) && new URL(text).pathname === '/',
    `${name} must have no path: http://user:password@host:port`,
  );

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Rule for a file of certificates. Returns its content. */
export const certificateFile = (name: string) =>
  z.string().transform((path, context): string => {
    try {
      const certificates = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
      if (certificates.length === 0) throw new Error('it contains none');
      return certificates.map((certificate) => String(new X509Certificate(certificate))).join('');
    } catch (error) {
      const { message } = error as Error;
      context.addIssue({ code: 'custom', message: `${name} must be a file with certificates in PEM; ${path}: ${message}` });
      return z.NEVER;
    }
  });

/**
 * Returns one URL for each server of a database URL. As with PostgreSQL's own clients, the host can be a list,
 * `postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME`, of which one server is the primary.
 */
export function serversOf(databaseUrl: string): string[] {
  const [, start, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  return hosts === undefined ? [databaseUrl] : hosts.split(',').map((host) => `${start}${host}${rest}`);
}
