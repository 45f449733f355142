import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import type { Log } from '../../../common/logging/log.js';
import { CLOSED, mailOptions } from './mail-options.js';
import { shownReply } from './server-reply.js';
import { MailNotTaken, MailTransport, type OutgoingMail, type Refusal } from './mail-transport.js';

const MAX_CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 20_000;
/** A server that scans mails before it takes them is silent meanwhile. RFC 5321 asks for 10 minutes there; few take one. */
const SILENCE_TIMEOUT_MS = 120_000;
/** Of a connection that the server closed before a byte of the mail was sent; everything else is for the outbox to repeat. */
const MAX_REQUEUES = 1;
const MAX_SHOWN = 500;

/** What went wrong on our side of the mail server; the details, such as its address, are for the log. */
const SHOWN: Record<string, string> = {
  EAUTH: 'the mail server refused the login of this service',
  ENOAUTH: 'the mail server asks for a login and this service has none',
  ETIMEDOUT: 'the mail server did not answer in time',
  ESTREAM: 'an attachment could not be read',
  EABORT: 'sending was interrupted',
};
const UNREACHABLE = 'the mail server cannot be reached, or broke off the connection';

/** Sends by SMTP, over a few connections that are kept open. */
export class SmtpMailTransport extends MailTransport {
  private readonly transporter: Transporter;

  constructor(
    url: string,
    private readonly log: Log,
  ) {
    super();
    this.transporter = createTransport({
      ...CLOSED,
      url,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      maxRequeues: MAX_REQUEUES,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      dnsTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
    });
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<Refusal[]> {
    try {
      const { rejectedErrors = [], response } = await this.transporter.sendMail({ ...mailOptions(mail), signal });
      this.log.info({ emailId: mail.id, recipients: mail.recipients.length, response }, 'a mail was taken by the mail server');
      return (rejectedErrors as NodemailerError[]).map(toRefusal);
    } catch (error) {
      const fault = error as NodemailerError;
      if (fault.rejectedErrors?.length === mail.recipients.length) return fault.rejectedErrors.map(toRefusal);
      throw toNotTaken(fault, mail);
    }
  }

  close(): void {
    this.transporter.close();
  }
}

function toRefusal(error: NodemailerError): Refusal {
  const address = error.recipient ?? '';
  return { address, isPermanent: error.permanent ?? false, message: `${address}: ${replyOf(error, [address])}` };
}

/** Only an answer to the mail itself is final. A login or a connection is not the sender's to mend, and may be mended. */
function toNotTaken(error: NodemailerError, mail: OutgoingMail): MailNotTaken {
  const isAnswer = error.code === 'EENVELOPE' || error.code === 'EMESSAGE';
  if (!isAnswer)
    return new MailNotTaken(SHOWN[error.code ?? ''] ?? UNREACHABLE, isUnreachable(error) ? 'unreachable' : 'temporary', error);
  const isPermanent = error.permanent ?? error.responseCode === undefined;
  return new MailNotTaken(
    replyOf(error, [mail.from.address, ...mail.recipients]),
    isPermanent ? 'permanent' : 'temporary',
    error,
  );
}

/** Before the server was told of any mail. */
function isUnreachable({ code, syscall, timeoutType }: NodemailerError): boolean {
  const isLogin = code === 'EAUTH' || code === 'ENOAUTH' || code === 'ETLS';
  const isConnecting = syscall === 'connect' || timeoutType === 'CONNECT_TIMEOUT' || timeoutType === 'GREETING_TIMEOUT';
  return isLogin || isConnecting || code === 'EDNS';
}

function replyOf({ response, message }: NodemailerError, addresses: string[]): string {
  return `the mail server answered: ${shownReply(response ?? message, addresses).slice(0, MAX_SHOWN)}`;
}
