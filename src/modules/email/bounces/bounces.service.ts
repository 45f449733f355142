import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { badInput, notFound } from '../../../common/base/app-error.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import {
  BOUNCE_KINDS,
  type BounceKind,
  DELIVERED,
  type ReadRecipients,
  type Report,
  type ReportedRecipient,
} from './reports/report.js';
import { MAX_REPORT_BYTES } from './reports/mail-parts.js';
import { ReportReader } from './reports/report-reader.service.js';
import type { EmailBounce } from '../models/bounce.model.js';
import type { MAIL_EVENTS } from '../models/events.js';
import { MAX_ERROR, MAX_REPORT } from '../models/limits.js';
import { type MailedRecipient, ReturnPaths } from './return-paths.js';
import { OWN_TENANT, type RecipientRow, toBounce } from '../message-storage/email-row.js';
import { recipientEvents } from '../message-storage/mail-events.queries.js';
import { isSoftTooOften, storeSuppressions } from '../suppressions/suppressions.queries.js';
import { redactedReply } from '../transport/server-reply.js';

const SERVICE = 'email';
const EVENT_OF = {
  DELAYED: 'RECIPIENT_DELAYED',
  SOFT: 'RECIPIENT_BOUNCED',
  HARD: 'RECIPIENT_BOUNCED',
  COMPLAINT: 'RECIPIENT_COMPLAINED',
} as const satisfies Record<BounceKind, keyof typeof MAIL_EVENTS>;

const ADDRESS = /[^\s<>()[\]",;:]{1,64}@[\p{L}\p{N}.-]{1,253}/gu;

/** Outcome of a mail that may be a report. */
export type TakenReport =
  /** Recorded now, or earlier by an identical or more severe report. */
  | { outcome: 'RECORDED' | 'REPEATED'; recipient: RecipientRow; bounce: EmailBounce }
  /** Neither a bounce nor a complaint. */
  | { outcome: 'NO_REPORT'; reason: string }
  /** Report without a return path of this service, or for a message deleted or of another tenant. */
  | { outcome: 'UNKNOWN' };

interface Origin {
  /** Tenant of the reported messages; any tenant if omitted. */
  tenantId?: string;
  /** Aborted once the result is no longer awaited. */
  signal?: AbortSignal;
}

/**
 * Processes reports of bounces and complaints from any source. A report counts only if one of its return paths, signed by this service,
 * identifies a recipient of a message. Each report takes effect once.
 */
@Injectable()
export class BouncesService {
  constructor(
    private readonly database: Database,
    private readonly returnPaths: ReturnPaths,
    private readonly reader: ReportReader,
    private readonly events: EventOutbox,
  ) {}

  /**
   * Records a report from the API.
   * @throws BAD_USER_INPUT for a mail that is not a report; NOT_FOUND if it concerns no message of the caller's tenant
   */
  async report({ tenantId, work }: Caller, report: string): Promise<EmailBounce> {
    const bytes = Buffer.from(report);
    if (bytes.length > MAX_REPORT) {
      throw badInput('report', `has ${bytes.length} bytes, more than ${MAX_REPORT}; truncate the returned email`);
    }
    const taken = await this.take(bytes, { tenantId, signal: work?.signal });
    if (taken.outcome === 'NO_REPORT')
      throw badInput('report', `must be a report of a bounce or a complaint; it ${taken.reason}`);
    if (taken.outcome === 'UNKNOWN') throw notFound('The message of the report');
    return taken.bounce;
  }

  /**
   * Reads the beginning of a mail, and records the report for the recipient identified by its return path. Checks the MACs of return paths
   * before the far more expensive parsing.
   */
  async take(mail: Buffer, { tenantId, signal }: Origin = {}): Promise<TakenReport> {
    const first = this.returnPaths.recipientIn(mail.toString('latin1', 0, MAX_REPORT_BYTES));
    if (first === 'forged') return { outcome: 'UNKNOWN' };
    const report = await this.reader.read(tenantId ?? '', mail, signal);
    if ('noReport' in report) return { outcome: 'NO_REPORT', reason: report.noReport };
    const named = first ?? this.returnPaths.recipientIn(report.text); // possibly in an encoded part
    const row = named === undefined || named === 'forged' ? null : await this.find(named);
    signal?.throwIfAborted();
    if (!row || (tenantId !== undefined && row.tenantId !== tenantId)) return { outcome: 'UNKNOWN' };
    return this.recordOn(row, report);
  }

  /** Reads the beginning of a mail as a report, queued by sender. */
  read(sender: string, mail: Buffer): Promise<Report> {
    return this.reader.read(sender, mail);
  }

  /** Records a report for the recipient identified by its destination address. */
  async takeOf(recipient: MailedRecipient, report: Report): Promise<TakenReport> {
    if ('noReport' in report) return { outcome: 'NO_REPORT', reason: report.noReport };
    const row = await this.find(recipient);
    return row ? this.recordOn(row, report) : { outcome: 'UNKNOWN' };
  }

  /** Records a bounce of a recipient without a report. */
  async takeAs(named: MailedRecipient, reported: ReportedRecipient): Promise<TakenReport> {
    const row = await this.find(named);
    return row ? this.record(row, reported) : { outcome: 'UNKNOWN' };
  }

  private find({ emailId, position }: MailedRecipient): Promise<RecipientRow | null> {
    const { emailRecipient } = this.database.acrossTenants('a return path names a message of any tenant');
    return emailRecipient.findUnique({ where: { emailId_position: { emailId, position } } });
  }

  private async recordOn(row: RecipientRow, report: ReadRecipients): Promise<TakenReport> {
    const reported = reportedOf(report, row.address);
    return reported ? this.record(row, reported) : { outcome: 'NO_REPORT', reason: DELIVERED };
  }

  /** Stores a bounce, unless an identical or more severe one is stored. */
  private async record(row: RecipientRow, { kind, code, diagnostic }: ReportedRecipient): Promise<TakenReport> {
    const { emailId, position, tenantId, address } = row;
    const bounce = {
      bouncedAt: new Date(),
      bounceKind: kind,
      bounceCode: code,
      bounceDiagnostic: diagnostic && shownDiagnostic(diagnostic, address),
    };
    const lesser = BOUNCE_KINDS.slice(0, BOUNCE_KINDS.indexOf(kind));
    const isNew = await this.database.of(tenantId).$transaction(async (transaction) => {
      const { count } = await transaction.emailRecipient.updateMany({
        where: { emailId, position, OR: [{ bounceKind: null }, { bounceKind: { in: lesser } }] },
        data: bounce,
      });
      if (count > 0 && tenantId !== OWN_TENANT) {
        await this.suppress(transaction, row, { kind, diagnostic: bounce.bounceDiagnostic });
        await this.tell(transaction, row, kind);
      }
      return count > 0;
    });
    const now = isNew ? { ...row, ...bounce } : ((await this.find(row)) ?? row);
    const shown = toBounce(now);
    if (!shown) return { outcome: 'UNKNOWN' };
    return { outcome: isNew ? 'RECORDED' : 'REPEATED', recipient: now, bounce: shown };
  }

  /** Suppresses an address that does not exist, bounces repeatedly, or complained. */
  private async suppress(
    transaction: TenantTransaction,
    { tenantId, address, emailId }: RecipientRow,
    { kind, diagnostic }: Pick<ReportedRecipient, 'kind' | 'diagnostic'>,
  ): Promise<void> {
    const { dialect } = this.database;
    const isGone = kind === 'HARD' || (kind === 'SOFT' && (await isSoftTooOften(transaction, dialect, { tenantId, address })));
    if (!isGone && kind !== 'COMPLAINT') return;
    const reason = isGone ? 'HARD_BOUNCE' : 'COMPLAINT';
    const everyTenant = transaction.acrossTenants('a suppression brings its tenant');
    await storeSuppressions(everyTenant, dialect, [{ tenantId, address, reason, emailId, diagnostic }]);
  }

  private async tell(transaction: TenantTransaction, row: RecipientRow, kind: BounceKind): Promise<void> {
    const type = EVENT_OF[kind];
    if (!this.events.wants(row.tenantId, SERVICE, type)) return;
    const everyTenant = transaction.acrossTenants('an event brings its tenant');
    await this.events.store(everyTenant, await recipientEvents(everyTenant, type, row));
  }
}

/** Redacts other addresses, such as a forwarding target, which erasures of persons could not find. */
function shownDiagnostic(diagnostic: string, address: string): string {
  const alone = diagnostic.replaceAll(ADDRESS, (one) => (one.toLowerCase() === address.toLowerCase() ? one : '[address]'));
  return redactedReply(alone, [address]).slice(0, MAX_ERROR).toWellFormed();
}

/**
 * Returns the report for an address; undefined if the mail reached it. A report on other addresses concerns those behind it, such as
 * members of a list: then the least severe counts, since the address itself may be valid.
 */
function reportedOf({ recipients, reached }: ReadRecipients, address: string): ReportedRecipient | undefined {
  if (reached.includes(address.toLowerCase())) return undefined;
  const own = recipients.find(({ addresses }) => addresses.some((one) => one.toLowerCase() === address.toLowerCase()));
  const rank = ({ kind }: ReportedRecipient): number => BOUNCE_KINDS.indexOf(kind);
  return own ?? recipients.reduce((least, one) => (rank(one) < rank(least) ? one : least));
}
