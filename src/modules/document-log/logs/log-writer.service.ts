import { Injectable } from '@nestjs/common';
import { eventLoop, inSlices } from '../../../common/scheduling/event-loop.js';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers, WRITES } from '../../../common/scheduling/batchers.js';
import { Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { logChange, shownLog } from '../records/log-events.js';
import { asElement, insertLogs, insertLogsStatement, isStoredLog } from './log-writes.queries.js';
import type { NewLog } from '../records/log-row.js';
import { LeafService } from '../records/leaf.service.js';

const RECORDS_A_TURN = 500;
/** Characters from which a statement accepts no further caller. */
const MAX_STATEMENT = 1024 * 1024;
/** Concurrent statements if the database supports concurrent commits. */
const MAX_RUNNING = 4;

const CREATED = 'LOG_CREATED';

/** Approximate size of a record without its variable texts. */
const OTHER_MEMBERS = 800;

/** Records as JSON elements of a statement. `keyed` if any has an idempotency key. */
interface Elements {
  elements: string;
  keyed: boolean;
}

/** Records of one caller, stored atomically. */
interface PendingWrite {
  logs: NewLog[];
  /** Set after the commit. */
  isStored: (id: string) => boolean;
}

/** Batches the records of several callers into one statement. Responds to each after the commit. */
@Injectable()
export class LogWriterService {
  private readonly groups: Batcher<PendingWrite>;

  constructor(
    private readonly database: Database,
    private readonly leaves: LeafService,
    private readonly outbox: EventOutbox,
    batchers: Batchers,
  ) {
    this.groups = batchers.create('log_records', (group) => this.write(group), {
      ...WRITES,
      concurrency: database.dialect.concurrentWrites(MAX_RUNNING),
      maxLength: MAX_STATEMENT,
      tenantOf: ({ logs }) => logs[0]?.tenantId ?? '',
      lengthOf: ({ logs }) => logs.reduce((sum, log) => sum + lengthOf(log), 0),
    });
  }

  /** Stores records. Returns a test of an id: false if the idempotency key was already taken. */
  async store(logs: NewLog[]): Promise<(id: string) => boolean> {
    const write: PendingWrite = { logs, isStored: () => false };
    await this.groups.add(write);
    return write.isStored;
  }

  private async write(group: PendingWrite[]): Promise<void> {
    const logs = group.flatMap((one) => one.logs);
    const keyed = logs.some(({ idempotencyKey }) => idempotencyKey !== null);
    const made = await inSlices(keyed ? inOrderOfKeys(logs) : logs, RECORDS_A_TURN, (log) => this.elementOf(log));
    if (made.length > RECORDS_A_TURN) await eventLoop.yield(); // before the statement, which takes longest
    const elements = made.join();
    const isWanted = ({ tenantId }: NewLog): boolean => this.outbox.wants(tenantId, 'document-log', CREATED);
    const wanted = group.flatMap((one) => (one.logs.some(isWanted) ? one.logs : []));
    const records = { elements, keyed };
    const isStored = await (wanted.length > 0 ? this.storeWithEvents(records, wanted) : insertLogs(this.database, records));
    for (const one of group) one.isStored = isStored;
  }

  /** Stores records, and the events of the subscribed ones, in one transaction. */
  private async storeWithEvents(records: Elements, wanted: NewLog[]): Promise<(id: string) => boolean> {
    const events = await inSlices(wanted, RECORDS_A_TURN, (log) => {
      return { ...logChange(log.tenantId, CREATED), ...shownLog({ ...log, updateAt: null, erasedAt: null, editCount: 0 }) };
    });
    const statement = insertLogsStatement(this.database.dialect, records);
    const ids = await this.outbox.storeWith(statement, events, records.keyed ? isStoredLog : undefined);
    if (!records.keyed) return () => true;
    const stored = new Set(ids);
    return (id) => stored.has(id);
  }

  /** Hashes the record here rather than in its request: consecutive hashing takes half the time. */
  private elementOf(log: NewLog): string {
    const { row, canonical } = this.leaves.newLog(log);
    return asElement(this.database.dialect, row, canonical);
  }
}

const lengthOf = ({ details, comment, custom1, custom2 }: NewLog): number =>
  details.length + (comment?.length ?? 0) + (custom1?.length ?? 0) + (custom2?.length ?? 0) + OTHER_MEMBERS;

const keyOf = ({ idempotencyKey, tenantId }: NewLog): string => (idempotencyKey === null ? '' : `${idempotencyKey} ${tenantId}`);

/** Sorts by key, to avoid deadlocks between statements that lock the same keys. */
function inOrderOfKeys(logs: NewLog[]): NewLog[] {
  const keyed = logs.map((log) => ({ log, key: keyOf(log) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ log }) => log);
}
