import type { Database } from '../../../common/database/database.js';
import { scan } from '../../../common/database/sql/long-statement.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { timeOfId } from '../../../common/base/ids.js';
import { LONGEST_WAIT_MS } from './settlement.js';

/** Queued messages over all nodes, except for those scheduled for the future. */
export interface Backlog {
  count: number;
  /** Acceptance or scheduled time of the oldest. */
  oldestMs: number | null;
}

export async function backlogOf(database: Database): Promise<Backlog> {
  const [row] = await database
    .acrossTenants('the metric covers the mails of every tenant')
    .$cells(backlogStatement(database.dialect, new Date()));
  const [count, oldestId, sendAtMs] = row!;
  const times = [...(oldestId === null ? [] : [timeOfId(String(oldestId))]), ...(sendAtMs === null ? [] : [Number(sendAtMs)])];
  return { count: Number(count), oldestMs: times.length > 0 ? Math.min(...times) : null };
}

/**
 * Reads only index entries, and of scheduled messages only those due soon: no other mail waits longer for its next attempt. Exported for a
 * query plan test.
 */
export function backlogStatement(dialect: Dialect, now: Date): Sql {
  const soon = dialect.time(new Date(now.getTime() + LONGEST_WAIT_MS));
  return scan(sql`
    SELECT count(*), min(CASE WHEN "sendAt" IS NULL THEN "id" END), ${raw(dialect.milliseconds('min("sendAt")'))}
    FROM "Email" ${dialect.indexedBy('Email_status_dueAt_id_sendAt_idx')}
    WHERE "status" = 'QUEUED' AND "dueAt" <= ${soon} AND ("sendAt" IS NULL OR "sendAt" <= ${dialect.time(now)})`);
}
