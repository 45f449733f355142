import type { OnApplicationBootstrap } from '@nestjs/common';
import type { NodemailerError, Transporter } from 'nodemailer';
import type { SmtpSettings } from '../../../common/config/mail-settings.js';
import type { Log } from '../../../common/logging/log.js';
import { mailOptions, openTransporter } from './mail-options.js';
import { MailTransport, type OutgoingMail, type Refusal } from './mail-transport.js';
import { answerOf, notTaken } from './smtp-fault.js';

const MAX_CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection that is busy with one mail for longer is left to it, and the others go out on new ones. */
const SET_ASIDE_MS = 10_000;
/** A server that scans mails before it takes them is silent meanwhile. RFC 5321 asks for 10 minutes there; few take one. */
const SILENCE_TIMEOUT_MS = 120_000;
/** Of a connection that the server closed before a byte of the mail was sent; everything else is for the outbox to repeat. */
const MAX_REQUEUES = 1;
/** Of nodemailer, to a mail that had no connection yet when its pool was closed. */
const NOT_BEGUN = 'Connection pool was closed';

/** Sends by SMTP, over a few connections that are kept open. */
export class SmtpMailTransport extends MailTransport implements OnApplicationBootstrap {
  private transporter: Transporter;

  constructor(
    private readonly settings: SmtpSettings,
    private readonly log: Log,
  ) {
    super();
    this.transporter = this.newTransporter();
  }

  onApplicationBootstrap(): void {
    const { tls, hasPassword } = this.settings;
    if (tls === 'off' && hasPassword)
      this.log.warn('SMTP_TLS is off: the password of SMTP_URL and all mails are sent unencrypted');
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
        throw notTaken(fault, [mail.from.address, ...mail.recipients]);
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
    return openTransporter({
      url: this.settings.url,
      ...protection(this.settings),
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

/** Judges every certificate that a server shows. Sends no password without TLS unless that is off. */
function protection({ tls, hasPassword, trusted }: SmtpSettings) {
  return {
    requireTLS: tls === 'required' || (tls === 'opportunistic' && hasPassword),
    opportunisticTLS: tls === 'opportunistic' && !hasPassword,
    ignoreTLS: tls === 'off',
    tls: trusted === undefined ? {} : { ca: trusted, allowPartialTrustChain: true },
  };
}

function toRefusal(error: NodemailerError): Refusal {
  const address = error.recipient ?? '';
  return { address, isPermanent: error.permanent ?? false, message: `${address}: ${answerOf(error, [address])}` };
}
