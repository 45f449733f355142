import type { PrismaService } from '../../common/database/prisma.service.js';
import { lowestIdAt } from '../../common/ids/ids.js';
import type { ShownEmail } from './email-row.js';
import type { MessagesWanted } from './inputs/email.rules.js';

const COLUMNS = ['id', 'fromAddress', 'fromName', 'subject', 'status', 'attempts', 'lastError', 'createdAt', 'sentAt'];
const LIST = COLUMNS.map((name) => `e."${name}"`).join();

export interface MessagesQuery {
  tenantId: string;
  wanted: MessagesWanted;
  /** Where the page begins: below this id. */
  before: string | undefined;
  limit: number;
}

/**
 * Newest first; walks one index from where the page begins. By recipient that is the index of addresses, so that a filter
 * which few messages match does not walk all of them.
 */
export function pageOfEmails(prisma: PrismaService, isPostgres: boolean, query: MessagesQuery): Promise<ShownEmail[]> {
  const { text, values } = pageStatement(isPostgres, query);
  return prisma.$queryRawUnsafe<ShownEmail[]>(text, ...values);
}

/** The statement of a page. */
function pageStatement(isPostgres: boolean, { tenantId, wanted, before, limit }: MessagesQuery) {
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
  const text = `SELECT ${LIST} FROM ${source} ${joined} ${conditions.join(' AND ')} ORDER BY ${id} DESC LIMIT ${value(limit)}`;
  return { text, values };
}
