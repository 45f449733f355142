import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { long, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { indexKey } from '../../../common/base/text.js';
import { ERASED } from '../records/log-row.js';
import type { LeafIds } from '../seals/block.js';
import { newestHorizonBlock } from '../seals/blocks.queries.js';
import { horizonOf } from './horizon.js';

/** Characters of an author’s id that its index contains. */
const KEY_LENGTH = 100;

interface OfAuthor {
  tenantId: string;
  authorId: string;
  limit: number;
}

/** Returns records of an author by their index, which has no erased ones. */
export async function recordsOfAuthor(database: Database, { tenantId, authorId, limit }: OfAuthor) {
  const { dialect } = database;
  const key = raw(dialect.prefix('"authorId"', KEY_LENGTH));
  const rows = await database.of(tenantId).$cells(sql`
    SELECT "id", "editCount" FROM "Log" WHERE "tenantId" = ${tenantId} AND ${key} = ${indexKey(authorId, KEY_LENGTH)}
    AND "authorId" IS NOT NULL AND "authorId" = ${authorId} LIMIT ${limit}`);
  return rows.map(([id, editCount]) => ({ id: String(id), editCount: Number(editCount) }));
}

/** The newest block that says how far a log was removed, and its horizon, which is undefined if it was changed. Its seal is not checked. */
export async function currentHorizon(database: Database, tenantId: string) {
  const block = await newestHorizonBlock(database, tenantId);
  return block && { block, horizon: horizonOf(block) };
}

/** The statements that delete records and edits, and the texts of later edits of these records. */
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
