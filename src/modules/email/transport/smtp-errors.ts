import type { NodemailerError } from 'nodemailer';
import { certificateFault, isCertificateFault } from '../../../common/base/certificate-faults.js';
import { type FailureKind, MailNotTaken } from './mail-transport.js';
import { redactedReply } from './server-reply.js';

const MAX_EXCERPT = 500;

const MAIL_SERVER = { name: 'the mail server', setting: 'SMTP_URL', remedy: 'name it in SMTP_CA_FILE' };
/** Error codes of OpenSSL for a server that answers a TLS handshake in plain text. */
const NO_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

const NO_TOKEN = 'the mail server asks for a token, and this service was given none';
/** Messages by the error code of the system or of nodemailer. */
const CAUSE: Record<string, string> = {
  ECONNREFUSED: 'the mail server cannot be reached: its port is closed',
  EHOSTUNREACH: 'the mail server cannot be reached: there is no route to its address',
  ENETUNREACH: 'the mail server cannot be reached: there is no route to its network',
  ENOTFOUND: 'the mail server cannot be reached: the host name of SMTP_URL is unknown',
  EDNS: 'the mail server cannot be reached: the host name of SMTP_URL cannot be looked up now',
  CONNECT_TIMEOUT: 'the mail server cannot be reached: it did not answer in time',
  GREETING_TIMEOUT:
    'the mail server did not greet in time; if its port expects TLS from the start, SMTP_URL must begin with smtps://',
  UPGRADE_TIMEOUT: 'the mail server did not finish the TLS handshake in time',
  EAUTH: 'the mail server refused the login of this service',
  EOAUTH2: NO_TOKEN,
  EFETCH: NO_TOKEN,
  ENOAUTH: 'the mail server asks for a login and this service has none',
  ETIMEDOUT: 'the mail server did not answer in time',
  ESTREAM: 'an attachment could not be read',
  EABORT: 'sending was interrupted',
};
const BROKEN_OFF = 'the mail server cannot be reached, or broke off the connection';
const HANDSHAKE_BROKEN_OFF = 'the mail server broke off the TLS handshake';
/** The part of Node's message by which a connection that ended during the TLS handshake is recognized. */
const BEFORE_TLS = 'before secure TLS connection was established';

/**
 * Returns why the server rejected a message for every recipient, in words for the sender that reveal nothing of our network. Only
 * a refusal of the mail itself is permanent: faults of logins and connections can be repaired, but not by the sender.
 */
export function notTaken(error: NodemailerError, addresses: string[]): MailNotTaken {
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') {
    const isPermanent = error.permanent ?? error.responseCode === undefined;
    return new MailNotTaken(answerOf(error, addresses), isPermanent ? 'permanent' : 'temporary', error);
  }
  return new MailNotTaken(causeOf(error, addresses), kindOf(error), error);
}

/** Quotes the answer of the mail server to a mail or to one of its recipients. */
export function answerOf({ response, message }: NodemailerError, addresses: string[]): string {
  return `the mail server answered: ${excerptOf(response ?? message, addresses)}`;
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

/** Distinguishes a server that accepts no mail from a server that does not speak SMTP. */
function refusalOf(response: string): string {
  if (/^[45]\d\d/.test(response)) return `the mail server refused the connection: ${excerptOf(response)}`;
  return `the server at SMTP_URL does not speak SMTP: ${excerptOf(response)}`;
}

/** A failure before the server received any mail is `unreachable`: every other mail would have failed in the same way. */
function kindOf(error: NodemailerError): FailureKind {
  const { code = '', originalCode = '', syscall, timeoutType } = error;
  const isLogin = ['EAUTH', 'EOAUTH2', 'EFETCH', 'ENOAUTH', 'ETLS', 'EDNS'].includes(code);
  const isHandshake = isCertificateFault(originalCode) || originalCode.startsWith('ERR_SSL_');
  const isConnecting = syscall === 'connect' || /^(CONNECT|GREETING|UPGRADE)_TIMEOUT$/.test(timeoutType ?? '');
  const isEnded = error.message.includes(BEFORE_TLS);
  return isLogin || isHandshake || isConnecting || isEnded || isBeforeMail(error) ? 'unreachable' : 'temporary';
}

/**
 * Whether the server does not offer the required TLS. Nodemailer fails on a refused EHLO only if it needs STARTTLS, except for
 * the code 421.
 */
function isTlsMissing({ code, command, responseCode }: NodemailerError): boolean {
  return code === 'ETLS' || (command === 'EHLO' && responseCode !== 421);
}

/** Whether the server refused the connection itself, in its greeting or in reply to our EHLO, HELO or STARTTLS. */
function isBeforeMail({ message, command = '' }: NodemailerError): boolean {
  return message.startsWith('Invalid greeting') || ['EHLO', 'HELO', 'STARTTLS'].includes(command);
}

function excerptOf(reply: string, addresses: string[] = []): string {
  return redactedReply(reply, addresses).slice(0, MAX_EXCERPT).toWellFormed();
}
