import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { MessageStatus, TRANSITIONS } from './message-states.js';

interface Batch {
  limit: number;
  isPostgres: boolean;
}

const PENDING = `"status" = '${MessageStatus.PENDING}'`;

/** Cancels messages whose time was up before some moment: those of which no frame was written, or those that stayed unconfirmed. */
export function cancelExpired(
  prisma: PrismaService,
  { event, before, limit, isPostgres }: Batch & { event: 'expired' | 'expiredUnconfirmed'; before: Date },
): Promise<number> {
  const sql = new SqlValues(isPostgres);
  const { to, stamp, time } = TRANSITIONS[event];
  const written = event === 'expired' ? 'AND "sentAt" IS NULL' : '';
  const text = `
    UPDATE "Message" SET "status" = '${to}', "${stamp}" = "${time}" WHERE ${PENDING} AND ("tenantId", "pushId", "recipientKey") IN (
      SELECT "tenantId", "pushId", "recipientKey" FROM "Message" WHERE ${PENDING} AND "expiresAt" IS NOT NULL AND "expiresAt" <= ${sql.time(before)} ${written}
      ORDER BY "expiresAt" LIMIT ${sql.value(limit)})`;
  return prisma.$executeRawUnsafe(text, ...sql.values);
}

/** Cancels messages that cannot wait and were made long ago. */
export function cancelUnconfirmed(
  prisma: PrismaService,
  { below, now, limit, isPostgres }: Batch & { below: string; now: Date },
): Promise<number> {
  const sql = new SqlValues(isPostgres);
  const { to, stamp } = TRANSITIONS.unconfirmed;
  const text = `
    UPDATE "Message" SET "status" = '${to}', "${stamp}" = ${sql.time(now)} WHERE ${PENDING} AND ("tenantId", "pushId", "recipientKey") IN (
      SELECT "tenantId", "pushId", "recipientKey" FROM "Message" WHERE ${PENDING} AND "expiresAt" IS NULL AND "pushId" < ${sql.value(below)}
      ORDER BY "pushId" LIMIT ${sql.value(limit)})`;
  return prisma.$executeRawUnsafe(text, ...sql.values);
}

interface OldOnes extends Batch {
  tenantId: string;
  before: Date;
  /** The ids of what was made since then begin there. */
  below: string;
}

/** Removes messages of a tenant that were settled before some moment. */
export function removeMessages(prisma: PrismaService, { tenantId, before, below, limit, isPostgres }: OldOnes): Promise<number> {
  const sql = new SqlValues(isPostgres);
  const text = `
    DELETE FROM "Message" WHERE "tenantId" = ${sql.value(tenantId)} AND ("pushId", "recipientKey") IN (
      SELECT "pushId", "recipientKey" FROM "Message" WHERE "tenantId" = ${sql.value(tenantId)} AND "pushId" < ${sql.value(below)}
        AND coalesce("deliveredAt", "cancelledAt") < ${sql.time(before)}
      ORDER BY "pushId", "recipientKey" LIMIT ${sql.value(limit)})`;
  return prisma.$executeRawUnsafe(text, ...sql.values);
}

/** Removes global messages that nobody can get any more, after the last of their messages. */
export function removeGlobalMessages(
  prisma: PrismaService,
  { tenantId, before, below, limit, isPostgres }: OldOnes,
): Promise<number> {
  const sql = new SqlValues(isPostgres);
  const text = `
    DELETE FROM "GlobalMessage" WHERE "tenantId" = ${sql.value(tenantId)} AND "id" IN (
      SELECT g."id" FROM "GlobalMessage" AS g WHERE g."tenantId" = ${sql.value(tenantId)} AND g."id" < ${sql.value(below)}
        AND (g."expiresAt" IS NULL OR g."expiresAt" < ${sql.time(before)} OR g."cancelledAt" < ${sql.time(before)})
        AND NOT EXISTS (SELECT 1 FROM "Message" AS m WHERE m."tenantId" = g."tenantId" AND m."pushId" = g."id")
      ORDER BY g."id" LIMIT ${sql.value(limit)})`;
  return prisma.$executeRawUnsafe(text, ...sql.values);
}
