import type { OnApplicationBootstrap } from '@nestjs/common';
import type { NodemailerError, Transporter } from 'nodemailer';
import { dnsCache } from 'nodemailer/lib/shared';
import type { SmtpSettings } from '../../../common/config/settings/mail-settings.js';
import type { Logger } from '../../../common/logging/logger.js';
import { codeIn, kindOf } from './failure-kinds.js';
import { mailOptions, openTransporter } from './mail-options.js';
import { MailTransport, type OutgoingMail, type Refusal } from './mail-transport.js';
import { answerOf, notTaken } from './smtp-errors.js';

const MAX_CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
/** Duration of a mail after which the others use new connections. */
const SET_ASIDE_MS = 10_000;
/** Idle timeout of the server, such as during a scan of a mail. RFC 5321 grants 10 minutes; few servers need even one. */
const SILENCE_TIMEOUT_MS = 120_000;
/** Retries inside nodemailer, for a connection closed before any byte of the mail was sent. The outbox makes all other retries. */
const MAX_REQUEUES = 1;
/** Nodemailer's message for a mail still waiting for a connection when the pool closed. */
const NOT_BEGUN = 'Connection pool was closed';

/** Sends by SMTP over a few persistent connections. */
export class SmtpMailTransport extends MailTransport implements OnApplicationBootstrap {
  private transporter: Transporter;

  constructor(
    private readonly settings: SmtpSettings,
    private readonly logger: Logger,
  ) {
    super();
    this.transporter = this.newTransporter();
  }

  onApplicationBootstrap(): void {
    const { tls, hasPassword } = this.settings;
    if (tls === 'off' && hasPassword)
      this.logger.warn('SMTP_TLS is off: the password or token and all mails are sent unencrypted');
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<Refusal[]> {
    for (;;) {
      const { transporter } = this;
      const limit = setTimeout(() => this.setAside(transporter), SET_ASIDE_MS);
      try {
        const { rejectedErrors = [] } = await transporter.sendMail({ ...mailOptions(mail), signal });
        this.logger.info({ emailId: mail.id, recipients: mail.recipients.length }, 'the mail server accepted a mail');
        return (rejectedErrors as NodemailerError[]).map(toRefusal);
      } catch (error) {
        const failure = error as NodemailerError;
        if (transporter !== this.transporter && failure.message === NOT_BEGUN) continue;
        const rejected = failure.rejectedErrors ?? lateRejections(failure, mail);
        if (rejected?.length === mail.recipients.length) return rejected.map(toRefusal);
        const reason = notTaken(failure, [mail.from.address, ...mail.recipients]);
        if (reason.kind === 'unreachable') this.forgetAddress();
        throw reason;
      } finally {
        clearTimeout(limit);
      }
    }
  }

  /** Connects, starts TLS and logs in without sending a mail. @throws MailNotTaken */
  async verify(): Promise<void> {
    await this.transporter.verify().catch((error: NodemailerError) => {
      throw notTaken(error, []);
    });
  }

  close(): void {
    this.transporter.close();
  }

  /** Replaces a slow transporter. Mails being sent continue until their connections time out; waiting mails use the new one. */
  private setAside(transporter: Transporter): void {
    if (transporter !== this.transporter) return;
    this.logger.warn('the mail server is slow to respond; opening new connections');
    this.forgetAddress();
    this.transporter = this.newTransporter();
    transporter.close();
  }

  /** Forces a new lookup of the mail server: nodemailer would use an outdated address for 5 minutes. */
  private forgetAddress(): void {
    dnsCache.delete(new URL(this.settings.url).hostname);
  }

  private newTransporter(): Transporter {
    return openTransporter({
      url: this.settings.url,
      ...protection(this.settings),
      ...login(this.settings),
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

/** Returns the login: an OAuth token if a token source is configured, otherwise any password in the URL. */
function login({ url, oauth }: SmtpSettings) {
  if (!oauth) return {};
  const { tokenUrl, clientId, clientSecret, refreshToken } = oauth;
  const user = decodeURIComponent(new URL(url).username);
  const requestTimeout = CONNECT_TIMEOUT_MS;
  return { auth: { type: 'OAuth2', user, clientId, clientSecret, refreshToken, accessUrl: tokenUrl, requestTimeout } };
}

/** Returns the TLS options: checks every certificate, and sends a password only over TLS unless TLS is off. */
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
  const isPermanent = error.permanent ?? false;
  return { address, isPermanent, isGone: saysGone(error), message: `${address}: ${answerOf(error, [address])}` };
}

/** Returns the rejection of a single recipient after the server read the content. */
function lateRejections(error: NodemailerError, { recipients: [recipient, ...others] }: OutgoingMail) {
  const isLate = error.code === 'EMESSAGE' && others.length === 0 && saysGone(error);
  return isLate ? [{ ...error, recipient } as NodemailerError] : undefined;
}

/** Returns true if the server says permanently that an address does not exist. */
function saysGone({ permanent = false, response = '' }: NodemailerError): boolean {
  return permanent && kindOf(codeIn(response), response) === 'HARD';
}
