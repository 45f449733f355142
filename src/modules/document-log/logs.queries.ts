import type { PrismaService } from '../../common/database/prisma.service.js';
import { FILTER_FIELDS, type FilterField, type LogsWanted } from './inputs/logs-filter.rules.js';
import { FIRST_TIME, LAST_TIME } from './inputs/log.rules.js';
import type { ShownLogRow } from './log-row.js';

const COLUMNS: Record<keyof ShownLogRow, true> = {
  id: true,
  tenantId: true,
  documentId: true,
  documentType: true,
  dateTime: true,
  attributeId: true,
  authorId: true,
  action: true,
  comment: true,
  custom1: true,
  custom2: true,
  details: true,
  createdAt: true,
  updateAt: true,
  editCount: true,
};
const LIST = Object.keys(COLUMNS)
  .map((name) => `"${name}"`)
  .join();

/** How many characters of a text the indexes hold; both databases count code points. */
const KEY_LENGTH = 100;

/** Where a page begins: after this record. */
export interface LogPosition {
  dateTime: Date;
  id: string;
}

export interface LogsQuery {
  tenantId: string;
  wanted: LogsWanted;
  after: LogPosition | undefined;
  limit: number;
}

/**
 * The field whose index is walked, the most selective first. Only its key is part of the query: without it the planners
 * would join indexes and sort, or guess.
 */
const LEADING: FilterField[] = ['documentId', 'custom1', 'authorId', 'custom2', 'attributeId', 'action', 'documentType'];

/** Newest event first; walks one index from where the page begins. */
export function pageOfLogs(prisma: PrismaService, isPostgres: boolean, query: LogsQuery): Promise<ShownLogRow[]> {
  const { text, values } = pageStatement(isPostgres, query);
  return prisma.$queryRawUnsafe<ShownLogRow[]>(text, ...values);
}

/** The statement of a page, apart from its execution so that a test can have it explained. */
export function pageStatement(isPostgres: boolean, { tenantId, wanted, after, limit }: LogsQuery) {
  const sql = new Dialect(isPostgres);
  const conditions = [`"tenantId" = ${sql.value(tenantId)}`];
  if (wanted.id === undefined) conditions.push(...leadingKeys(sql, wanted));
  for (const field of FILTER_FIELDS) {
    if (wanted[field] !== undefined) conditions.push(`"${field}" = ${sql.value(wanted[field])}`);
  }
  if (wanted.from) conditions.push(`"dateTime" >= ${sql.time(wanted.from)}`);
  if (wanted.to) conditions.push(`"dateTime" <= ${sql.time(wanted.to)}`);
  if (after) conditions.push(`("dateTime", "id") < (${sql.time(after.dateTime)}, ${sql.value(after.id)})`);
  // An id is of one record at most, which needs no order.
  const order = wanted.id === undefined ? 'ORDER BY "dateTime" DESC, "id" DESC' : '';
  const text = `SELECT ${LIST} FROM "Log" WHERE ${conditions.join(' AND ')} ${order} LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values };
}

function leadingKeys(sql: Dialect, wanted: LogsWanted): string[] {
  const leading = LEADING.find((field) => wanted[field] !== undefined);
  if (leading === undefined) return [];
  const fields: FilterField[] =
    leading === 'documentId' && wanted.attributeId !== undefined ? [leading, 'attributeId'] : [leading];
  return fields.map((field) => sql.keyIs(field, wanted[field]!));
}

/** The latest record of each attribute id of a document up to a time. */
export function latestOfAttributes(
  prisma: PrismaService,
  isPostgres: boolean,
  { tenantId, documentId, documentType, at }: { tenantId: string; documentId: string; documentType: string; at: Date },
): Promise<ShownLogRow[]> {
  const sql = new Dialect(isPostgres);
  const text = `
    SELECT ${LIST} FROM "Log" WHERE "seq" IN (
      SELECT "seq" FROM (
        SELECT "seq", row_number() OVER (PARTITION BY "attributeId" ORDER BY "dateTime" DESC, "id" DESC) AS "age" FROM "Log"
        WHERE "tenantId" = ${sql.value(tenantId)} AND ${sql.keyIs('documentId', documentId)}
          AND "documentId" = ${sql.value(documentId)} AND "documentType" = ${sql.value(documentType)}
          AND "attributeId" IS NOT NULL AND "dateTime" <= ${sql.time(at)}
      ) AS "dated" WHERE "age" = 1
    ) ORDER BY "attributeId"`;
  return prisma.$queryRawUnsafe<ShownLogRow[]>(text, ...sql.values);
}

/** Collects the values of a statement, and writes what the databases spell differently. */
class Dialect {
  readonly values: unknown[] = [];

  constructor(private readonly isPostgres: boolean) {}

  value(value: unknown): string {
    this.values.push(value);
    return this.isPostgres ? `$${this.values.length}` : '?';
  }

  /** Times outside of what can be stored mean the first or last that can. */
  time(time: Date): string {
    const ms = Math.min(Math.max(time.getTime(), FIRST_TIME), LAST_TIME);
    return this.isPostgres ? `${this.value(new Date(ms).toISOString().slice(0, -1))}::timestamp(3)` : this.value(ms);
  }

  /** The condition that an index serves, in the words of its migration. Beside it stands the exact comparison. */
  keyIs(field: FilterField, value: string): string {
    const key = Array.from(value.slice(0, 2 * KEY_LENGTH))
      .slice(0, KEY_LENGTH)
      .join('');
    return `${this.isPostgres ? `left("${field}", ${KEY_LENGTH})` : `substr("${field}", 1, ${KEY_LENGTH})`} = ${this.value(key)}`;
  }
}
