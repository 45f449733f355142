import { type ColumnKinds, rowReader } from '../../common/database/columns.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import type { SizedStatement } from '../../common/database/sized-rows.js';
import { SqlValues, timeOfMs } from '../../common/database/sql-values.js';
import { MessageStatus } from './message-states.js';
import type { RecipientKey } from './recipient-key.js';

/** A message that waits for a recipient. A global one has its own id, and the same text for all. */
export interface WaitingMessage {
  id: string;
  global: boolean;
  message: string;
  topic: string | null;
  expiresAt: number | null;
}

export interface WaitingQuery {
  tenantId: string;
  recipientKey: string;
  /** That of the connection, which gets what has no topic or this one. */
  topic: string | null;
  /** Later ids only. */
  after: string;
  /** What cannot wait is asked for from this id on; usually nothing of it is. */
  fleetingFrom: string | undefined;
  limit: number;
}

/** SQLite has to be told: it would rather read all messages of the tenant, with which its primary keys begin. */
const by = (index: string, isPostgres: boolean): string => (isPostgres ? '' : `INDEXED BY "${index}"`);
const WAITING = 'Message_waiting_idx';
const EXPIRING = 'GlobalMessage_waiting_idx';

const MAY_WAIT = (isPostgres: boolean): string => `
  WITH w AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "recipientKey",
      ${timeOfMs('value ->> 2', isPostgres)} AS "now", value ->> 3 AS "index"
    FROM ${isPostgres ? 'json_array_elements($1::json)' : 'json_each(?)'})
  SELECT w."index" FROM w
  WHERE EXISTS (
      SELECT 1 FROM "Message" AS m ${by(WAITING, isPostgres)}
      WHERE m."tenantId" = w."tenantId" AND m."recipientKey" = w."recipientKey"
        AND m."status" = '${MessageStatus.PENDING}' AND NOT m."isGlobal" AND m."expiresAt" > w."now")
    OR EXISTS (SELECT 1 FROM "GlobalMessage" AS g WHERE g."tenantId" = w."tenantId" AND g."expiresAt" > w."now" AND g."cancelledAt" IS NULL)`;
/** Its parameter: tenant, recipient's key, now in milliseconds and index, of each. */
export const mayWaitStatements = { sqlite: MAY_WAIT(false), postgresql: MAY_WAIT(true) };

/** For each of many recipients, in one query, whether anything may wait for it: what is of another topic counts too. */
export async function mayWait(
  prisma: PrismaService,
  isPostgres: boolean,
  recipients: readonly RecipientKey[],
): Promise<boolean[]> {
  const now = Date.now();
  const json = recipients.map(({ tenantId, recipientKey }, index) => [tenantId, recipientKey, now, index]);
  const rows = await prisma.$queryArrays(mayWaitStatements[isPostgres ? 'postgresql' : 'sqlite'], [JSON.stringify(json)]);
  const found = new Set(rows.map(([index]) => Number(index)));
  return recipients.map((_, index) => found.has(index));
}

/** Characters of messages that are read at once. */
const READ_BYTES = 1024 * 1024;

/** What waits, in the order of its creation; whether there may be more. */
export async function waitingMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  query: WaitingQuery,
): Promise<{ messages: WaitingMessage[]; more: boolean }> {
  const { rows, bytes } = await prisma.$queryUpTo(waitingStatement(isPostgres, query), READ_BYTES);
  return { messages: rows.map(toWaiting), more: rows.length === query.limit || bytes > READ_BYTES };
}

const WAITING_COLUMNS: ColumnKinds<WaitingMessage> = {
  id: 'as it is',
  global: 'boolean',
  message: 'as it is',
  topic: 'as it is',
  expiresAt: 'number',
};
const toWaiting = rowReader(WAITING_COLUMNS);

/** Apart from its execution so that a test can have it explained. */
export function waitingStatement(
  isPostgres: boolean,
  { tenantId, recipientKey, topic, after, fleetingFrom, limit }: WaitingQuery,
): SizedStatement {
  const sql = new SqlValues(isPostgres);
  const now = new Date();
  const wanted = (table: string, id: string): string =>
    [
      `${table}."tenantId" = ${sql.value(tenantId)} AND ${id} > ${sql.value(after)}`,
      `(${table}."topic" IS NULL ${topic === null ? '' : `OR ${table}."topic" = ${sql.value(topic)}`})`,
      `(${table}."expiresAt" > ${sql.time(now)} ${fleetingFrom === undefined ? '' : fleeting(table, id, sql.value(fleetingFrom))})`,
    ].join(' AND ');
  const columns = (table: string, id: string, global: number): string =>
    `${id} AS "id", ${global} AS "global", ${table}."message", ${table}."topic", ${table}."expiresAt"`;
  const own = `
    SELECT ${columns('m', 'm."pushId"', 0)} FROM "Message" AS m ${by(WAITING, isPostgres)}
    WHERE ${wanted('m', 'm."pushId"')} AND m."recipientKey" = ${sql.value(recipientKey)}
      AND m."status" = '${MessageStatus.PENDING}' AND NOT m."isGlobal"`;
  const global = `
    SELECT ${columns('g', 'g."id"', 1)} FROM "GlobalMessage" AS g
    ${fleetingFrom === undefined ? by(EXPIRING, isPostgres) : ''} WHERE ${wanted('g', 'g."id"')} AND g."cancelledAt" IS NULL AND NOT EXISTS (
      SELECT 1 FROM "Message" AS r WHERE r."tenantId" = g."tenantId" AND r."pushId" = g."id" AND r."recipientKey" = ${sql.value(recipientKey)}
        AND r."status" <> '${MessageStatus.PENDING}')`;
  const expiresAt = isPostgres ? '(extract(epoch FROM "expiresAt") * 1000)::float8' : '"expiresAt"';
  const text = `SELECT "id", "global", "message", "topic", ${expiresAt} FROM (${own} UNION ALL ${global}) AS "waiting" ORDER BY "id" LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values, wanted: 'rows' };
}

const fleeting = (table: string, id: string, from: string): string => `OR ${table}."expiresAt" IS NULL AND ${id} >= ${from}`;
