import { type Sql, sql } from '../database/sql/sql.js';

/** Row with work to do. */
export interface DueRow {
  id: string;
  tenantId: string;
  /** Time of the first failure since the last success. */
  failingSince: unknown;
}

/** Selection of rows. */
export interface DueWanted {
  holder: string;
  /** Ids of rows that this node already works on. */
  excluded: string[];
  /** Maximum number of rows of each tenant, and in total. */
  share: number;
  limit: number;
}

/**
 * Orders a statement of DueRows with their `lastDeliveredAt`: healthy rows first, then tenants in round-robin order, then the longest
 * unserved.
 */
export function fairly(rows: Sql, { share, limit }: Pick<DueWanted, 'share' | 'limit'>): Sql {
  const order = sql`"failingSince" IS NOT NULL, "lastDeliveredAt" IS NOT NULL, "lastDeliveredAt"`;
  return sql`
    SELECT "id", "tenantId", "failingSince" FROM (
      SELECT d.*, row_number() OVER (PARTITION BY "tenantId" ORDER BY ${order}) AS "turn" FROM (${rows}) AS d
    ) AS due WHERE "turn" <= ${share} ORDER BY "failingSince" IS NOT NULL, "turn", "lastDeliveredAt" IS NOT NULL, "lastDeliveredAt"
    LIMIT ${limit}`;
}
