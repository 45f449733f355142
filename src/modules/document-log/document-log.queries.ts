import type { PrismaService } from '../../common/database/prisma.service.js';
import type { NewLogRow } from './log-row.js';
import { SEAL_LOCK } from './seals/seal-lock.js';

/** The columns of a new record and their types on PostgreSQL. */
const COLUMNS: Record<keyof NewLogRow, 'text' | 'timestamp(3)'> = {
  id: 'text',
  tenantId: 'text',
  documentId: 'text',
  documentType: 'text',
  dateTime: 'timestamp(3)',
  attributeId: 'text',
  authorId: 'text',
  action: 'text',
  comment: 'text',
  custom1: 'text',
  custom2: 'text',
  details: 'text',
  createdAt: 'timestamp(3)',
  idempotencyKey: 'text',
  inputHash: 'text',
  leafHash: 'text',
  mac: 'text',
};
const NAMES = Object.keys(COLUMNS) as (keyof NewLogRow)[];
const LIST = NAMES.map((name) => `"${name}"`).join();

// One statement with one parameter, whatever the number of records. Who waits for the lock has no seq yet: numbers are
// given to rows of the join, and there are none before the lock is held.
const INSERT_ON_POSTGRES = `
  WITH "lock" AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${SEAL_LOCK}))
  INSERT INTO "Log" (${LIST}) SELECT ${NAMES.map((name) => `r."${name}"`).join()}
  FROM "lock", json_to_recordset($1::json) AS r(${NAMES.map((name) => `"${name}" ${COLUMNS[name]}`).join()})`;
const INSERT_ON_SQLITE = `
  INSERT INTO "Log" (${LIST}) SELECT ${NAMES.map((_, index) => `value ->> ${index}`).join()}
  FROM json_each(?) WHERE true`;
const UNLESS_KEY_IS_THERE = 'ON CONFLICT DO NOTHING RETURNING "id"';

/** A record as one element of the parameter of `insertLogs`. */
export function asElement(row: NewLogRow, canonical: string, isPostgres: boolean): string {
  if (isPostgres) return withMembers(canonical, row);
  return JSON.stringify(NAMES.map((name) => (row[name] instanceof Date ? row[name].getTime() : row[name])));
}

/** Most of an element is there already, in the canonical form; what a row has beside it follows. */
function withMembers(canonical: string, { leafHash, mac, idempotencyKey, inputHash }: NewLogRow): string {
  const rest = idempotencyKey === null ? { leafHash, mac } : { leafHash, mac, idempotencyKey, inputHash };
  return `${canonical.slice(0, -1)},${JSON.stringify(rest).slice(1)}`;
}

/**
 * Stores records, given as elements joined by commas. Answers with how to tell whether one was stored, which only those
 * with a key may not be: without keys the databases need not look for conflicts, nor say what they did.
 */
export async function insertLogs(
  prisma: PrismaService,
  isPostgres: boolean,
  { elements, keyed }: { elements: string; keyed: boolean },
): Promise<(id: string) => boolean> {
  const statement = isPostgres ? INSERT_ON_POSTGRES : INSERT_ON_SQLITE;
  const rows = await prisma.$queryArrays(keyed ? `${statement} ${UNLESS_KEY_IS_THERE}` : statement, [`[${elements}]`]);
  const stored = new Set(rows.map(([id]) => id));
  return (id) => !keyed || stored.has(id);
}

/** Only inside of a transaction, before its first write; on SQLite there is one writer at a time anyway. */
export async function shareSealLock(transaction: Pick<PrismaService, '$executeRawUnsafe'>, isPostgres: boolean): Promise<void> {
  if (isPostgres) await transaction.$executeRawUnsafe(`SELECT pg_advisory_xact_lock_shared(${SEAL_LOCK})`);
}

/** The records that came with these keys, without their content. */
export function keysOfLogs(prisma: PrismaService, tenantId: string, keys: string[]) {
  const select = { id: true, idempotencyKey: true, inputHash: true } as const;
  return prisma.log.findMany({ where: { tenantId, idempotencyKey: { in: keys } }, select });
}
