import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseAddress } from '../validation/email-address.js';

/** Address and name of the sender of mails. */
export interface Sender {
  address: string;
  name: string | null;
}

/** The mail server, and how the connection to it is protected. */
export interface SmtpSettings {
  /** Includes the credentials. */
  url: string;
  hasPassword: boolean;
  tls: SmtpTls;
  /** Certificates, in PEM, that are trusted in place of the public authorities. */
  trusted?: string;
}

export type SmtpTls = (typeof SMTP_TLS)[number];
const SMTP_TLS = ['required', 'opportunistic', 'off'] as const;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

export const LOCAL_SENDER: Sender = { address: 'platform-services@localhost', name: null };

/** `ann@example.com` or `Ann <ann@example.com>`. */
export const sender = z.string().transform((text, context): Sender => {
  const [, quoted, plain = '', inBrackets] = /^(?:"([^<>"\p{Cc}]*)"|([^<>"\p{Cc}]*))\s*<([^<>]*)>$/u.exec(text.trim()) ?? [];
  const name = (quoted ?? plain).trim();
  const parsed = parseAddress(inBrackets ?? text.trim());
  if ('address' in parsed) return { address: parsed.address, name: name || null };
  context.addIssue({
    code: 'custom',
    message: 'EMAIL_FROM must be an address, such as ann@example.com or Ann <ann@example.com>',
  });
  return z.NEVER;
});

export const smtpTls = z.enum(SMTP_TLS, { error: `SMTP_TLS must be one of ${SMTP_TLS.join(', ')}` });

/** Reads the certificates in the file that the setting names. */
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

/** Requires TLS by default where the URL has a password. */
export function smtpSettings(url: string, tls: SmtpTls | undefined, trusted: string | undefined): SmtpSettings {
  const hasPassword = new URL(url).password !== '';
  return { url, hasPassword, tls: tls ?? (hasPassword ? 'required' : 'opportunistic'), trusted };
}
