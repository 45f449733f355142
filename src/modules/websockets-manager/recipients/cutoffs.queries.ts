import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { RecipientKey } from '../models/recipient-key.js';
import type { TopicChange } from '../models/topics.js';
import type { StoredTopics } from './topics.queries.js';

/** Stored state that applies to tokens of a recipient. */
export interface TokenTerms {
  /** Revocation time of tokens, in milliseconds since 1970. */
  cutoff: number | undefined;
  topics: StoredTopics | undefined;
}

/** Reads cutoffs and changes of topics. `json` lists tenant, recipient key and index of each recipient. Exported for a query plan test. */
export const cutoffsStatement = (dialect: Dialect, json: string): Sql => sql`
  WITH w AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "recipientKey", value ->> 2 AS "index"
    FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."index", EXISTS (SELECT 1 FROM "Tenant" AS o WHERE o."id" = w."tenantId"), (
    SELECT ${raw(dialect.milliseconds('c."at"'))} FROM "RecipientCutoff" AS c
    WHERE c."tenantId" = w."tenantId" AND c."recipientKey" = w."recipientKey"),
    ${raw(dialect.milliseconds('t."at"'))}, t."changes"
  FROM w LEFT JOIN "RecipientTopics" AS t ON t."tenantId" = w."tenantId" AND t."recipientKey" = w."recipientKey"`;

/** Returns the terms of each recipient's tokens. All tokens of a deleted tenant are revoked. */
export async function tokenTermsOf(database: Database, recipients: readonly RecipientKey[]): Promise<TokenTerms[]> {
  const json = recipients.map(({ tenantId, recipientKey }, index) => [tenantId, recipientKey, index]);
  const rows = await database
    .acrossTenants('each recipient comes with its tenant')
    .$cells(cutoffsStatement(database.dialect, JSON.stringify(json)));
  const cutoff = (isThere: unknown, at: unknown) => (!isThere ? Infinity : at === null ? undefined : Number(at));
  const topics = (at: unknown, changes: unknown) =>
    at === null ? undefined : { at: Number(at), changes: JSON.parse(String(changes)) as TopicChange[] };
  const found = new Map(
    rows.map(([index, isThere, at, changedAt, changes]) => {
      return [Number(index), { cutoff: cutoff(isThere, at), topics: topics(changedAt, changes) }];
    }),
  );
  return recipients.map((_, index) => found.get(index)!);
}
