import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseAddress } from '../validation/email-address.js';

/** Who mails come from. */
export interface Sender {
  address: string;
  name: string | null;
}

/** Where mails go, and how well the way there is protected. */
export interface SmtpSettings {
  /** With the credentials. */
  url: string;
  hasPassword: boolean;
  tls: SmtpTls;
  /** PEM of the certificates that are trusted in place of the public authorities. */
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

/** The path of a file with certificates becomes what is in it. */
export const certificateFile = (name: string) =>
  z.string().transform((path, context): string => {
    try {
      const certificates = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
      if (certificates.length === 0) throw new Error('there is none in it');
      return certificates.map((certificate) => String(new X509Certificate(certificate))).join('');
    } catch (error) {
      const { message } = error as Error;
      context.addIssue({ code: 'custom', message: `${name} must be a file with certificates in PEM; ${path}: ${message}` });
      return z.NEVER;
    }
  });

/** A password is not sent in the clear unless SMTP_TLS asks for it. */
export function smtpSettings(url: string, tls: SmtpTls | undefined, trusted: string | undefined): SmtpSettings {
  const hasPassword = new URL(url).password !== '';
  return { url, hasPassword, tls: tls ?? (hasPassword ? 'required' : 'opportunistic'), trusted };
}
