import type { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { withoutCase } from '../../../common/database/sql/letter-case.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';

interface OfAddress {
  tenantId: string;
  /** As `lowerAscii` spells it. */
  address: string;
  limit: number;
}

/**
 * Returns ids of mails to an address, and of finished ones from it or with replies to it. Reads the tenant's part of the index of addresses, and its mails: an index without
 * letter case would cost every mail more than a rare erasure takes.
 */
export async function mailsOf(database: Database, { tenantId, address, limit }: OfAddress): Promise<string[]> {
  const { dialect } = database;
  const is = (column: string) => sql`${withoutCase(dialect, column)} = ${address}`;
  const rows = await database.of(tenantId).$cells(sql`
    SELECT "emailId" FROM "EmailRecipient" WHERE "tenantId" = ${tenantId} AND ${is('"address"')}
    UNION SELECT "id" FROM "Email"
      WHERE "tenantId" = ${tenantId} AND "status" <> 'QUEUED' AND ${isSender(dialect, address)}
    LIMIT ${limit}`);
  return rows.map(([id]) => String(id));
}

/** Tells whether mails from an address, or with replies to it, wait to be sent to others. */
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

/** Keeps other nodes from claiming the mails until the transaction ends. SQLite has one writer. */
export async function lockMails(transaction: TenantTransaction, dialect: Dialect, ids: string[]): Promise<void> {
  const lock = dialect.pick({ sqlite: empty, postgresql: raw('FOR UPDATE') });
  const wanted = sql`(${dialect.texts(ids)})`;
  await transaction.$queryRaw(
    sql`SELECT "id" FROM "Email" WHERE "tenantId" = ${transaction.tenantId} AND "id" IN ${wanted} ORDER BY "id" ${lock}`,
  );
}

/** Returns the identities of a tenant whose address is spelled in any case. */
export async function identitiesOf(database: Database, tenantId: string, address: string) {
  const { dialect } = database;
  const rows = await database.of(tenantId).$cells(sql`
    SELECT "address", "mailId" FROM "EmailIdentity"
    WHERE "tenantId" = ${tenantId} AND ${withoutCase(dialect, '"address"')} = ${address}`);
  return rows.map(([found, mailId]) => ({ address: String(found), mailId: mailId === null ? null : String(mailId) }));
}
