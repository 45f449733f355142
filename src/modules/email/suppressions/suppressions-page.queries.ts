import { mapper } from '../../../common/database/sql/columns.js';
import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { Walk } from '../../../common/database/sql/index-walks.js';
import { bytesOf, sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import type { PageWanted } from '../../../common/lists/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import type { EmailSuppressionModel } from '../../../generated/sqlite/models.js';
import type { SuppressionsWanted } from './suppression.inputs.js';

export type ListedSuppression = Omit<EmailSuppressionModel, 'tenantId'>;

const SUPPRESSION = mapper<ListedSuppression>({
  id: 'as it is',
  address: 'as it is',
  list: 'as it is',
  reason: 'as it is',
  createdAt: 'time',
  expiresAt: 'time',
  emailId: 'as it is',
  diagnostic: 'as it is',
});
const BYTES = bytesOf(['s."address"', 's."list"', 's."diagnostic"']);

export interface SuppressionsQuery {
  tenantId: string;
  wanted: SuppressionsWanted;
  /** Last id of the previous page. */
  after: string | undefined;
}

/** Reads a page of unexpired suppressions, newest first. */
export async function pageOfSuppressions(database: Database, query: SuppressionsQuery, page: PageWanted) {
  const list = suppressionsList(database.dialect, query);
  const { rows, more } = await readSteppedPage(database.of(query.tenantId), list, { ...page, after: query.after });
  return { rows: rows.map(SUPPRESSION.row), more };
}

/** Builds the list of matching suppressions. Exported for a query plan test. */
export function suppressionsList(dialect: Dialect, query: Omit<SuppressionsQuery, 'after'>): SteppedList {
  const { indexed, rest } = conditionsOf(query.wanted);
  const walk: Walk = {
    table: '"EmailSuppression"',
    alias: 's',
    rowKey: ['rowid'],
    order: ['s."id"'],
    cursor: 's."id"',
    served: ({ after, downTo }) => [
      sql`s."tenantId" = ${query.tenantId}`,
      ...indexed,
      ...(after === undefined ? [] : [sql`s."id" < ${after}`]),
      ...(downTo === undefined ? [] : [sql`s."id" >= ${downTo}`]),
    ],
    rest: [...rest, sql`(s."expiresAt" IS NULL OR s."expiresAt" > ${dialect.time(new Date())})`],
  };
  const columns = { all: SUPPRESSION.columns(dialect, 's'), key: 's."id"', bytes: BYTES, long: ['s."diagnostic"'] };
  return {
    dialect,
    columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, columns),
    columnCount: SUPPRESSION.count,
    parts: [[walk]],
  };
}

/**
 * Splits a filter into indexed and other conditions. An address has few suppressions, so its index suffices; list and reason have a joint
 * index and one each.
 */
function conditionsOf({ address, reason, list }: SuppressionsWanted): { indexed: Sql[]; rest: Sql[] } {
  const others: Sql[] = [];
  if (typeof list === 'string') others.push(sql`s."list" = ${list}`);
  if (reason) others.push(sql`s."reason" = ${reason}`);
  return typeof address === 'string' ? { indexed: [sql`s."address" = ${address}`], rest: others } : { indexed: others, rest: [] };
}
