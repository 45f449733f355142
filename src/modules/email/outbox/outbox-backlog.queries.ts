import type { Database } from '../../../common/database/database.js';
import { scan } from '../../../common/database/sql/long-statement.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { timeOfId } from '../../../common/base/ids.js';
import { LONGEST_WAIT_MS } from './settlement.js';

/** The messages that wait in the outbox to be sent, counted for all nodes together; without those scheduled for a time to come. */
export interface Backlog {
  count: number;
  /** When the oldest began to wait: when it was accepted, or the time it was scheduled for. */
  oldestMs: number | null;
}

export async function backlogOf(database: Database): Promise<Backlog> {
  const [row] = await database
    .acrossTenants('the mails of every tenant are one figure of this service')
    .$cells(backlogStatement(database.dialect, new Date()));
  const [count, oldestId, sendAtMs] = row!;
  const times = [...(oldestId === null ? [] : [timeOfId(String(oldestId))]), ...(sendAtMs === null ? [] : [Number(sendAtMs)])];
  return { count: Number(count), oldestMs: times.length > 0 ? Math.min(...times) : null };
}

/**
 * Reads entries of an index alone, and no more of those scheduled than are due soon: no other mail waits longer for its next
 * attempt. Exported so that a test can explain it.
 */
export function backlogStatement(dialect: Dialect, now: Date): Sql {
  const soon = dialect.time(new Date(now.getTime() + LONGEST_WAIT_MS));
  return scan(sql`
    SELECT count(*), min(CASE WHEN "sendAt" IS NULL THEN "id" END), ${raw(dialect.milliseconds('min("sendAt")'))}
    FROM "Email" ${dialect.indexedBy('Email_status_dueAt_id_sendAt_idx')}
    WHERE "status" = 'QUEUED' AND "dueAt" <= ${soon} AND ("sendAt" IS NULL OR "sendAt" <= ${dialect.time(now)})`);
}
