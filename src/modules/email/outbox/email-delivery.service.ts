import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { Logger } from '../../../common/logging/logger.js';
import { endFailed, resume, type Span, SpanKind, within } from '../../../common/tracing/spans.js';
import { AttachableContentService } from '../../file-management/file-storage/attachable-content.service.js';
import { pairsOf, type RecipientRow } from '../message-storage/email-row.js';
import { PlainTextService } from './plain-text.service.js';
import type { ClaimedEmail } from './outbox-claim.queries.js';
import { type Settlement, settlementOf } from './settlement.js';
import {
  type FailureKind,
  type MailAttachment,
  MailNotTaken,
  MailTransport,
  type OutgoingMail,
  type Refusal,
} from '../transport/mail-transport.js';
import { SendingDomains } from '../domains/sending-domains.service.js';
import type { SuppressionReason } from '../models/suppression.model.js';
import { ReturnPaths } from '../bounces/return-paths.js';
import { loggedFault } from '../transport/server-reply.js';
import { peopleOf } from '../message-storage/email-message.js';

/** Message claimed by this node, with all its recipients. */
export interface ClaimedMessage {
  email: ClaimedEmail;
  recipients: RecipientRow[];
  /** Suppression reasons by recipient position. */
  suppressed: ReadonlyMap<number, SuppressionReason>;
}

/** Rejection of a mail for all of its recipients. */
interface Failure extends Pick<Refusal, 'message' | 'isPermanent'> {
  fault: FailureKind | 'fault';
  /** True if the other envelopes of the attempt would fail too. */
  isOfAll: boolean;
}

/** Sends messages, one attempt per call. */
@Injectable()
export class EmailDeliveryService {
  constructor(
    private readonly database: Database,
    private readonly transport: MailTransport,
    private readonly plainTexts: PlainTextService,
    private readonly files: AttachableContentService,
    private readonly returnPaths: ReturnPaths,
    private readonly domains: SendingDomains,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes an attempt. Never rejects: an error becomes part of the settlement. The attempt is a child span of the acceptance, its only
   * cause, even if it is made much later or on another node.
   */
  attempt(message: ClaimedMessage, signal: AbortSignal): Promise<Settlement> {
    const { id, tenantId, attempts, traceContext } = message.email;
    const attributes = { 'platform.tenant.id': tenantId, 'platform.email.id': id, 'platform.email.attempt': attempts };
    const span = resume(traceContext, 'send mail', { kind: SpanKind.CLIENT, attributes });
    return within(span, () => this.attemptOnce(message, signal, span));
  }

  private async attemptOnce(message: ClaimedMessage, signal: AbortSignal, span?: Span): Promise<Settlement> {
    const { email, recipients, suppressed } = message;
    const pending = recipients.filter(({ status, position }) => status === 'QUEUED' && !suppressed.has(position));
    const refusals = suppressionsAsRefusals(message);
    if (pending.length === 0) {
      span?.end();
      return settlementOf(email, recipients, refusals, Date.now());
    }
    let failure: Failure | undefined;
    try {
      const domain = await this.domains.domainOf(email.tenantId, email.fromAddress);
      const mail = { ...asMail(email, recipients), ...(await this.bodiesOf(email)), signer: domain?.signer };
      const open = email.hasAttachments ? await this.attachmentsOf(email) : () => [];
      for (const envelope of this.returnPaths.envelopesOf(email.id, pending, domain?.returnPathDomain)) {
        // Skip the remaining envelopes once a failure applies to all of them.
        const outcome = failure?.isOfAll
          ? failure
          : await this.send({ ...mail, ...envelope, attachments: open() }, email.attempts, signal);
        if (!Array.isArray(outcome)) failure = outcome;
        refusals.push(...(Array.isArray(outcome) ? outcome : refusalsOf(outcome, envelope.recipients)));
      }
    } catch (error) {
      failure = this.failureOf(error, email.id, email.attempts);
      refusals.push(
        ...refusalsOf(
          failure,
          pending.map(({ address }) => address),
        ),
      );
    }
    span?.setAttributes({ 'platform.email.recipients': pending.length, 'platform.email.refused': refusals.length });
    if (failure) endFailed(span, failure.fault);
    else span?.end();
    return { ...settlementOf(email, recipients, refusals, Date.now()), isServerDown: failure?.fault === 'unreachable' };
  }

  /** Sends a mail in one envelope. Returns the rejected recipients, or the failure of the whole mail. */
  private async send(mail: OutgoingMail, attempts: number, signal: AbortSignal): Promise<Refusal[] | Failure> {
    try {
      return await this.transport.send(mail, signal);
    } catch (error) {
      const failure = this.failureOf(error, mail.id, attempts);
      return { ...failure, isOfAll: failure.isOfAll || signal.aborted };
    } finally {
      for (const { content } of mail.attachments) content.destroy();
    }
  }

  private failureOf(error: unknown, emailId: string, attempts: number): Failure {
    this.logger.warn({ ...loggedFault(error), emailId, attempts }, 'a mail could not be sent');
    if (!(error instanceof MailNotTaken))
      return { message: 'the email could not be composed', isPermanent: false, fault: 'fault', isOfAll: true };
    const { message, kind } = error;
    return { message, isPermanent: kind === 'permanent', fault: kind, isOfAll: kind === 'unreachable' };
  }

  private async bodiesOf(email: ClaimedEmail): Promise<{ html: string | null; text: string | null }> {
    const { html, text } = email.isSmall
      ? email
      : await this.database.of(email.tenantId).email.findUniqueOrThrow({
          where: { id: email.id },
          select: { html: true, text: true },
        });
    return { html, text: await this.plainTexts.alternativeOf(email.tenantId, { html, text }) };
  }

  /** Returns a function that opens the attachments, once per envelope. */
  private async attachmentsOf({ id: emailId, tenantId }: ClaimedEmail): Promise<() => MailAttachment[]> {
    const { emailAttachment } = this.database.of(tenantId);
    const rows = await emailAttachment.findMany({ where: { emailId }, orderBy: { position: 'asc' } });
    return () =>
      rows.map(({ name, contentType, contentId, blobKey, content }) => ({
        name,
        contentType,
        contentId,
        content: content === null ? this.files.open(blobKey) : Readable.from([content], { objectMode: false }),
      }));
  }
}

const suppressionsAsRefusals = ({ recipients, suppressed }: ClaimedMessage): Refusal[] =>
  recipients.flatMap(({ position, address }) => {
    const reason = suppressed.get(position);
    return reason
      ? [{ address, isPermanent: true, suppressed: reason, message: `${address}: not tried, since it is suppressed (${reason})` }]
      : [];
  });

const refusalsOf = ({ message, isPermanent }: Failure, addresses: string[]): Refusal[] =>
  addresses.map((address) => ({ address, isPermanent, message }));

type Headers = Omit<OutgoingMail, 'html' | 'text' | 'attachments' | 'recipients'>;

function asMail(email: ClaimedEmail, recipients: RecipientRow[]): Headers {
  return {
    ...peopleOf(email, recipients),
    id: email.id,
    messageId: email.messageId,
    date: new Date(email.dateMs),
    subject: email.subject,
    headers: pairsOf(email.headers),
    unsubscribeUrl: email.unsubscribeUrl,
  };
}
