import type { AllTenants, Database, Statements } from '../../../common/database/database.js';
import { bulkInsert } from '../../../common/database/sql/bulk-insert.js';
import { Columns, mapper, type RowOf } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { lowerAscii } from '../../../common/base/text.js';
import { sql, type Sql } from '../../../common/database/sql/sql.js';
import { uuidv7 } from '../../../common/base/ids.js';
import type { EmailSuppressionModel } from '../../../generated/sqlite/models.js';
import type { Walk } from '../../../common/database/sql/index-walks.js';
import { sizedColumns, sizesOf } from '../../../common/database/sql/sized-rows.js';
import type { PageWanted } from '../../../common/lists/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import { MAX_SOFT_BOUNCES, SOFT_BOUNCES_MS } from '../models/limits.js';
import type { SuppressionReason } from '../models/suppression.model.js';
import type { SuppressionsWanted } from './suppression.inputs.js';

const SUPPRESSION = new Columns<EmailSuppressionModel>('EmailSuppression', {
  id: 'key',
  tenantId: 'key',
  address: 'text',
  list: 'text',
  reason: 'key',
  createdAt: 'time',
  expiresAt: 'time',
  emailId: 'key',
  diagnostic: 'long text',
});
const ROWS = bulkInsert(SUPPRESSION);
/** Columns of a suppression that callers see. */
const LISTED_SUPPRESSION = SUPPRESSION.without('tenantId');

/** Value of `list` for a suppression of all mails. */
export const ALL_MAILS = '';

export interface NewSuppression {
  tenantId: string;
  address: string;
  reason: `${SuppressionReason}`;
  list?: string | null | undefined;
  expiresAt?: Date | null | undefined;
  emailId?: string | null;
  diagnostic?: string | null;
}

/**
 * Upserts suppressions within the caller's transaction. An existing one receives the new expiry; an expired one is replaced. Returns the
 * ids of all rows, and of the new ones.
 */
export async function storeSuppressions(
  transaction: Statements,
  dialect: Dialect,
  suppressions: NewSuppression[],
): Promise<{ ids: string[]; created: string[] }> {
  const rows = new Map<string, EmailSuppressionModel>();
  for (const one of suppressions) {
    const row = rowOf(one);
    rows.set([row.tenantId, row.address, row.list, row.reason].join('\n'), row);
  }
  // Fixed order, to avoid deadlocks.
  const ordered = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  if (ordered.length === 0) return { ids: [], created: [] };
  const list = `[${ordered.map((row) => ROWS.element(dialect, row)).join()}]`;
  const same = (['tenantId', 'address', 'list', 'reason'] as const).map((name) => ROWS.value(dialect, name));
  await transaction.$executeRaw(sql`
    DELETE FROM "EmailSuppression" WHERE "expiresAt" <= ${dialect.time(new Date())} AND "id" IN (
      SELECT s."id" FROM ${ROWS.table(dialect, sql`${list}`)} JOIN "EmailSuppression" AS s ON
        s."tenantId" = ${same[0]!} AND s."address" = ${same[1]!} AND s."list" = ${same[2]!} AND s."reason" = ${same[3]!})`);
  const stored = await transaction.$queryRaw<{ id: string }[]>(sql`
    ${ROWS.insert(dialect)} FROM ${ROWS.table(dialect, sql`${list}`)} WHERE true
    ON CONFLICT ("tenantId", "address", "list", "reason") DO UPDATE SET "expiresAt" = excluded."expiresAt" RETURNING "id"`);
  const made = new Set(ordered.map(({ id }) => id));
  const ids = stored.map(({ id }) => id);
  return { ids, created: ids.filter((id) => made.has(id)) };
}

function rowOf({ address, list, expiresAt, emailId, diagnostic, ...row }: NewSuppression): EmailSuppressionModel {
  return {
    ...row,
    id: uuidv7(),
    address: lowerAscii(address),
    list: list ?? ALL_MAILS,
    createdAt: new Date(),
    expiresAt: expiresAt ?? null,
    emailId: emailId ?? null,
    diagnostic: diagnostic ?? null,
  };
}

/** Suppression as returned by a lookup. */
export type FoundSuppression = Pick<EmailSuppressionModel, 'tenantId' | 'address' | 'list' | 'reason'>;

/** Returns the unexpired suppressions of any of the addresses for any of the tenants. */
export async function suppressionsOf(
  everyTenant: AllTenants,
  dialect: Dialect,
  wanted: { tenantIds: string[]; addresses: string[] },
): Promise<FoundSuppression[]> {
  const addresses = [...new Set(wanted.addresses.map(lowerAscii))];
  const rows = await everyTenant.$cells(sql`
    SELECT "tenantId", "address", "list", "reason" FROM "EmailSuppression"
    WHERE "tenantId" IN (${dialect.texts(wanted.tenantIds)}) AND "address" IN (${dialect.texts(addresses)})
      AND ("expiresAt" IS NULL OR "expiresAt" > ${dialect.time(new Date())})`);
  return (rows as [string, string, string, string][]).map(([tenantId, address, list, reason]) => ({
    tenantId,
    address,
    list,
    reason,
  }));
}

/** Returns true if recent soft bounces of an address reach the limit. Inlines the kind as a literal for its partial index. */
export async function isSoftTooOften(
  transaction: Statements,
  dialect: Dialect,
  { tenantId, address }: { tenantId: string; address: string },
): Promise<boolean> {
  const since = dialect.time(new Date(Date.now() - SOFT_BOUNCES_MS));
  const rows = await transaction.$queryRaw<unknown[]>(sql`
    SELECT "position" FROM "EmailRecipient"
    WHERE "tenantId" = ${tenantId} AND "address" = ${address} AND "bounceKind" = 'SOFT' AND "bouncedAt" > ${since}
    LIMIT ${MAX_SOFT_BOUNCES}`);
  return rows.length === MAX_SOFT_BOUNCES;
}

export type ListedSuppression = RowOf<typeof LISTED_SUPPRESSION>;
const LISTED = mapper(LISTED_SUPPRESSION);
const SIZES = sizesOf(LISTED_SUPPRESSION, 's');

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
  return { rows: rows.map(LISTED.row), more };
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
  const columns = { all: LISTED.columns(dialect, 's'), ...SIZES };
  return {
    dialect,
    columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, columns),
    columnCount: LISTED.count,
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
