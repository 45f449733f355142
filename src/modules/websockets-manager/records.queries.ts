import type { PrismaService } from '../../common/database/prisma.service.js';
import { MessageStatus } from './message-states.js';

/** Something that happened to the message of one recipient. Times in milliseconds. */
export interface MessageChange {
  tenantId: string;
  id: string;
  status: MessageStatus;
  sentAt: number | null;
  deliveredAt: number | null;
  cancelledAt: number | null;
}

/** The same for a recipient's part of a global message, which is made with it when it is not there. */
export interface GlobalRecord extends MessageChange {
  key: string;
  name: string | null;
  topic: string | null;
  expiresAt: number | null;
  globalMessageId: string;
}

const CHANGE = ['tenantId', 'id', 'status', 'sentAt', 'deliveredAt', 'cancelledAt'] as const;
const RECORD = [...CHANGE, 'key', 'name', 'topic', 'expiresAt', 'globalMessageId'] as const;
const TIMES = new Set<string>(['sentAt', 'deliveredAt', 'cancelledAt', 'expiresAt']);

/** The members of an array in JSON, as columns. */
function columns(names: readonly string[], isPostgres: boolean): string {
  return names
    .map((name, index) => {
      const value = isPostgres ? `j ->> ${index}` : `value ->> ${index}`;
      const time = `(to_timestamp((${value})::float8 / 1000) AT TIME ZONE 'UTC')::timestamp(3)`;
      return `${isPostgres && TIMES.has(name) ? time : value} AS "${name}"`;
    })
    .join();
}

const from = (isPostgres: boolean): string => (isPostgres ? 'json_array_elements($1::json) AS j' : 'json_each(?)');

const UPDATE = (isPostgres: boolean): string => `
  UPDATE "Message" SET "status" = c."status", "sentAt" = coalesce("Message"."sentAt", c."sentAt"),
    "deliveredAt" = c."deliveredAt", "cancelledAt" = c."cancelledAt"
  FROM (SELECT ${columns(CHANGE, isPostgres)} FROM ${from(isPostgres)}) AS c
  WHERE "Message"."tenantId" = c."tenantId" AND "Message"."id" = c."id" AND "Message"."status" = '${MessageStatus.PENDING}'`;

const UPSERT = (isPostgres: boolean): string => `
  INSERT INTO "Message" ("tenantId","id","recipientKey","recipient","topic","status","expiresAt","sentAt","deliveredAt","cancelledAt","globalMessageId")
  SELECT "tenantId","id","key","name","topic","status","expiresAt","sentAt","deliveredAt","cancelledAt","globalMessageId"
  FROM (SELECT ${columns(RECORD, isPostgres)} FROM ${from(isPostgres)}) AS c WHERE true
  ON CONFLICT ("globalMessageId", "recipientKey") WHERE "globalMessageId" IS NOT NULL
  DO UPDATE SET "status" = excluded."status", "deliveredAt" = excluded."deliveredAt", "cancelledAt" = excluded."cancelledAt"
  WHERE "Message"."status" = '${MessageStatus.PENDING}' AND excluded."status" <> '${MessageStatus.PENDING}'`;

const statements = {
  update: { sqlite: UPDATE(false), postgresql: UPDATE(true) },
  upsert: { sqlite: UPSERT(false), postgresql: UPSERT(true) },
};

/** Only PENDING messages change: see message-states.ts. */
export async function changeMessages(prisma: PrismaService, isPostgres: boolean, changes: MessageChange[]): Promise<void> {
  const json = JSON.stringify(changes.map((change) => CHANGE.map((name) => change[name])));
  await prisma.$executeRawUnsafe(statements.update[isPostgres ? 'postgresql' : 'sqlite'], json);
}

/** One record for a global message and recipient, whatever the number of nodes that tell of it. */
export async function recordGlobal(prisma: PrismaService, isPostgres: boolean, records: GlobalRecord[]): Promise<void> {
  const json = JSON.stringify(records.map((record) => RECORD.map((name) => record[name])));
  await prisma.$executeRawUnsafe(statements.upsert[isPostgres ? 'postgresql' : 'sqlite'], json);
}
