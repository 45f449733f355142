import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { MessageStatus, type Transition, TRANSITIONS } from './message-states.js';

interface Batch {
  limit: number;
}

const PENDING = raw(`"status" = '${MessageStatus.PENDING}'`);
const KEY = raw('"tenantId", "pushId", "recipientKey"');

/** Starts a statement that cancels PENDING messages by key. */
const settle = ({ to, stamp, reason }: Transition, time: Sql): Sql =>
  sql`UPDATE "Message" SET ${raw(`"status" = '${to}', "cancelReason" = '${reason}', "${stamp}"`)} = ${time} WHERE ${PENDING} AND (${KEY})`;

/**
 * Cancels messages expired before a time. The event `expired` selects messages without a written frame; `expiredUnconfirmed` selects all
 * unconfirmed ones.
 */
export function expiredStatement(
  dialect: Dialect,
  { event, before, limit }: Batch & { event: 'expired' | 'expiredUnconfirmed'; before: Date },
): Sql {
  const transition = TRANSITIONS[event];
  const unwritten = event === 'expired' ? sql`AND "sentAt" IS NULL` : empty;
  return sql`
    ${settle(transition, raw(`"${transition.time}"`))} IN (
      SELECT ${KEY} FROM "Message"
      WHERE ${PENDING} AND "expiresAt" IS NOT NULL AND "expiresAt" <= ${dialect.time(before)} ${unwritten}
      ORDER BY "expiresAt" LIMIT ${limit})`;
}

/** Cancels messages that cannot wait, with ids below a given one. */
export const unconfirmedStatement = (dialect: Dialect, { below, now, limit }: Batch & { below: string; now: Date }): Sql => sql`
  ${settle(TRANSITIONS.unconfirmed, dialect.time(now))} IN (
    SELECT ${KEY} FROM "Message" WHERE ${PENDING} AND "expiresAt" IS NULL AND "pushId" < ${below} ORDER BY "pushId" LIMIT ${limit})`;

/** Condition that some message may need cancellation: an expired one, one that cannot wait, or a copy of a cancelled message. */
export const expiryDue = (dialect: Dialect, { before, below, since }: { before: Date; below: string; since: Date }): Sql => sql`
  EXISTS (SELECT 1 FROM "Message" WHERE ${PENDING} AND "expiresAt" IS NOT NULL AND "expiresAt" <= ${dialect.time(before)})
  OR EXISTS (SELECT 1 FROM "Message" WHERE ${PENDING} AND "expiresAt" IS NULL AND "pushId" < ${below})
  OR EXISTS (SELECT 1 FROM "GlobalMessage" WHERE "cancelledAt" > ${dialect.time(since)})`;

interface OldMessages extends Batch {
  tenantId: string;
  before: Date;
  /** Lowest possible id of a message created at `before`. */
  below: string;
}

/** Removes messages of a tenant delivered or cancelled before a time, unless they are in an inbox or their fallback waits. */
export function removeMessages(database: Database, { tenantId, before, below, limit }: OldMessages): Promise<number> {
  const inInbox = sql`"inbox" AND "archivedAt" IS NULL AND "status" <> 'CANCELLED' AND "expiresAt" > ${database.dialect.time(new Date())}`;
  return database.of(tenantId).$executeRaw(sql`
    DELETE FROM "Message" WHERE "tenantId" = ${tenantId} AND ("pushId", "recipientKey") IN (
      SELECT "pushId", "recipientKey" FROM "Message" WHERE "tenantId" = ${tenantId} AND "pushId" < ${below}
        AND coalesce("deliveredAt", "cancelledAt") < ${database.dialect.time(before)} AND NOT (${inInbox}) AND NOT EXISTS (
          SELECT 1 FROM "MessageFallback" AS f WHERE f."tenantId" = "Message"."tenantId" AND f."pushId" = "Message"."pushId"
            AND f."state" = 'WAITING')
      ORDER BY "pushId", "recipientKey" LIMIT ${limit})`);
}

/** Removes decided fallbacks of removed messages. */
export function removeOldFallbacks(database: Database, { tenantId, below, limit }: OldMessages): Promise<number> {
  return database.of(tenantId).$executeRaw(sql`
    DELETE FROM "MessageFallback" WHERE "tenantId" = ${tenantId} AND "pushId" IN (
      SELECT f."pushId" FROM "MessageFallback" AS f WHERE f."tenantId" = ${tenantId} AND f."pushId" < ${below} AND f."state" <> 'WAITING'
        AND NOT EXISTS (SELECT 1 FROM "Message" AS m WHERE m."tenantId" = f."tenantId" AND m."pushId" = f."pushId")
      ORDER BY f."pushId" LIMIT ${limit})`);
}

/** Removes global messages that are no longer sent and have no copies left. */
export function removeGlobalMessages(database: Database, { tenantId, before, below, limit }: OldMessages): Promise<number> {
  const time = database.dialect.time(before);
  return database.of(tenantId).$executeRaw(sql`
    DELETE FROM "GlobalMessage" WHERE "tenantId" = ${tenantId} AND "id" IN (
      SELECT g."id" FROM "GlobalMessage" AS g WHERE g."tenantId" = ${tenantId} AND g."id" < ${below}
        AND (g."expiresAt" IS NULL OR g."expiresAt" < ${time} OR g."cancelledAt" < ${time})
        AND NOT EXISTS (SELECT 1 FROM "Message" AS m WHERE m."tenantId" = g."tenantId" AND m."pushId" = g."id")
      ORDER BY g."id" LIMIT ${limit})`);
}
