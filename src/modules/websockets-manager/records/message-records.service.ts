import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { inTime } from '../../../common/bounds/in-time.js';
import type { Batcher } from '../../../common/batching/batcher.js';
import { Batchers } from '../../../common/batching/batchers.js';
import { isDatabaseUnavailable, isWriteConflict } from '../../../common/errors/database-faults.js';
import { Database } from '../../../common/database/database.js';
import { Logger } from '../../../common/logging/logger.js';
import { resume, SpanKind } from '../../../common/tracing/spans.js';
import { readCarried } from '../../../common/tracing/trace-context.js';
import { PushMetrics } from '../metrics/push-metrics.js';
import { type MessageEvent, MessageStatus, TRANSITIONS } from '../models/message-states.js';
import { fullName, recipientKey } from '../models/recipient-key.js';
import { type StatusChange, updateMessages, type LongName, recordCopies } from './records.queries.js';
import type { DeliveryTrace, Receipt } from '../sockets/connection.js';
import { MESSAGES_PER_STATEMENT } from '../models/limits.js';

/** How long outcomes gather before they are written together. */
const GATHER_MS = 50;
/**
 * Records a written frame only if it is still unconfirmed after this long, so most messages need a single write. A busy node
 * asks for confirmations after a second.
 */
export const UNCONFIRMED_MS = 2_000;
/** How often written frames are looked through for those that are due. */
const UNCONFIRMED_LOOK_MS = 200;
const RETRY_MS = 500;
/** How long a flush waits for the database at most. */
const FLUSH_MS = 5_000;
/** While the database is unavailable, sent messages are kept up to this many, confirmed ones up to twice as many. */
const MAX_UNWRITTEN = 500_000;

type Event = Extract<MessageEvent, 'confirmed' | 'allBroke' | 'nobodyConnected'>;

/** An outcome of a message that is not written yet. Without an event, a frame of the message was sent. */
interface Outcome {
  event: Event | undefined;
  at: number;
}

/** The outcomes of one push by recipient: a global message has many. */
interface PushOutcomes {
  receipt: Receipt;
  recipients: Map<string, Outcome>;
  /** When the first of them came. */
  since: number;
}

/** Some outcomes of one push. */
interface OutcomeBatch {
  receipt: Receipt;
  recipients: [string, Outcome][];
}

/**
 * Records which messages were sent, confirmed or lost. Writes in batches, which the sockets do not wait for, and tries again until
 * the database takes them. An outcome that is not written yet is replaced by a later one of the same message.
 */
@Injectable()
export class MessageRecordsService {
  private readonly settled = new Map<string, PushOutcomes>();
  private readonly sent = new Map<string, PushOutcomes>();
  private count = 0;
  /** Without outcomes, an item only waits for those before it. */
  private readonly writes: Batcher<PushOutcomes | undefined>;
  private readonly unconfirmed: Batcher<PushOutcomes>;
  private unconfirmedMs = UNCONFIRMED_MS;
  private isClosed = false;

  constructor(
    private readonly database: Database,
    private readonly metrics: PushMetrics,
    private readonly logger: Logger,
    batchers: Batchers,
  ) {
    const [name, maxLength] = ['outcomes_of_pushes', Infinity];
    this.writes = batchers.create(name, (some) => this.write(some), { maxLength, flushIntervalMs: GATHER_MS });
    const timing = { maxLength, flushIntervalMs: UNCONFIRMED_LOOK_MS };
    this.unconfirmed = batchers.create('unconfirmed_pushes', async (some) => this.passDue(some), timing);
  }

  /**
   * Returns a function that records a written frame for a recipient, or undefined if that is not needed: a message that cannot
   * wait has its record already, unless it is global.
   */
  sentRecorder(receipt: Receipt): ((recipient: string) => void) | undefined {
    if ((!receipt.global && receipt.expiresAt === null) || this.count > MAX_UNWRITTEN) return undefined;
    const outcome = { event: undefined, at: Date.now() };
    const { recipients } = this.outcomesIn(this.sent, receipt);
    return (recipient) => {
      if (recipients.has(recipient)) return;
      recipients.set(recipient, outcome);
      this.count++;
    };
  }

  /** The first confirmation counts, and replaces whatever else was known. */
  settle(event: Event, receipts: Receipt[], recipient: string): void {
    if (this.count > 2 * MAX_UNWRITTEN) return;
    const outcome = { event, at: Date.now() };
    for (const receipt of receipts) {
      if (receipt.trace && event === 'confirmed') this.trace(receipt, receipt.trace);
      const { recipients } = this.outcomesIn(this.settled, receipt);
      const before = recipients.get(recipient);
      if (this.sent.get(receipt.id)?.recipients.delete(recipient)) this.count--;
      if (!before) this.count++;
      if (before?.event !== 'confirmed') recipients.set(recipient, outcome);
    }
    this.metrics.settledMessages.inc({ event }, receipts.length);
  }

  /** Records the wait for the confirmation, as part of the trace of the push. */
  private trace({ id, tenantId }: Receipt, trace: DeliveryTrace): void {
    if (trace.left-- <= 0) return;
    const { context, beganAt } = trace;
    const attributes = { 'platform.tenant.id': tenantId, 'platform.message.id': id };
    const links = [{ context: readCarried(context)! }];
    resume(context, 'confirm push', { kind: SpanKind.CONSUMER, attributes, startTime: beganAt, links })?.end();
  }

  /** Writes what has settled until now. Gives up waiting after a while. */
  async flush(): Promise<void> {
    await this.orGiveUp(this.writes.add(undefined, { isUrgent: true }));
  }

  /** Writes all that is known, frames that were sent just now included. What comes later is not written. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.unconfirmedMs = 0;
    await this.orGiveUp(this.unconfirmed.close().then(() => this.writes.close()));
  }

  private orGiveUp(written: Promise<void>): Promise<void> {
    return inTime(written, FLUSH_MS, 'no outcomes are written').catch(() => undefined);
  }

  private outcomesIn(map: Map<string, PushOutcomes>, receipt: Receipt): PushOutcomes {
    let outcomes = map.get(receipt.id);
    if (outcomes) return outcomes;
    map.set(receipt.id, (outcomes = { receipt, recipients: new Map(), since: performance.now() }));
    if (!this.isClosed) void (map === this.sent ? this.unconfirmed : this.writes).add(outcomes);
    return outcomes;
  }

  /** Passes on what was sent a while ago and is still unconfirmed. */
  private passDue(sent: PushOutcomes[]): void {
    const before = performance.now() - this.unconfirmedMs;
    for (const outcomes of sent) {
      if (outcomes.recipients.size === 0) this.take(outcomes);
      else void (outcomes.since <= before ? this.writes : this.unconfirmed).add(outcomes);
    }
  }

  /** Never rejects. */
  private async write(some: (PushOutcomes | undefined)[]): Promise<void> {
    const taken = some.filter((outcomes) => outcomes !== undefined);
    for (const outcomes of taken) this.take(outcomes);
    const statements = statementsFor(taken);
    for (const [index, statement] of statements.entries()) {
      try {
        await this.writeStatement(statement);
      } catch (error) {
        if (isDatabaseUnavailable(error) || isWriteConflict(error)) {
          this.keep(statements.slice(index).flat());
          return setTimeout(RETRY_MS, undefined, { ref: false });
        }
        this.logger.error({ err: error }, 'outcomes of messages could not be written');
      }
    }
  }

  /** Takes outcomes to be written. What comes from now on is written later. */
  private take(outcomes: PushOutcomes): void {
    const { id } = outcomes.receipt;
    for (const map of [this.settled, this.sent]) if (map.get(id) === outcomes) map.delete(id);
    this.count -= outcomes.recipients.size;
  }

  private async writeStatement(batches: OutcomeBatch[]): Promise<void> {
    const own = batches.filter(({ receipt }) => !receipt.global).flatMap(changesOf);
    const global = batches.filter(({ receipt }) => receipt.global);
    if (own.length > 0) await updateMessages(this.database, own);
    if (global.length > 0) {
      await recordCopies(this.database, global.flatMap(changesOf), global.flatMap(longNamesOf));
    }
  }

  /** Keeps outcomes for a later write, while the database is unavailable. Outcomes that came meanwhile are newer. */
  private keep(batches: OutcomeBatch[]): void {
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

/** Divides outcomes into statements, in the same order on every node: locking rows in two orders would end in a deadlock. */
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

/** Groups recipients by what happened to their messages. */
function changesOf({ receipt, recipients }: OutcomeBatch): StatusChange[] {
  const { id: pushId, tenantId, topic, expiresAt } = receipt;
  const times = new Map<Event | undefined, string[]>();
  for (const [recipient, { event, at }] of recipients) {
    const some = times.get(event) ?? [];
    times.set(event, some);
    some.push(`${JSON.stringify(recipientKey(recipient))}:${at}`);
  }
  return [...times].map(([event, some]) => {
    const { to: status, reason } = event ? TRANSITIONS[event] : { to: MessageStatus.PENDING, reason: null };
    return { pushId, tenantId, topic, expiresAt, status, reason, times: `{${some.join()}}` };
  });
}

function longNamesOf({ receipt: { tenantId, id }, recipients }: OutcomeBatch): LongName[] {
  return recipients.flatMap(([recipient]) => {
    const name = fullName(recipient);
    return name === null ? [] : { tenantId, pushId: id, key: recipientKey(recipient), name };
  });
}
