import type { NodemailerError } from 'nodemailer';
import { certificateFault, isCertificateFault } from '../../../common/base/certificate-faults.js';
import { type FailureKind, MailNotTaken } from './mail-transport.js';
import { redactedReply } from './server-reply.js';

const MAX_EXCERPT = 500;

const MAIL_SERVER = { name: 'the mail server', setting: 'SMTP_URL', remedy: 'name it in SMTP_CA_FILE' };
/** OpenSSL error codes for a plain text response to a TLS handshake. */
const NO_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

const NO_TOKEN = 'the mail server requires an OAuth token, but none is configured';
/** Messages by error code of the system or of nodemailer. */
const CAUSE: Record<string, string> = {
  ECONNREFUSED: 'the mail server cannot be reached: its port is closed',
  EHOSTUNREACH: 'the mail server cannot be reached: there is no route to its address',
  ENETUNREACH: 'the mail server cannot be reached: there is no route to its network',
  ENOTFOUND: 'the mail server cannot be reached: the host name of SMTP_URL is unknown',
  EDNS: 'the mail server cannot be reached: the host name of SMTP_URL cannot be resolved now',
  CONNECT_TIMEOUT: 'the mail server cannot be reached: it did not respond in time',
  GREETING_TIMEOUT:
    'the mail server did not greet in time; if its port expects TLS from the start, SMTP_URL must begin with smtps://',
  UPGRADE_TIMEOUT: 'the mail server did not finish the TLS handshake in time',
  EAUTH: 'the mail server rejected the login of this service',
  EOAUTH2: NO_TOKEN,
  EFETCH: NO_TOKEN,
  ENOAUTH: 'the mail server requires a login, but none is configured',
  ETIMEDOUT: 'the mail server did not respond in time',
  ESTREAM: 'an attachment could not be read',
  EABORT: 'sending was interrupted',
};
const BROKEN_OFF = 'the mail server cannot be reached, or closed the connection';
const HANDSHAKE_BROKEN_OFF = 'the mail server aborted the TLS handshake';
/** Part of Node's message for a connection closed during the TLS handshake. */
const BEFORE_TLS = 'before secure TLS connection was established';

/**
 * Converts a rejection of all recipients to an error for the sender, without details of our network. Only a rejection of the mail itself is
 * permanent: an operator can fix login and connection failures.
 */
export function notTaken(error: NodemailerError, addresses: string[]): MailNotTaken {
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') {
    const isPermanent = error.permanent ?? error.responseCode === undefined;
    return new MailNotTaken(answerOf(error, addresses), isPermanent ? 'permanent' : 'temporary', error);
  }
  return new MailNotTaken(causeOf(error, addresses), kindOf(error), error);
}

/** Quotes the reply of the mail server to a mail or a recipient. */
export function answerOf({ response, message }: NodemailerError, addresses: string[]): string {
  return `the mail server responded: ${excerptOf(response ?? message, addresses)}`;
}

function causeOf(error: NodemailerError, addresses: string[]): string {
  const { code = '', originalCode = '', timeoutType = '', response } = error;
  const fault = certificateFault(originalCode, MAIL_SERVER);
  if (fault) return fault;
  if (NO_TLS.has(originalCode))
    return 'the mail server does not speak TLS from the start; for STARTTLS, SMTP_URL must begin with smtp://';
  if (originalCode.startsWith('ERR_SSL_')) return `the TLS handshake with the mail server failed (${originalCode})`;
  if (error.message.includes(BEFORE_TLS) || (code === 'ETLS' && !response)) return HANDSHAKE_BROKEN_OFF;
  if (response && isTlsMissing(error))
    return `the mail server does not offer TLS, which this service requires: ${excerptOf(response)}`;
  if (response && isBeforeMail(error)) return refusalOf(response);
  return CAUSE[timeoutType] ?? CAUSE[originalCode] ?? CAUSE[code] ?? (response ? answerOf(error, addresses) : BROKEN_OFF);
}

/** Distinguishes a server that accepts no mail from one that does not speak SMTP. */
function refusalOf(response: string): string {
  if (/^[45]\d\d/.test(response)) return `the mail server rejected the connection: ${excerptOf(response)}`;
  return `the server at SMTP_URL does not speak SMTP: ${excerptOf(response)}`;
}

/** Classifies a failure. Before the server receives any mail, it is `unreachable`: every other mail would fail likewise. */
function kindOf(error: NodemailerError): FailureKind {
  const { code = '', originalCode = '', syscall, timeoutType } = error;
  const isLogin = ['EAUTH', 'EOAUTH2', 'EFETCH', 'ENOAUTH', 'ETLS', 'EDNS'].includes(code);
  const isHandshake = isCertificateFault(originalCode) || originalCode.startsWith('ERR_SSL_');
  const isConnecting = syscall === 'connect' || /^(CONNECT|GREETING|UPGRADE)_TIMEOUT$/.test(timeoutType ?? '');
  const isEnded = error.message.includes(BEFORE_TLS);
  return isLogin || isHandshake || isConnecting || isEnded || isBeforeMail(error) ? 'unreachable' : 'temporary';
}

/**
 * Returns true if the server lacks the required TLS. Nodemailer fails on a rejected EHLO only if it needs STARTTLS, except for code 421.
 */
function isTlsMissing({ code, command, responseCode }: NodemailerError): boolean {
  return code === 'ETLS' || (command === 'EHLO' && responseCode !== 421);
}

/** Returns true if the server rejected the connection itself, in its greeting or in reply to EHLO, HELO or STARTTLS. */
function isBeforeMail({ message, command = '' }: NodemailerError): boolean {
  return message.startsWith('Invalid greeting') || ['EHLO', 'HELO', 'STARTTLS'].includes(command);
}

function excerptOf(reply: string, addresses: string[] = []): string {
  return redactedReply(reply, addresses).slice(0, MAX_EXCERPT).toWellFormed();
}
