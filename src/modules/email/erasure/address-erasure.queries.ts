import type { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { withoutCase } from '../../../common/database/sql/text-conditions.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';

interface OfAddress {
  tenantId: string;
  /** Normalized by `lowerAscii`. */
  address: string;
  limit: number;
}

/**
 * Returns ids of mails to an address, and of finished and scheduled mails with the address as sender or Reply-To. Scans all of the tenant's
 * mails: a case-insensitive index would burden every mail for the sake of rare erasures.
 */
export async function mailsOf(database: Database, { tenantId, address, limit }: OfAddress): Promise<string[]> {
  const { dialect } = database;
  const is = (column: string) => sql`${withoutCase(dialect, column)} = ${address}`;
  const rows = await database.of(tenantId).$cells(sql`
    SELECT "emailId" FROM "EmailRecipient" WHERE "tenantId" = ${tenantId} AND ${is('"address"')}
    UNION SELECT "id" FROM "Email"
      WHERE "tenantId" = ${tenantId} AND ("status" <> 'QUEUED' OR ("sendAt" IS NOT NULL AND "attempts" = 0)) AND ${isSender(dialect, address)}
    LIMIT ${limit}`);
  return rows.map(([id]) => String(id));
}

/** Returns true if mails with the address as sender or Reply-To are still queued. */
export async function isSenderOfWaiting(database: Database, tenantId: string, address: string): Promise<boolean> {
  const { dialect } = database;
  const rows = await database.of(tenantId).$cells(sql`
    SELECT 1 FROM "Email" WHERE "tenantId" = ${tenantId} AND "status" = 'QUEUED' AND ${isSender(dialect, address)} LIMIT 1`);
  return rows.length > 0;
}

function isSender(dialect: Dialect, address: string): Sql {
  const is = (column: string) => sql`${withoutCase(dialect, column)} = ${address}`;
  return sql`(${is('"fromAddress"')} OR ("replyToAddress" IS NOT NULL AND ${is('"replyToAddress"')}))`;
}

/** Locks mails against claims by other nodes until the transaction ends. SQLite has a single writer and needs no lock. */
export async function lockMails(transaction: TenantTransaction, dialect: Dialect, ids: string[]): Promise<void> {
  const lock = dialect.pick({ sqlite: empty, postgresql: raw('FOR UPDATE') });
  const wanted = sql`(${dialect.texts(ids)})`;
  await transaction.$queryRaw(
    sql`SELECT "id" FROM "Email" WHERE "tenantId" = ${transaction.tenantId} AND "id" IN ${wanted} ORDER BY "id" ${lock}`,
  );
}

/** Returns the identities of a tenant with this address, ignoring letter case. */
export async function identitiesOf(database: Database, tenantId: string, address: string) {
  const { dialect } = database;
  const rows = await database.of(tenantId).$cells(sql`
    SELECT "address", "mailId" FROM "EmailIdentity"
    WHERE "tenantId" = ${tenantId} AND ${withoutCase(dialect, '"address"')} = ${address}`);
  return rows.map(([found, mailId]) => ({ address: String(found), mailId: mailId === null ? null : String(mailId) }));
}
