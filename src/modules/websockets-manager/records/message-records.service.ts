import { Injectable } from '@nestjs/common';
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

/** How long outcomes gather before they are written together. */
const GATHER_MS = 50;
/**
 * Records a written frame only if it is still unconfirmed after this long, so most messages need a single write. A busy node
 * asks for confirmations after a second.
 */
export const UNCONFIRMED_MS = 2_000;
const RETRY_MS = 500;
/** How long a flush waits for the database at most. */
const FLUSH_MS = 5_000;
const ROWS_PER_STATEMENT = 1_000;
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
 * the database takes them.
 */
@Injectable()
export class MessageRecordsService {
  private settled = new Map<string, PushOutcomes>();
  private sent = new Map<string, PushOutcomes>();
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private unconfirmedMs = UNCONFIRMED_MS;
  private isClosed = false;
  /** Whether another write follows the running one; it takes all outcomes that come before it begins. */
  private isNextScheduled = false;

  constructor(
    private readonly database: Database,
    private readonly metrics: PushMetrics,
    private readonly logger: Logger,
  ) {}

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
    if (this.settled.size > 0) this.write();
    let limit: NodeJS.Timeout | undefined;
    const giveUp = new Promise<void>((resolve) => (limit = setTimeout(resolve, FLUSH_MS)));
    await Promise.race([this.writing, giveUp]);
    clearTimeout(limit);
  }

  /** Writes all that is known, frames that were sent just now included. What comes later is not written. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.unconfirmedMs = 0;
    this.write();
    await this.flush();
  }

  private outcomesIn(map: Map<string, PushOutcomes>, receipt: Receipt): PushOutcomes {
    let outcomes = map.get(receipt.id);
    if (!outcomes) map.set(receipt.id, (outcomes = { receipt, recipients: new Map(), since: performance.now() }));
    this.writeIn(GATHER_MS);
    return outcomes;
  }

  private writeIn(ms: number): void {
    if (!this.isClosed) this.timer ??= setTimeout(() => this.write(), ms);
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isNextScheduled) return;
    this.isNextScheduled = true;
    this.writing = this.writing
      .then(() => {
        this.isNextScheduled = false;
        return this.writeAll();
      })
      .catch((error: unknown) => this.logger.error({ err: error }, 'outcomes of messages could not be written'))
      .finally(() => {
        if (this.sent.size > 0) this.writeIn(GATHER_MS);
      });
  }

  private async writeAll(): Promise<void> {
    const statements = statementsFor([...this.settled.values()]);
    this.settled = new Map();
    statements.push(...statementsFor(this.takeUnconfirmed()));
    this.count = sizeOf(this.sent);
    for (const [index, statement] of statements.entries()) {
      try {
        await this.writeStatement(statement);
      } catch (error) {
        if (isDatabaseUnavailable(error) || isWriteConflict(error)) return this.keep(statements.slice(index).flat());
        this.logger.error({ err: error }, 'outcomes of messages could not be written');
      }
    }
  }

  /** Takes what was sent a while ago and is still unconfirmed. */
  private takeUnconfirmed(): PushOutcomes[] {
    const before = performance.now() - this.unconfirmedMs;
    const taken = [...this.sent.values()].filter(({ since, recipients }) => since <= before || recipients.size === 0);
    for (const { receipt } of taken) this.sent.delete(receipt.id);
    return taken;
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
        if (!recipients.has(recipient)) recipients.set(recipient, outcome);
      }
    }
    this.count = sizeOf(this.settled) + sizeOf(this.sent);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writeIn(RETRY_MS);
  }
}

function sizeOf(map: Map<string, PushOutcomes>): number {
  let size = 0;
  for (const { recipients } of map.values()) size += recipients.size;
  return size;
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
        room = ROWS_PER_STATEMENT;
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
