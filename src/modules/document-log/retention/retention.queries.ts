import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { long, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { indexKey } from '../../../common/base/text.js';
import { ERASED } from '../records/log-row.js';
import type { LeafIds } from '../seals/block.js';
import { newestHorizonBlock } from '../seals/blocks.queries.js';
import { horizonOf } from './horizon.js';

/** Indexed prefix of an author's id. */
const KEY_LENGTH = 100;

interface OfAuthor {
  tenantId: string;
  authorId: string;
  limit: number;
}

/** Returns records of an author by index. The index excludes erased records. */
export async function recordsOfAuthor(database: Database, { tenantId, authorId, limit }: OfAuthor) {
  const { dialect } = database;
  const key = raw(dialect.prefix('"authorId"', KEY_LENGTH));
  const rows = await database.of(tenantId).$cells(sql`
    SELECT "id", "editCount" FROM "Log" WHERE "tenantId" = ${tenantId} AND ${key} = ${indexKey(authorId, KEY_LENGTH)}
    AND "authorId" IS NOT NULL AND "authorId" = ${authorId} LIMIT ${limit}`);
  return rows.map(([id, editCount]) => ({ id: String(id), editCount: Number(editCount) }));
}

/** Returns the newest block with a horizon, and the horizon, undefined if it was changed. Does not check the seal. */
export async function currentHorizon(database: Database, tenantId: string) {
  const block = await newestHorizonBlock(database, tenantId);
  return block && { block, horizon: horizonOf(block) };
}

/** Builds the statements that delete records and edits, and clear the texts of later edits of these records. */
export function deletions(dialect: Dialect, tenantId: string, { logs, edits }: LeafIds): Sql[] {
  const ofTenant = sql`${dialect.unindexed}"tenantId" = ${tenantId}`;
  const removed = sql`(${dialect.texts(logs)})`;
  return [
    sql`DELETE FROM "Log" WHERE ${ofTenant} AND "id" IN ${removed}`,
    sql`DELETE FROM "LogEdit" WHERE ${ofTenant} AND "id" IN (${dialect.texts(edits.map(([id]) => id))})`,
    sql`UPDATE "LogEdit" SET "oldValue" = NULL, "newValue" = NULL, "salt" = NULL
      WHERE ${ofTenant} AND "logId" IN ${removed} AND "field" <> ${ERASED}`,
  ].map(long);
}
