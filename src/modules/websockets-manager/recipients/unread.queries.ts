import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { MAX_UNREAD } from '../models/limits.js';
import type { RecipientKey } from '../models/recipient-key.js';

/** Counts unread messages up to MAX_UNREAD. `json` lists tenant, recipient key and index of each recipient. Exported for a query plan test. */
export const unreadStatement = (dialect: Dialect, json: string): Sql => sql`
  WITH w AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "recipientKey", value ->> 2 AS "index"
    FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."index", (SELECT count(*) FROM (
    SELECT 1 FROM "Message" AS m ${dialect.indexedBy('Message_unread_idx')}
    WHERE m."tenantId" = w."tenantId" AND m."recipientKey" = w."recipientKey" AND m."expiresAt" > ${dialect.time(new Date())}
      AND m."inbox" AND m."readAt" IS NULL AND m."archivedAt" IS NULL AND m."status" <> 'CANCELLED'
    LIMIT ${raw(String(MAX_UNREAD))}) AS "unread") FROM w`;

/** Returns the number of unread messages in each inbox, up to MAX_UNREAD. */
export async function unreadCounts(database: Database, recipients: readonly RecipientKey[]): Promise<number[]> {
  const json = recipients.map(({ tenantId, recipientKey }, index) => [tenantId, recipientKey, index]);
  const rows = await database
    .acrossTenants('each recipient comes with its tenant')
    .$cells(unreadStatement(database.dialect, JSON.stringify(json)));
  const found = new Map(rows.map(([index, count]) => [Number(index), Number(count)]));
  return recipients.map((_, index) => found.get(index)!);
}
