// Room: Accepts, stores and counts pushes, sends them, and records whether they were confirmed.
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { inTime } from '../../../common/base/in-time.js';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers } from '../../../common/scheduling/batchers.js';
import { isDatabaseUnavailable, isWriteConflict } from '../../../common/base/database-faults.js';
import { Logger } from '../../../common/logging/logger.js';
import { resume, SpanKind } from '../../../common/tracing/spans.js';
import { readCarried } from '../../../common/tracing/trace-context.js';
import { PushMetrics } from '../metrics/push-metrics.js';
import { type MessageEvent, MessageStatus, TRANSITIONS } from './message-states.js';
import { fullName, recipientKey } from '../models/recipient-key.js';
import { RecentIds } from './recent-ids.js';
import { copiesStatement, type LongName, nameCopies, outcomesStatement, type StatusChange } from './outcomes.queries.js';
import { MessageSettlementsService } from './message-settlements.service.js';
import type { DeliveryTrace, Receipt } from '../sockets/connection.js';
import { MESSAGES_PER_STATEMENT } from '../models/limits.js';

/** Time to collect outcomes for a batched write. */
const GATHER_MS = 50;
/**
 * Time after which an unconfirmed frame is recorded as sent. Most messages are confirmed earlier and need only one write. A busy node
 * requests confirmations after a second.
 */
export const UNCONFIRMED_MS = 2_000;
/** Check interval for that time. */
const UNCONFIRMED_CHECK_MS = 200;
const RETRY_MS = 500;
/** Timeout of a flush. */
const FLUSH_MS = 5_000;
/** Time for which a confirmed message is remembered after the write, to skip a repeated push. */
const RECOGNIZED_MS = 10_000;
const MAX_RECOGNIZED = 100_000;
/** Sent messages queued while the database is down. Up to twice as many confirmed ones are queued. */
const MAX_UNWRITTEN = 500_000;

type Event = Extract<MessageEvent, 'confirmed' | 'allBroke' | 'nobodyConnected'>;

/** Unwritten outcome of a message. No event means that a frame was sent. */
interface Outcome {
  event: Event | undefined;
  at: number;
}

/** Outcomes of one push by recipient. */
interface PushOutcomes {
  receipt: Receipt;
  recipients: Map<string, Outcome>;
  /** Time of the first of these outcomes. */
  since: number;
}

/** Subset of the outcomes of one push. */
interface OutcomeBatch {
  receipt: Receipt;
  recipients: [string, Outcome][];
}

/**
 * Records sent, confirmed and lost messages. Writes in batches, without delaying the sockets, and retries until the database accepts them.
 * A later outcome of a message replaces an unwritten earlier one.
 */
@Injectable()
export class MessageRecordsService {
  private readonly settled = new Map<string, PushOutcomes>();
  private readonly sent = new Map<string, PushOutcomes>();
  /** Recently confirmed messages, written or not. A concurrent push may still have read them as PENDING. */
  private readonly confirmed = new RecentIds({ keepMs: RECOGNIZED_MS, max: MAX_RECOGNIZED });
  private count = 0;
  /** Batched writes. An item without outcomes waits for the items before it. */
  private readonly writes: Batcher<PushOutcomes | undefined>;
  private readonly unconfirmed: Batcher<PushOutcomes>;
  private unconfirmedMs = UNCONFIRMED_MS;
  private isClosed = false;

  constructor(
    private readonly settlements: MessageSettlementsService,
    private readonly metrics: PushMetrics,
    private readonly logger: Logger,
    batchers: Batchers,
  ) {
    const [name, maxLength] = ['outcomes_of_pushes', Infinity];
    this.writes = batchers.create(name, (some) => this.write(some), { maxLength, flushIntervalMs: GATHER_MS });
    const timing = { maxLength, flushIntervalMs: UNCONFIRMED_CHECK_MS };
    this.unconfirmed = batchers.create('unconfirmed_pushes', async (some) => this.passDue(some), timing);
  }

  /**
   * Returns a recorder of written frames, or undefined if none is needed: except for global messages, a message that cannot wait is already
   * recorded.
   */
  sentRecorder(receipt: Receipt): ((recipient: string) => void) | undefined {
    if (receipt.isUnrecorded || (!receipt.global && receipt.expiresAt === null) || this.count > MAX_UNWRITTEN) return undefined;
    const outcome = { event: undefined, at: Date.now() };
    const { recipients } = this.outcomesIn(this.sent, receipt);
    return (recipient) => {
      if (recipients.has(recipient)) return;
      recipients.set(recipient, outcome);
      this.count++;
    };
  }

  /** Marks messages of a recipient as DELIVERED or CANCELLED. The first confirmation replaces any other outcome. */
  settle(event: Event, receipts: Receipt[], recipient: string): void {
    if (this.count > 2 * MAX_UNWRITTEN) return;
    const outcome = { event, at: Date.now() };
    for (const receipt of receipts) {
      if (receipt.isUnrecorded) continue;
      if (receipt.trace && event === 'confirmed') this.trace(receipt, receipt.trace);
      const { recipients } = this.outcomesIn(this.settled, receipt);
      const before = recipients.get(recipient);
      if (this.sent.get(receipt.id)?.recipients.delete(recipient)) this.count--;
      if (!before) this.count++;
      if (before?.event !== 'confirmed') recipients.set(recipient, outcome);
    }
    this.metrics.settledMessages.inc({ event }, receipts.length);
  }

  /** Records the time to confirmation in the trace of the push. */
  private trace({ id, tenantId }: Receipt, trace: DeliveryTrace): void {
    if (trace.left-- <= 0) return;
    const { context, beganAt } = trace;
    const attributes = { 'platform.tenant.id': tenantId, 'platform.message.id': id };
    const links = [{ context: readCarried(context)! }];
    resume(context, 'confirm push', { kind: SpanKind.CONSUMER, attributes, startTime: beganAt, links })?.end();
  }

  /** Returns true if this node recently received a confirmation of a message, written or not. Excludes global messages. */
  wasConfirmed(id: string): boolean {
    if (this.confirmed.has(id)) return true;
    for (const { event } of this.settled.get(id)?.recipients.values() ?? []) if (event === 'confirmed') return true;
    return false;
  }

  /** Writes all outcomes collected so far. Gives up after FLUSH_MS. */
  async flush(): Promise<void> {
    await this.orGiveUp(this.writes.add(undefined, { isUrgent: true }));
  }

  /** Writes all outcomes known so far, including just sent frames. Ignores later ones. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.unconfirmedMs = 0;
    await this.orGiveUp(this.unconfirmed.close().then(() => this.writes.close()));
  }

  private orGiveUp(written: Promise<void>): Promise<void> {
    return inTime(written, FLUSH_MS, 'the outcomes were not written in time').catch(() => undefined);
  }

  private outcomesIn(map: Map<string, PushOutcomes>, receipt: Receipt): PushOutcomes {
    let outcomes = map.get(receipt.id);
    if (outcomes) return outcomes;
    map.set(receipt.id, (outcomes = { receipt, recipients: new Map(), since: performance.now() }));
    if (!this.isClosed) void (map === this.sent ? this.unconfirmed : this.writes).add(outcomes);
    return outcomes;
  }

  /** Queues frames unconfirmed for UNCONFIRMED_MS for writing. */
  private passDue(sent: PushOutcomes[]): void {
    const before = performance.now() - this.unconfirmedMs;
    for (const outcomes of sent) {
      if (outcomes.recipients.size === 0) this.dequeue(outcomes);
      else void (outcomes.since <= before ? this.writes : this.unconfirmed).add(outcomes);
    }
  }

  /** Writes outcomes. Never rejects. */
  private async write(some: (PushOutcomes | undefined)[]): Promise<void> {
    const taken = some.filter((outcomes) => outcomes !== undefined);
    for (const outcomes of taken) this.dequeue(outcomes);
    const statements = statementsFor(taken);
    for (const [index, statement] of statements.entries()) {
      try {
        await this.writeStatement(statement);
      } catch (error) {
        if (isDatabaseUnavailable(error) || isWriteConflict(error)) {
          this.requeue(statements.slice(index).flat());
          return setTimeout(RETRY_MS, undefined, { ref: false });
        }
        this.logger.error({ err: error }, 'outcomes of messages could not be written');
      }
    }
  }

  /** Removes outcomes from the maps before the write. Later outcomes are written later. */
  private dequeue(outcomes: PushOutcomes): void {
    const { id, global } = outcomes.receipt;
    if (!global && this.wasConfirmed(id)) this.confirmed.add(id);
    for (const map of [this.settled, this.sent]) if (map.get(id) === outcomes) map.delete(id);
    this.count -= outcomes.recipients.size;
  }

  private async writeStatement(batches: OutcomeBatch[]): Promise<void> {
    const own = batches.filter(({ receipt }) => !receipt.global).flatMap(changesOf);
    const global = batches.filter(({ receipt }) => receipt.global);
    if (own.length > 0) await this.settlements.record(outcomesStatement, own);
    if (global.length > 0) {
      const names = global.flatMap(longNamesOf);
      await this.settlements.record(copiesStatement, global.flatMap(changesOf), (rows) => nameCopies(rows, names));
    }
  }

  /** Requeues outcomes after a failed write, unless newer ones have arrived. */
  private requeue(batches: OutcomeBatch[]): void {
    for (const { receipt, recipients: kept } of batches) {
      for (const [recipient, outcome] of kept) {
        const { recipients } = this.outcomesIn(outcome.event ? this.settled : this.sent, receipt);
        if (recipients.has(recipient)) continue;
        recipients.set(recipient, outcome);
        this.count++;
      }
    }
  }
}

/** Splits outcomes into statements, sorted identically on every node to avoid deadlocks. */
function statementsFor(outcomes: PushOutcomes[]): OutcomeBatch[][] {
  const statements: OutcomeBatch[][] = [];
  let room = 0;
  for (const { receipt, recipients } of outcomes.sort((a, b) => (a.receipt.id < b.receipt.id ? -1 : 1))) {
    const names = [...recipients.keys()].sort();
    for (let from = 0; from < names.length;) {
      if (room === 0) {
        statements.push([]);
        room = MESSAGES_PER_STATEMENT;
      }
      const some = names.slice(from, from + room).map((name): [string, Outcome] => [name, recipients.get(name)!]);
      statements.at(-1)!.push({ receipt, recipients: some });
      room -= some.length;
      from += some.length;
    }
  }
  return statements;
}

/** Groups recipients by outcome. */
function changesOf({ receipt, recipients }: OutcomeBatch): StatusChange[] {
  const { id: pushId, tenantId, topic } = receipt;
  const expiresAt = receipt.expiresAt === null ? null : new Date(receipt.expiresAt);
  const times = new Map<Event | undefined, string[]>();
  for (const [recipient, { event, at }] of recipients) {
    const some = times.get(event) ?? [];
    times.set(event, some);
    some.push(`${JSON.stringify(recipientKey(recipient))}:${at}`);
  }
  return [...times].map(([event, some]) => {
    const { to: status, reason: cancelReason } = event ? TRANSITIONS[event] : { to: MessageStatus.PENDING, reason: null };
    return { pushId, tenantId, topic, expiresAt, status, cancelReason, times: `{${some.join()}}` };
  });
}

function longNamesOf({ receipt: { tenantId, id }, recipients }: OutcomeBatch): LongName[] {
  return recipients.flatMap(([recipient]) => {
    const name = fullName(recipient);
    return name === null ? [] : { tenantId, pushId: id, key: recipientKey(recipient), name };
  });
}
