import { type PageStatement, type PageWanted, readPage } from '../../common/bounds/page-rows.js';
import { type ColumnKinds, columnsOf, rowReader } from '../../common/database/columns.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, type SizedStatement, sizedColumns, type Wanted } from '../../common/database/sized-rows.js';
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
  before: string | undefined;
}

/**
 * Newest first; walks one index from where the page begins. By recipient that is the index of addresses, so that a filter
 * which few messages match does not walk all of them.
 */
export async function pageOfEmails(prisma: PrismaService, isPostgres: boolean, query: MessagesQuery, page: PageWanted) {
  const statement: PageStatement = (limit, columns) => pageStatement(isPostgres, query, limit, columns);
  const { rows, more } = await readPage(prisma, [statement], { ...page, sizesFirst: true });
  return { rows: rows.map(toEmail), more };
}

/** The statement of a page. */
function pageStatement(
  isPostgres: boolean,
  { tenantId, wanted, before }: MessagesQuery,
  limit: number,
  columns: Wanted,
): SizedStatement {
  const values: unknown[] = [];
  const value = (given: unknown): string => {
    values.push(given);
    return isPostgres ? `$${values.length}` : '?';
  };
  const byRecipient = typeof wanted.to === 'string';
  const id = byRecipient ? 'r."emailId"' : 'e."id"';
  const conditions = [`${byRecipient ? 'r' : 'e'}."tenantId" = ${value(tenantId)}`];
  if (byRecipient) conditions.push(`r."address" = ${value(wanted.to)}`, `r."kind" = 'to'`);
  if (typeof wanted.id === 'string') conditions.push(`${id} = ${value(wanted.id)}`);
  if (wanted.status) conditions.push(`e."status" = ${value(wanted.status)}${isPostgres ? '::"StoredEmailStatus"' : ''}`);
  const { from, to } = wanted.createdAt ?? {};
  if (from) conditions.push(`${id} >= ${value(lowestIdAt(from.getTime()))}`);
  const below = before ?? (to ? lowestIdAt(to.getTime() + 1) : undefined);
  if (below !== undefined) conditions.push(`${id} < ${value(below)}`);
  const source = byRecipient ? `"EmailRecipient" r ${isPostgres ? '' : 'CROSS '}JOIN "Email" e` : '"Email" e';
  const joined = byRecipient ? `${isPostgres ? 'ON' : 'WHERE'} e."id" = r."emailId" ${isPostgres ? 'WHERE' : 'AND'}` : 'WHERE';
  const all = columnsOf(isPostgres, EMAIL, 'e');
  const shown = sizedColumns(isPostgres, columns, limit, { all, key: 'e."id"', bytes: BYTES, long: [] });
  const text = `SELECT ${shown} FROM ${source} ${joined} ${conditions.join(' AND ')} ORDER BY ${id} DESC LIMIT ${value(limit)}`;
  return { text, values, wanted: columns };
}
