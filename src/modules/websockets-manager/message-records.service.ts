import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { isDatabaseUnavailable, isWriteConflict } from '../../common/database/database-faults.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { Log } from '../../common/logging/log.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { type MessageEvent, MessageStatus, TRANSITIONS } from './message-states.js';
import { fullName, recipientKey } from './recipient-key.js';
import { type Change, changeMessages, type LongNamed, recordGlobal } from './records.queries.js';
import type { Receipt } from './sockets/connection.js';

/** How long what happened gathers, to be written together. */
const GATHER_MS = 50;
/** That a frame was written is noted when nothing confirmed it within this; so most messages are written once. */
export const NOTED_WITHIN_MS = 500;
const RETRY_MS = 500;
/** A database that takes longer holds up nobody who waits for what is told to be written. */
const FLUSH_PATIENCE_MS = 5_000;
const ROWS_PER_STATEMENT = 1_000;
/** With the database gone for so long, what was sent is no longer noted; what was confirmed is, up to twice as much. */
const MAX_WAITING = 500_000;

type Event = Extract<MessageEvent, 'confirmed' | 'allBroke'>;

/** What happened to a message since it was last written; no event: a frame of it was sent. */
interface Happened {
  event: Event | undefined;
  at: number;
}

/** The same by recipient: a global message has many. */
interface Waiting {
  receipt: Receipt;
  recipients: Map<string, Happened>;
  /** When the first of them came. */
  since: number;
}

/** Some recipients of one push. */
interface Part {
  receipt: Receipt;
  recipients: [string, Happened][];
}

/**
 * Writes what sockets tell of messages: behind them, in batches, and again until the database has taken it. What comes
 * after it within a moment is one write with it.
 */
@Injectable()
export class MessageRecordsService {
  private settled = new Map<string, Waiting>();
  private sent = new Map<string, Waiting>();
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  /** Whether a write is to follow the one that runs; it takes all that comes until it begins. */
  private isNextWaiting = false;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /**
   * How to note that frames are written, for each recipient; nothing where it need not be. Of messages that cannot wait
   * only global ones are noted: the others have their record.
   */
  noteOfSent(receipt: Receipt): ((recipient: string) => void) | undefined {
    if ((!receipt.global && receipt.expiresAt === null) || this.count > MAX_WAITING) return undefined;
    const happened = { event: undefined, at: Date.now() };
    const { recipients } = this.waitingIn(this.sent, receipt);
    return (recipient) => {
      if (recipients.has(recipient)) return;
      recipients.set(recipient, happened);
      this.count++;
    };
  }

  /** The first connection that confirms decides; whatever was noted before yields. */
  settle(event: Event, receipts: Receipt[], recipient: string): void {
    if (this.count > 2 * MAX_WAITING) return;
    const happened = { event, at: Date.now() };
    for (const receipt of receipts) {
      const { recipients } = this.waitingIn(this.settled, receipt);
      const before = recipients.get(recipient);
      if (this.sent.get(receipt.id)?.recipients.delete(recipient)) this.count--;
      if (!before) this.count++;
      if (before?.event !== 'confirmed') recipients.set(recipient, happened);
    }
    this.metrics.settledMessages.inc({ event }, receipts.length);
  }

  /** Resolves when all that was told until now is written, or could not be in time. */
  async flushed(): Promise<void> {
    if (this.settled.size > 0) this.write();
    let limit: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (limit = setTimeout(resolve, FLUSH_PATIENCE_MS)));
    await Promise.race([this.writing, patience]);
    clearTimeout(limit);
  }

  private waitingIn(map: Map<string, Waiting>, receipt: Receipt): Waiting {
    let waiting = map.get(receipt.id);
    if (!waiting) map.set(receipt.id, (waiting = { receipt, recipients: new Map(), since: Date.now() }));
    this.timer ??= setTimeout(() => this.write(), GATHER_MS);
    return waiting;
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isNextWaiting) return;
    this.isNextWaiting = true;
    this.writing = this.writing
      .then(() => {
        this.isNextWaiting = false;
        return this.writeAll();
      })
      .catch((error: unknown) => this.log.error({ err: error }, 'what became of messages could not be written'))
      .finally(() => {
        if (this.sent.size > 0) this.timer ??= setTimeout(() => this.write(), GATHER_MS);
      });
  }

  private async writeAll(): Promise<void> {
    const parts = statementsOf([...this.settled.values()]);
    this.settled = new Map();
    parts.push(...statementsOf(this.takeUnconfirmed()));
    this.count = sizeOf(this.sent);
    for (const [index, statement] of parts.entries()) {
      try {
        await this.writeParts(statement);
      } catch (error) {
        if (isDatabaseUnavailable(error) || isWriteConflict(error)) return this.keep(parts.slice(index).flat());
        this.log.error({ err: error }, 'what became of messages could not be written');
      }
    }
  }

  /** What was sent a while ago, and nothing confirmed. */
  private takeUnconfirmed(): Waiting[] {
    const before = Date.now() - NOTED_WITHIN_MS;
    const taken = [...this.sent.values()].filter(({ since, recipients }) => since <= before || recipients.size === 0);
    for (const { receipt } of taken) this.sent.delete(receipt.id);
    return taken;
  }

  private async writeParts(parts: Part[]): Promise<void> {
    const own = parts.filter(({ receipt }) => !receipt.global).flatMap(changesOf);
    const global = parts.filter(({ receipt }) => receipt.global);
    if (own.length > 0) await changeMessages(this.prisma, this.config.isPostgres, own);
    if (global.length > 0) {
      await recordGlobal(this.prisma, this.config.isPostgres, global.flatMap(changesOf), global.flatMap(longNamesOf));
    }
  }

  /** The database is gone for now. What came meanwhile is newer than what is kept. */
  private keep(parts: Part[]): void {
    for (const { receipt, recipients: kept } of parts) {
      for (const [recipient, happened] of kept) {
        const { recipients } = this.waitingIn(happened.event ? this.settled : this.sent, receipt);
        if (!recipients.has(recipient)) recipients.set(recipient, happened);
      }
    }
    this.count = sizeOf(this.settled) + sizeOf(this.sent);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), RETRY_MS);
  }
}

function sizeOf(map: Map<string, Waiting>): number {
  let size = 0;
  for (const { recipients } of map.values()) size += recipients.size;
  return size;
}

/** In one order on every node: statements that wait for each other's rows in two orders would end in a deadlock. */
function statementsOf(waiting: Waiting[]): Part[][] {
  const statements: Part[][] = [];
  let room = 0;
  for (const { receipt, recipients } of waiting.sort((a, b) => (a.receipt.id < b.receipt.id ? -1 : 1))) {
    const names = [...recipients.keys()].sort();
    for (let from = 0; from < names.length;) {
      if (room === 0) {
        statements.push([]);
        room = ROWS_PER_STATEMENT;
      }
      const some = names.slice(from, from + room).map((name): [string, Happened] => [name, recipients.get(name)!]);
      statements.at(-1)!.push({ receipt, recipients: some });
      room -= some.length;
      from += some.length;
    }
  }
  return statements;
}

/** Of the recipients those to whom the same happened, together. */
function changesOf({ receipt, recipients }: Part): Change[] {
  const { id: pushId, tenantId, topic, expiresAt } = receipt;
  const times = new Map<MessageStatus, string[]>();
  for (const [recipient, { event, at }] of recipients) {
    const status = event ? TRANSITIONS[event].to : MessageStatus.PENDING;
    const some = times.get(status) ?? [];
    times.set(status, some);
    some.push(`${JSON.stringify(recipientKey(recipient))}:${at}`);
  }
  return [...times].map(([status, some]) => ({ pushId, tenantId, topic, expiresAt, status, times: `{${some.join()}}` }));
}

function longNamesOf({ receipt: { tenantId, id }, recipients }: Part): LongNamed[] {
  return recipients.flatMap(([recipient]) => {
    const name = fullName(recipient);
    return name === null ? [] : { tenantId, pushId: id, key: recipientKey(recipient), name };
  });
}
