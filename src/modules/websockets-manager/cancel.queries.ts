import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { lowestIdAt } from '../../common/ids/ids.js';
import { CONFIRMATION_MS, MessageStatus, TRANSITIONS } from './message-states.js';
import type { MessageKey } from './messages.queries.js';

const { to, stamp } = TRANSITIONS.cancelled;
const PENDING = `"status" = '${MessageStatus.PENDING}'`;

/** Cancels a message if it is still PENDING. */
export async function cancelPending(prisma: PrismaService, isPostgres: boolean, key: MessageKey): Promise<void> {
  const sql = new SqlValues(isPostgres);
  const text = `
    UPDATE "Message" SET "status" = '${to}', "${stamp}" = ${sql.time(new Date())}
    WHERE "tenantId" = ${sql.value(key.tenantId)} AND "pushId" = ${sql.value(key.pushId)}
      AND "recipientKey" = ${sql.value(key.recipientKey)} AND ${PENDING}`;
  await prisma.$executeRawUnsafe(text, ...sql.values);
}

/** Cancels a global message, once, unless its time and that of its last confirmation are over. */
export async function cancelGlobal(
  prisma: PrismaService,
  isPostgres: boolean,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<void> {
  const sql = new SqlValues(isPostgres);
  const now = new Date();
  const confirmable = new Date(now.getTime() - CONFIRMATION_MS);
  const text = `
    UPDATE "GlobalMessage" SET "cancelledAt" = ${sql.time(now)}
    WHERE "tenantId" = ${sql.value(tenantId)} AND "id" = ${sql.value(id)} AND "cancelledAt" IS NULL
      AND ("expiresAt" > ${sql.time(confirmable)} OR "expiresAt" IS NULL AND "id" >= ${sql.value(lowestIdAt(confirmable.getTime()))})`;
  await prisma.$executeRawUnsafe(text, ...sql.values);
}

interface PartsWanted {
  /** Of global messages that were cancelled since then. */
  since: Date;
  /** Of this one only. */
  of?: { tenantId: string; id: string };
  limit: number;
}

/** Cancels PENDING parts of cancelled global messages, up to so many. Answers with how many. */
export function cancelParts(prisma: PrismaService, isPostgres: boolean, wanted: PartsWanted): Promise<number> {
  const { text, values } = cancelPartsStatement(isPostgres, wanted);
  return prisma.$executeRawUnsafe(text, ...values);
}

/** Apart from its execution so that a test can have it explained. */
export function cancelPartsStatement(
  isPostgres: boolean,
  { since, of, limit }: PartsWanted,
): { text: string; values: unknown[] } {
  const sql = new SqlValues(isPostgres);
  const wanted = [`g."cancelledAt" >= ${sql.time(since)}`];
  if (of) wanted.push(`g."tenantId" = ${sql.value(of.tenantId)} AND g."id" = ${sql.value(of.id)}`);
  // SQLite finds the index of what is not delivered by its own condition. The joins are those that the planners take as they stand.
  const isPart = `m."tenantId" = g."tenantId" AND m."pushId" = g."id" AND m."status" <> '${MessageStatus.DELIVERED}' AND m.${PENDING}`;
  const parts = isPostgres
    ? `LATERAL (SELECT * FROM "Message" AS m WHERE ${isPart} OFFSET 0) AS m`
    : `"Message" AS m ON ${isPart}`;
  const text = `
    UPDATE "Message" SET "status" = '${to}', "${stamp}" = (
      SELECT g."cancelledAt" FROM "GlobalMessage" AS g WHERE g."tenantId" = "Message"."tenantId" AND g."id" = "Message"."pushId")
    WHERE ${PENDING} AND ("tenantId", "pushId", "recipientKey") IN (
      SELECT m."tenantId", m."pushId", m."recipientKey" FROM "GlobalMessage" AS g CROSS JOIN ${parts}
      WHERE ${wanted.join(' AND ')} LIMIT ${sql.value(limit)})`;
  return { text, values: sql.values };
}
