import type { PrismaService } from '../../common/database/prisma.service.js';
import { timeOfMs } from '../../common/database/sql-values.js';
import { MessageStatus } from './message-states.js';

/** The same that happened to one push's messages to several recipients. Times in milliseconds. */
export interface Change {
  tenantId: string;
  pushId: string;
  topic: string | null;
  expiresAt: number | null;
  /** PENDING: a frame was written. */
  status: MessageStatus;
  /** A JSON object: of each recipient's key, when. */
  times: string;
}

/** A recipient's part of a global message whose name its key does not tell. */
export interface LongNamed {
  tenantId: string;
  pushId: string;
  key: string;
  name: string;
}

/** The changes and their recipients, one row for each pair. */
function rows(isPostgres: boolean): string {
  const member = (index: number) => (isPostgres ? `j ->> ${index}` : `value ->> ${index}`);
  const names = ['tenantId', 'pushId', 'topic', 'expiresAt', 'status'];
  const columns = names.map((name, index) => `${member(index)} AS "${name}"`).join();
  const source = isPostgres ? 'json_array_elements($1::json) AS j' : 'json_each(?)';
  const each = isPostgres ? 'json_each_text' : 'json_each';
  const ms = (value: string) => timeOfMs(value, isPostgres);
  const when = (status: MessageStatus) => `CASE p."status" WHEN '${status}' THEN ${ms('r."value"')} END`;
  // Outside of the join, so that it is read once for each change and not once for each recipient.
  return `
    WITH p AS MATERIALIZED (SELECT ${columns}, ${isPostgres ? 'j -> 5' : 'value -> 5'} AS "times" FROM ${source}),
    c AS (
      SELECT p."tenantId", p."pushId", r."key" AS "recipientKey", p."topic", p."status", ${ms('p."expiresAt"')} AS "expiresAt",
        CASE WHEN p."expiresAt" IS NOT NULL THEN ${ms('r."value"')} END AS "sentAt",
        ${when(MessageStatus.DELIVERED)} AS "deliveredAt", ${when(MessageStatus.CANCELLED)} AS "cancelledAt"
      FROM p, ${each}(p."times") AS r)`;
}

const UPDATE = (isPostgres: boolean): string => `
  ${rows(isPostgres)}
  UPDATE "Message" SET "status" = c."status", "sentAt" = coalesce("Message"."sentAt", c."sentAt"),
    "deliveredAt" = c."deliveredAt", "cancelledAt" = c."cancelledAt"
  FROM c
  WHERE "Message"."tenantId" = c."tenantId" AND "Message"."pushId" = c."pushId" AND "Message"."recipientKey" = c."recipientKey"
    AND "Message"."status" = '${MessageStatus.PENDING}'`;

const UPSERT = (isPostgres: boolean): string => `
  ${rows(isPostgres)}
  INSERT INTO "Message" ("tenantId","pushId","recipientKey","topic","status","expiresAt","sentAt","deliveredAt","cancelledAt","isGlobal")
  SELECT "tenantId","pushId","recipientKey","topic","status","expiresAt","sentAt","deliveredAt","cancelledAt",${isPostgres ? 'true' : '1'}
  FROM c WHERE true
  ON CONFLICT ("tenantId", "pushId", "recipientKey")
  DO UPDATE SET "status" = excluded."status", "deliveredAt" = excluded."deliveredAt", "cancelledAt" = excluded."cancelledAt"
  WHERE "Message"."status" = '${MessageStatus.PENDING}' AND excluded."status" <> '${MessageStatus.PENDING}'`;

const UPDATES = { sqlite: UPDATE(false), postgresql: UPDATE(true) };
const UPSERTS = { sqlite: UPSERT(false), postgresql: UPSERT(true) };

/** Only PENDING messages change: see message-states.ts. */
export async function changeMessages(prisma: PrismaService, isPostgres: boolean, changes: Change[]): Promise<void> {
  await prisma.$queryArrays(UPDATES[isPostgres ? 'postgresql' : 'sqlite'], [json(changes)]);
}

/** Makes the records that are not there: one for a global message and recipient, whatever the number of nodes that tell of it. */
export async function recordGlobal(
  prisma: PrismaService,
  isPostgres: boolean,
  changes: Change[],
  longNamed: LongNamed[],
): Promise<void> {
  await prisma.$queryArrays(UPSERTS[isPostgres ? 'postgresql' : 'sqlite'], [json(changes)]);
  for (const { tenantId, pushId, key, name } of longNamed) {
    await prisma.message.updateMany({ where: { tenantId, pushId, recipientKey: key }, data: { recipient: name } });
  }
}

function json(changes: Change[]): string {
  const parts = changes.map(({ tenantId, pushId, topic, expiresAt, status, times }) => {
    const shared = JSON.stringify([tenantId, pushId, topic, expiresAt, status]);
    return `${shared.slice(0, -1)},${times}]`;
  });
  return `[${parts.join()}]`;
}
