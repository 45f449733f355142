import { Injectable } from '@nestjs/common';
import { AppError } from '../../../common/base/app-error.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { sql } from '../../../common/database/sql/sql.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import { LaterMailsService } from '../../email/acceptance/later-mails.service.js';
import { removeEndedMails } from '../fallbacks/fallbacks.queries.js';
import { FallbackState } from '../fallbacks/message-fallback.model.js';
import { toMessage } from '../messages/message-row.js';
import { messagesByKeys } from '../messages/settled.queries.js';
import { PushMetrics } from '../metrics/push-metrics.js';
import {
  decideFallbacks,
  type Decision,
  type DueFallback,
  dueFallbacks,
  fallbacksDue,
  tenantsWithDue,
} from './fallback-decisions.queries.js';

const EVERY_MS = 1_000;
/** Fallbacks of a tenant decided per transaction, before the next tenant's. */
const MAX_BATCH = 200;
/** Characters of bodies per transaction. */
const MAX_LENGTH = 4 * 1024 * 1024;
/** Messages read at once for their events, of up to 64 KiB each. */
const EVENTS_AT_ONCE = 16;

const SERVICE = 'websockets-manager';
const EVENT = 'MESSAGE_FELL_BACK';

type NewMail = ReturnType<LaterMailsService['mailTo']>;

/** Decision on a fallback, with the mail that it sends. */
interface Decided {
  fallback: DueFallback;
  decision: Decision;
  mail?: NewMail;
}

/**
 * Decides fallbacks that are due, one batch per tenant in turn. Each batch is one transaction: the decisions, the mails in the outbox and
 * the events. A crash before its commit leaves all of them for the next run.
 */
@Injectable()
export class FallbacksJob {
  constructor(
    private readonly database: Database,
    private readonly mails: LaterMailsService,
    private readonly suspended: SuspendedTenants,
    private readonly events: EventOutbox,
    private readonly metrics: PushMetrics,
    jobs: BackgroundJobs,
  ) {
    jobs.add({ name: 'fallbacks', everyMs: EVERY_MS, due: fallbacksDue, run: (signal) => this.run(signal) });
  }

  /** Decides until no tenant has progress. A tenant whose batch fails keeps no other from its own. @throws the last failure */
  private async run(signal: AbortSignal): Promise<void> {
    const failures = new Map<string, unknown>();
    for (let isWorking = true; isWorking && !signal.aborted;) {
      isWorking = false;
      for (const tenantId of await tenantsWithDue(this.database)) {
        if (signal.aborted) return;
        if (failures.has(tenantId) || this.suspended.has(tenantId)) continue;
        const decided = await this.decideSome(tenantId).catch((error: unknown) => void failures.set(tenantId, error));
        if (decided) isWorking = true;
      }
    }
    for (const failure of failures.values()) throw failure;
  }

  /** Decides a batch of a tenant. Returns the number of decided fallbacks. */
  private async decideSome(tenantId: string): Promise<number> {
    const batch = withinLength(await dueFallbacks(this.database, tenantId, MAX_BATCH));
    if (batch.length === 0) {
      await this.removeEnded(tenantId);
      return 0;
    }
    const wanted = await this.wantedOf(tenantId, batch);
    const toSend = wanted.filter(({ mail }) => mail).length;
    const decided = await this.mails.upToLimit(tenantId, toSend, (allowed, refusal) => {
      let left = allowed;
      const permitted = wanted.map((one) =>
        one.mail && left-- <= 0 ? without(one.fallback, FallbackState.FAILED, refusal!.message) : one,
      );
      return this.database.of(tenantId).$transaction((transaction) => this.store(transaction, permitted));
    });
    this.mails.stored(tenantId, decided.filter(({ state }) => state === FallbackState.SENT).length);
    for (const { state } of decided) this.metrics.fallbacks.inc({ state });
    return decided.length;
  }

  /** Creates the mails of messages that are not settled, or the reasons against them. */
  private async wantedOf(tenantId: string, batch: DueFallback[]): Promise<Decided[]> {
    const ids = [...new Set(batch.filter(({ isSettled }) => !isSettled).map(({ mailId }) => mailId))];
    const rows = await this.database.of(tenantId).fallbackMail.findMany({ where: { id: { in: ids } } });
    const prepared = new Map(
      await Promise.all(
        rows.map(async ({ id, fromAddress, fromName, ...content }) => {
          const mail = { ...content, from: fromAddress === null ? null : { address: fromAddress, name: fromName } };
          return [id, { mail, sender: await this.mails.senderOf(tenantId, mail) }] as const;
        }),
      ),
    );
    return batch.map((fallback) => {
      const one = prepared.get(fallback.mailId);
      if (fallback.isSettled || !one) return without(fallback, FallbackState.WAITING, null);
      if (one.sender instanceof AppError) return without(fallback, FallbackState.FAILED, one.sender.message);
      const mail = this.mails.mailTo(fallback, one.mail, one.sender, tenantId);
      const { pushId, until } = fallback;
      return { fallback, mail, decision: { pushId, until, state: FallbackState.SENT, emailId: mail.email.id, error: null } };
    });
  }

  private async store(transaction: TenantTransaction, wanted: Decided[]): Promise<{ state: FallbackState }[]> {
    const { dialect } = this.database;
    const decided = await decideFallbacks(
      transaction,
      dialect,
      wanted.map(({ decision }) => decision),
    );
    const states = new Map<string, FallbackState>(decided.map(({ pushId, state }) => [pushId, state]));
    const ofState = (...some: FallbackState[]) => wanted.filter(({ decision }) => some.includes(states.get(decision.pushId)!));
    const mails = ofState(FallbackState.SENT).map(({ mail }) => mail!);
    if (mails.length > 0) await this.mails.storeWithin(transaction.acrossTenants('each mail brings its tenant'), mails);
    await this.tell(transaction, ofState(FallbackState.SENT, FallbackState.FAILED));
    await removeEndedMails(transaction, dialect.texts([...new Set(wanted.map(({ fallback }) => fallback.mailId))]));
    return decided;
  }

  /** Stores the events of messages that fell back, or could not. */
  private async tell(transaction: TenantTransaction, decided: Decided[]): Promise<void> {
    const { tenantId } = transaction;
    if (!this.events.wants(tenantId, SERVICE, EVENT)) return;
    const at = new Date();
    const all = transaction.acrossTenants('each event has the tenant of its message');
    for (let from = 0; from < decided.length; from += EVENTS_AT_ONCE) {
      const some = new Map(decided.slice(from, from + EVENTS_AT_ONCE).map((one) => [one.decision.pushId, one]));
      const keys = [...some.values()].map(({ fallback: { pushId, recipientKey } }) => ({ tenantId, pushId, recipientKey }));
      const messages = await messagesByKeys(all, this.database.dialect, keys);
      const events = messages.map(({ tenantId: of, ...row }) => {
        const { state, emailId, error } = some.get(row.pushId)!.decision;
        const data = { ...toMessage(row), fallback: { state, emailId, at, error } };
        return { tenantId: of, service: SERVICE, type: EVENT, subject: data.id, data } as const;
      });
      await this.events.store(all, events);
    }
  }

  /** Removes due mails that an erasure or a withdrawal left without a fallback. */
  private removeEnded(tenantId: string): Promise<void> {
    const due = sql`SELECT "id" FROM "FallbackMail" WHERE "tenantId" = ${tenantId} AND "dueAt" <= ${this.database.dialect.time(new Date())}`;
    return this.database.of(tenantId).$transaction((transaction) => removeEndedMails(transaction, due));
  }
}

function without(fallback: DueFallback, state: Decision['state'], error: string | null): Decided {
  const { pushId, until } = fallback;
  return { fallback, decision: { pushId, until, state, emailId: null, error } };
}

/** Returns the first fallbacks whose bodies fit into a transaction, at least one. */
function withinLength(due: DueFallback[]): DueFallback[] {
  let length = 0;
  const end = due.findIndex((one, index) => (length += one.isSettled ? 0 : one.length) > MAX_LENGTH && index > 0);
  return end < 0 ? due : due.slice(0, end);
}
