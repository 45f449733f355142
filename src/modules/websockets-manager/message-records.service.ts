import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { isDatabaseUnavailable, isWriteConflict } from '../../common/database/database-faults.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { uuidv7 } from '../../common/ids/ids.js';
import { Log } from '../../common/logging/log.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { type MessageEvent, MessageStatus, TRANSITIONS } from './message-states.js';
import { fullName, recipientKey } from './recipient-key.js';
import { changeMessages, type GlobalRecord, type MessageChange, recordGlobal } from './records.queries.js';
import type { Receipt } from './sockets/connection.js';

/** How long changes gather: most frames are confirmed by then, so that their messages are written once. */
const GATHER_MS = 50;
const RETRY_MS = 500;
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
}

interface Row extends Happened {
  receipt: Receipt;
  recipient: string;
}

/**
 * Writes what sockets tell of messages: behind them, in batches, and again until the database has taken it. What comes
 * after it within a moment is one write with it.
 */
@Injectable()
export class MessageRecordsService {
  private waiting = new Map<string, Waiting>();
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

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
    const { recipients } = this.waitingFor(receipt);
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
      const { recipients } = this.waitingFor(receipt);
      const before = recipients.get(recipient);
      if (!before) this.count++;
      if (before?.event !== 'confirmed') recipients.set(recipient, happened);
    }
  }

  /** Resolves when all that was told until now is written, or could not be. */
  flushed(): Promise<void> {
    if (this.count > 0) this.write();
    return this.writing;
  }

  private waitingFor(receipt: Receipt): Waiting {
    let waiting = this.waiting.get(receipt.id);
    if (!waiting) this.waiting.set(receipt.id, (waiting = { receipt, recipients: new Map() }));
    this.timer ??= setTimeout(() => this.write(), GATHER_MS);
    return waiting;
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeAll()).catch((error: unknown) => this.log.error({ err: error }, 'records'));
  }

  private async writeAll(): Promise<void> {
    const rows: Row[] = [];
    for (const { receipt, recipients } of this.waiting.values()) {
      for (const [recipient, { event, at }] of recipients) rows.push({ receipt, recipient, event, at });
    }
    this.waiting = new Map();
    this.count = 0;
    for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
      try {
        await this.writeSome(rows.slice(from, from + ROWS_PER_STATEMENT));
      } catch (error) {
        if (isDatabaseUnavailable(error) || isWriteConflict(error)) return this.keep(rows.slice(from));
        this.log.error({ err: error }, 'what became of messages could not be written');
      }
    }
  }

  private async writeSome(rows: Row[]): Promise<void> {
    const own = rows.filter(({ receipt }) => !receipt.global).map(changeOf);
    const global = rows.filter(({ receipt }) => receipt.global).map(globalRecordOf);
    // In one order on every node: statements that wait for each other's rows in two orders would end in a deadlock.
    own.sort((a, b) => (a.id < b.id ? -1 : 1));
    global.sort((a, b) => (a.globalMessageId + a.key < b.globalMessageId + b.key ? -1 : 1));
    if (own.length > 0) await changeMessages(this.prisma, this.config.isPostgres, own);
    if (global.length > 0) await recordGlobal(this.prisma, this.config.isPostgres, global);
    for (const { event } of rows) if (event) this.metrics.settledMessages.inc({ event });
  }

  /** The database is gone for now. What came meanwhile is newer than what is kept. */
  private keep(rows: Row[]): void {
    for (const { receipt, recipient, event, at } of rows) {
      const { recipients } = this.waitingFor(receipt);
      if (recipients.has(recipient)) continue;
      recipients.set(recipient, { event, at });
      this.count++;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), RETRY_MS);
  }
}

function changeOf({ receipt, event, at }: Row): MessageChange {
  return { tenantId: receipt.tenantId, id: receipt.id, sentAt: receipt.expiresAt === null ? null : at, ...stateOf(event, at) };
}

function globalRecordOf(row: Row): GlobalRecord {
  const { receipt, recipient } = row;
  return {
    ...changeOf(row),
    id: uuidv7(),
    key: recipientKey(recipient),
    name: fullName(recipient),
    topic: receipt.topic,
    expiresAt: receipt.expiresAt,
    globalMessageId: receipt.id,
  };
}

function stateOf(event: Event | undefined, at: number) {
  const state = { status: MessageStatus.PENDING, deliveredAt: null, cancelledAt: null };
  return event ? { ...state, status: TRANSITIONS[event].to, [TRANSITIONS[event].stamp]: at } : state;
}
