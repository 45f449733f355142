import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import type { Log } from '../../../common/logging/log.js';
import { CLOSED, mailOptions } from './mail-options.js';
import { shownReply } from './server-reply.js';
import { MailNotTaken, MailTransport, type OutgoingMail, type Refusal } from './mail-transport.js';

const MAX_CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection that is busy with one mail for longer is left to it, and the others go out on new ones. */
const SET_ASIDE_MS = 10_000;
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
/** Of nodemailer, to a mail that had no connection yet when its pool was closed. */
const NOT_BEGUN = 'Connection pool was closed';
const UNREACHABLE = 'the mail server cannot be reached, or broke off the connection';

/** Sends by SMTP, over a few connections that are kept open. */
export class SmtpMailTransport extends MailTransport {
  private transporter: Transporter;

  constructor(
    private readonly url: string,
    private readonly log: Log,
  ) {
    super();
    this.transporter = this.newTransporter();
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<Refusal[]> {
    for (;;) {
      const { transporter } = this;
      const limit = setTimeout(() => this.setAside(transporter), SET_ASIDE_MS);
      try {
        const { rejectedErrors = [], response } = await transporter.sendMail({ ...mailOptions(mail), signal });
        this.log.info({ emailId: mail.id, recipients: mail.recipients.length, response }, 'a mail was taken by the mail server');
        return (rejectedErrors as NodemailerError[]).map(toRefusal);
      } catch (error) {
        const fault = error as NodemailerError;
        if (transporter !== this.transporter && fault.message === NOT_BEGUN) continue;
        if (fault.rejectedErrors?.length === mail.recipients.length) return fault.rejectedErrors.map(toRefusal);
        throw toNotTaken(fault, mail);
      } finally {
        clearTimeout(limit);
      }
    }
  }

  close(): void {
    this.transporter.close();
  }

  /** What is under way goes on, within the bounds of its connection; what waits for a connection gets a new one. */
  private setAside(transporter: Transporter): void {
    if (transporter !== this.transporter) return;
    this.log.warn('the mail server is slow to answer; new connections are made');
    this.transporter = this.newTransporter();
    transporter.close();
  }

  private newTransporter(): Transporter {
    return createTransport({
      ...CLOSED,
      url: this.url,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      maxRequeues: MAX_REQUEUES,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      dnsTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
    });
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
