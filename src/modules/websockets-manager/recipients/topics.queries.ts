import type { Database } from '../../../common/database/database.js';
import { sql } from '../../../common/database/sql/sql.js';
import type { RecipientKey } from '../models/recipient-key.js';
import type { TopicChange } from '../models/topics.js';

/** Changes of a recipient's topics, oldest first, with the time of the latest in milliseconds since 1970. */
export interface StoredTopics {
  at: number;
  changes: TopicChange[];
}

export async function readTopics(
  database: Database,
  { tenantId, recipientKey }: RecipientKey,
): Promise<StoredTopics | undefined> {
  const row = await database
    .of(tenantId)
    .recipientTopics.findUnique({ where: { tenantId_recipientKey: { tenantId, recipientKey } } });
  return row ? { at: row.at.getTime(), changes: JSON.parse(row.changes) as TopicChange[] } : undefined;
}

/** Stores changes if none was stored since `before`, the time of the latest known one, or 0. Returns false otherwise. */
export async function writeTopics(
  { dialect, of }: Pick<Database, 'dialect' | 'of'>,
  { tenantId, recipientKey }: RecipientKey,
  { at, changes }: { at: number; changes: string },
  before: number,
): Promise<boolean> {
  const count = await of(tenantId).$executeRaw(sql`
    INSERT INTO "RecipientTopics" ("tenantId", "recipientKey", "changes", "at")
    VALUES (${tenantId}, ${recipientKey}, ${changes}, ${dialect.time(new Date(at))})
    ON CONFLICT ("tenantId", "recipientKey") DO UPDATE SET "changes" = excluded."changes", "at" = excluded."at"
    WHERE "RecipientTopics"."tenantId" = ${tenantId} AND "RecipientTopics"."at" = ${dialect.time(new Date(before))}`);
  return count === 1;
}
