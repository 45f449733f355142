import type { NodemailerError } from 'nodemailer';
import { type Fault, MailNotTaken } from './mail-transport.js';
import { shownReply } from './server-reply.js';

const MAX_SHOWN = 500;

/** Why the certificate was refused, by the code of OpenSSL or Node. */
const CERTIFICATE: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed; SMTP_CA_FILE can name it as trusted',
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name than that of SMTP_URL',
};
for (const code of [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]) {
  CERTIFICATE[code] = 'was issued by an authority that is not trusted; SMTP_CA_FILE can name it';
}

/** What a server that speaks no TLS answers to its beginning, as OpenSSL reads that. */
const NO_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** By the code of the system or of nodemailer. */
const CAUSE: Record<string, string> = {
  ECONNREFUSED: 'the mail server cannot be reached: its port takes no connections',
  EHOSTUNREACH: 'the mail server cannot be reached: there is no way to its address',
  ENETUNREACH: 'the mail server cannot be reached: there is no way to its network',
  ENOTFOUND: 'the mail server cannot be reached: the host name of SMTP_URL is unknown',
  EDNS: 'the mail server cannot be reached: the host name of SMTP_URL cannot be looked up now',
  CONNECT_TIMEOUT: 'the mail server cannot be reached: it did not answer in time',
  GREETING_TIMEOUT:
    'the mail server did not greet in time; if its port expects TLS from the start, SMTP_URL has to begin with smtps://',
  UPGRADE_TIMEOUT: 'the mail server did not finish the TLS handshake in time',
  EAUTH: 'the mail server refused the login of this service',
  ENOAUTH: 'the mail server asks for a login and this service has none',
  ETIMEDOUT: 'the mail server did not answer in time',
  ESTREAM: 'an attachment could not be read',
  EABORT: 'sending was interrupted',
};
const BROKEN_OFF = 'the mail server cannot be reached, or broke off the connection';
/** Of Node, when a connection ends before TLS begins on it. */
const BEFORE_TLS = 'before secure TLS connection was established';

/**
 * Why a mail was taken for nobody, as its sender may read it: nothing of the network that this service is in. Only an answer
 * to the mail itself is final. A login or a connection is not the sender's to mend, and may be mended.
 */
export function notTaken(error: NodemailerError, addresses: string[]): MailNotTaken {
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') {
    const isPermanent = error.permanent ?? error.responseCode === undefined;
    return new MailNotTaken(answerOf(error, addresses), isPermanent ? 'permanent' : 'temporary', error);
  }
  return new MailNotTaken(causeOf(error, addresses), faultOf(error), error);
}

/** What the mail server said of a mail or of one of its recipients. */
export function answerOf({ response, message }: NodemailerError, addresses: string[]): string {
  return `the mail server answered: ${shown(response ?? message, addresses)}`;
}

function causeOf(error: NodemailerError, addresses: string[]): string {
  const { code = '', originalCode = '', timeoutType = '', response } = error;
  if (CERTIFICATE[originalCode]) return `the certificate of the mail server ${CERTIFICATE[originalCode]}`;
  if (/^(CERT|CRL|UNABLE_TO)_/.test(originalCode)) return `the certificate of the mail server is not trusted (${originalCode})`;
  if (NO_TLS.has(originalCode))
    return 'the mail server speaks no TLS from the start, which smtps:// asks for; for STARTTLS SMTP_URL has to begin with smtp://';
  if (originalCode.startsWith('ERR_SSL_')) return `the TLS handshake with the mail server failed (${originalCode})`;
  if (error.message.includes(BEFORE_TLS)) return 'the mail server broke off the TLS handshake';
  if (code === 'ETLS') return `the mail server offers no TLS, which SMTP_TLS asks for${response ? `: ${shown(response)}` : ''}`;
  if (response && isBeforeMail(error)) return refusalOf(response);
  return CAUSE[timeoutType] ?? CAUSE[originalCode] ?? CAUSE[code] ?? (response ? answerOf(error, addresses) : BROKEN_OFF);
}

/** A greeting, or an answer to ours, that is none of a server which takes mail. */
function refusalOf(response: string): string {
  if (/^[45]\d\d/.test(response)) return `the mail server refused the connection: ${shown(response)}`;
  return `what answers at the address of SMTP_URL is no mail server: ${shown(response)}`;
}

/** Whether the server would have taken no other mail either: it was told of none yet. */
function faultOf(error: NodemailerError): Fault {
  const { code = '', originalCode = '', syscall, timeoutType } = error;
  const isLogin = ['EAUTH', 'ENOAUTH', 'ETLS', 'EDNS'].includes(code);
  const isHandshake = Boolean(CERTIFICATE[originalCode]) || /^(CERT_|CRL_|UNABLE_TO_|ERR_SSL_)/.test(originalCode);
  const isConnecting = syscall === 'connect' || /^(CONNECT|GREETING|UPGRADE)_TIMEOUT$/.test(timeoutType ?? '');
  const isEnded = error.message.includes(BEFORE_TLS);
  return isLogin || isHandshake || isConnecting || isEnded || isBeforeMail(error) ? 'unreachable' : 'temporary';
}

/** Answers to the connection itself: the greeting, and what follows on ours. */
function isBeforeMail({ message, command = '' }: NodemailerError): boolean {
  return message.startsWith('Invalid greeting') || ['EHLO', 'HELO', 'STARTTLS'].includes(command);
}

function shown(reply: string, addresses: string[] = []): string {
  return shownReply(reply, addresses).slice(0, MAX_SHOWN).toWellFormed();
}
