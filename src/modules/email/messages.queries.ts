import type { PageWanted } from '../../common/bounds/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../common/bounds/stepped-pages.js';
import { type ColumnKinds, columnsOf, rowReader } from '../../common/database/columns.js';
import { type Conditions, type FilterSql, walksBy } from '../../common/database/filter-walks.js';
import type { Walk } from '../../common/database/index-walks.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, sizedColumns } from '../../common/database/sized-rows.js';
import type { SqlValues } from '../../common/database/sql-values.js';
import { lowestIdAt } from '../../common/ids/ids.js';
import type { ShownEmail } from './email-row.js';
import type { MessagesWanted } from './inputs/email.rules.js';

const EMAIL: ColumnKinds<ShownEmail> = {
  id: 'as it is',
  fromAddress: 'as it is',
  fromName: 'as it is',
  subject: 'as it is',
  status: 'as it is',
  attempts: 'number',
  lastError: 'as it is',
  createdAt: 'time',
  sentAt: 'time',
};
const toEmail = rowReader(EMAIL);
const OF_RECIPIENTS = `(SELECT sum(${bytesOf(['p."address"', 'p."name"', 'p."lastError"'])}) FROM "EmailRecipient" p WHERE p."emailId" = e."id")`;
/** Of a message with its recipients, which come with it. */
const BYTES = `${bytesOf(['e."fromName"', 'e."subject"', 'e."lastError"'])} + coalesce(${OF_RECIPIENTS}, 0)`;

export interface MessagesQuery {
  tenantId: string;
  wanted: MessagesWanted;
  /** Where the page begins: below this id. */
  after: string | undefined;
}

/** Newest first. */
export async function pageOfEmails(prisma: PrismaService, isPostgres: boolean, query: MessagesQuery, page: PageWanted) {
  const list = emailsList(isPostgres, query);
  const { rows, more } = await readSteppedPage(prisma, list, { ...page, sizesFirst: true, after: query.after });
  return { rows: rows.map(toEmail), more };
}

/** The list of a filter, apart from its reading so that a test can have its statements explained. */
export function emailsList(isPostgres: boolean, { tenantId, wanted }: Omit<MessagesQuery, 'after'>): SteppedList {
  const all = columnsOf(isPostgres, EMAIL, 'e');
  const { to: address, status } = wanted;
  const filters: FilterSql[] = [];
  if (status) {
    const whole: Conditions = (sql) => [`e."status" = ${sql.value(status)}${isPostgres ? '::"StoredEmailStatus"' : ''}`];
    filters.push({ whole, indexed: whole });
  }
  const base = {
    table: '"Email"',
    alias: 'e',
    rowKey: ['rowid'],
    ...inOrderOf('e."id"'),
    served: servedBy('e', tenantId, wanted),
  };
  let walks = walksBy(filters, base);
  if (typeof address === 'string') {
    const isTo: Conditions = (sql) => [`r."address" = ${sql.value(address)}`, `r."kind" = 'to'`];
    const ofEmail = (sql: SqlValues) =>
      `SELECT 1 FROM "EmailRecipient" AS r WHERE r."emailId" = e."id" AND ${isTo(sql).join(' AND ')}`;
    const also = status ? walksBy([...filters, { whole: (sql) => [`EXISTS (${ofEmail(sql)})`] }], base) : [];
    walks = [byRecipient(address, servedBy('r', tenantId, wanted), filters), ...also];
  }
  return {
    isPostgres,
    columns: (limit, columns) => sizedColumns(isPostgres, columns, limit, { all, key: 'e."id"', bytes: BYTES, long: [] }),
    columnCount: Object.keys(EMAIL).length,
    parts: [walks],
  };
}

/** By the index of addresses, in which messages also stand by their cc and bcc. */
function byRecipient(address: string, served: Walk['served'], filters: FilterSql[]): Walk {
  return {
    table: '"EmailRecipient"',
    alias: 'r',
    rowKey: ['"emailId"', '"position"'],
    ...inOrderOf('r."emailId"'),
    served: (sql, range) => [...served(sql, range), `r."address" = ${sql.value(address)}`],
    join: () => 'CROSS JOIN "Email" AS e',
    rest: (sql) => ['e."id" = r."emailId"', `r."kind" = 'to'`, ...filters.flatMap((filter) => filter.whole(sql))],
  };
}

const inOrderOf = (id: string): Pick<Walk, 'order' | 'cursor'> => ({ order: [id], cursor: id });

/** What tenant and id decide, in a table that has both. */
function servedBy(table: 'e' | 'r', tenantId: string, { id: wantedId, createdAt }: MessagesWanted): Walk['served'] {
  const id = table === 'e' ? 'e."id"' : 'r."emailId"';
  return (sql, { after, downTo }) => {
    const conditions = [`${table}."tenantId" = ${sql.value(tenantId)}`];
    if (typeof wantedId === 'string') conditions.push(`${id} = ${sql.value(wantedId)}`);
    const { from, to } = createdAt ?? {};
    if (from) conditions.push(`${id} >= ${sql.value(lowestIdAt(from.getTime()))}`);
    if (to && after === undefined) conditions.push(`${id} < ${sql.value(lowestIdAt(to.getTime() + 1))}`);
    if (after !== undefined) conditions.push(`${id} < ${sql.value(after)}`);
    if (downTo !== undefined) conditions.push(`${id} >= ${sql.value(downTo)}`);
    return conditions;
  };
}
