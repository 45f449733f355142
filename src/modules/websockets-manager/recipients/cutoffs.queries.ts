import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { RecipientKey } from '../models/recipient-key.js';

/** Reads cutoffs. `json` lists tenant, recipient key and index of each recipient. Exported for a query plan test. */
export const cutoffsStatement = (dialect: Dialect, json: string): Sql => sql`
  WITH w AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "recipientKey", value ->> 2 AS "index"
    FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."index", EXISTS (SELECT 1 FROM "Tenant" AS t WHERE t."id" = w."tenantId"), (
    SELECT ${raw(dialect.milliseconds('c."at"'))} FROM "RecipientCutoff" AS c
    WHERE c."tenantId" = w."tenantId" AND c."recipientKey" = w."recipientKey")
  FROM w`;

/**
 * Returns the revocation time of each recipient's tokens, in milliseconds since 1970, or undefined. All tokens of a deleted tenant are
 * revoked.
 */
export async function cutoffsOf(database: Database, recipients: readonly RecipientKey[]): Promise<(number | undefined)[]> {
  const json = recipients.map(({ tenantId, recipientKey }, index) => [tenantId, recipientKey, index]);
  const rows = await database
    .acrossTenants('each recipient comes with its tenant')
    .$cells(cutoffsStatement(database.dialect, JSON.stringify(json)));
  const cutoff = (isThere: unknown, at: unknown) => (!isThere ? Infinity : at === null ? undefined : Number(at));
  const found = new Map(rows.map(([index, isThere, at]) => [Number(index), cutoff(isThere, at)]));
  return recipients.map((_, index) => found.get(index));
}
