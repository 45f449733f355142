import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { parseAddress } from '../../base/email-address.js';

/** Address and name of the sender of mails. */
export interface Sender {
  address: string;
  name: string | null;
}

/** Mail server, and the security of the connection to it. */
export interface SmtpSettings {
  /** URL of the server, including credentials. */
  url: string;
  /** True if the service logs in. Neither password nor token may be sent unencrypted. */
  hasPassword: boolean;
  /** Token source for a login by XOAUTH2. */
  oauth?: OauthSettings;
  tls: SmtpTls;
  /** Certificates in PEM, trusted instead of the public authorities. */
  trusted?: string;
}

interface OauthSettings {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  refreshToken: string;
}

type SmtpTls = (typeof SMTP_TLS)[number];
const SMTP_TLS = ['required', 'opportunistic', 'off'] as const;

export const LOCAL_SENDER: Sender = { address: 'platform-services@localhost', name: null };

/** Rule for a sender: `ann@example.com` or `Ann <ann@example.com>`. */
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

interface MailEnvironment {
  SMTP_URL?: string;
  SMTP_TLS?: SmtpTls;
  SMTP_CA_FILE?: string;
  SMTP_OAUTH_TOKEN_URL?: string;
  SMTP_OAUTH_CLIENT_ID?: string;
  SMTP_OAUTH_CLIENT_SECRET?: string;
  SMTP_OAUTH_REFRESH_TOKEN?: string;
}

/** Returns the settings of the mail server. A password or a token requires TLS by default. @throws ConfigError for conflicting settings */
export function smtpSettings(env: MailEnvironment): SmtpSettings | undefined {
  const { SMTP_URL: url, SMTP_TLS: tls, SMTP_CA_FILE: trusted } = env;
  const oauth = oauthSettings(env);
  if (!url) return undefined;
  const { username, password } = new URL(url);
  if (oauth && (!username || password)) {
    throw new ConfigError('SMTP_URL must have a user and no password with SMTP_OAUTH_TOKEN_URL: smtp://USER@HOST:PORT');
  }
  const hasPassword = password !== '' || oauth !== undefined;
  return { url, hasPassword, oauth, tls: tls ?? (hasPassword ? 'required' : 'opportunistic'), trusted };
}

function oauthSettings(env: MailEnvironment): OauthSettings | undefined {
  const {
    SMTP_OAUTH_TOKEN_URL: tokenUrl,
    SMTP_OAUTH_CLIENT_ID: clientId,
    SMTP_OAUTH_CLIENT_SECRET: clientSecret,
    SMTP_OAUTH_REFRESH_TOKEN: refreshToken,
  } = env;
  if (!tokenUrl && !clientId && !clientSecret && !refreshToken) return undefined;
  if (!tokenUrl || !clientId || !refreshToken) {
    throw new ConfigError('SMTP_OAUTH_TOKEN_URL, SMTP_OAUTH_CLIENT_ID and SMTP_OAUTH_REFRESH_TOKEN must be set together');
  }
  return { tokenUrl, clientId, clientSecret: clientSecret ?? '', refreshToken };
}
