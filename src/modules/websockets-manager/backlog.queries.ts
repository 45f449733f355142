import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { MessageStatus } from './message-states.js';

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

/** What waits, in the order of its creation. */
export async function waitingMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  { tenantId, recipientKey, topic, after, fleetingFrom, limit }: WaitingQuery,
): Promise<WaitingMessage[]> {
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
    SELECT ${columns('m', 'm."pushId"', 0)} FROM "Message" AS m WHERE ${wanted('m', 'm."pushId"')} AND m."recipientKey" = ${sql.value(recipientKey)}
      AND m."status" = '${MessageStatus.PENDING}' AND NOT m."isGlobal"`;
  const global = `
    SELECT ${columns('g', 'g."id"', 1)} FROM "GlobalMessage" AS g WHERE ${wanted('g', 'g."id"')} AND NOT EXISTS (
      SELECT 1 FROM "Message" AS r WHERE r."tenantId" = g."tenantId" AND r."pushId" = g."id" AND r."recipientKey" = ${sql.value(recipientKey)}
        AND r."status" <> '${MessageStatus.PENDING}')`;
  const text = `SELECT * FROM (${own} UNION ALL ${global}) AS "waiting" ORDER BY "id" LIMIT ${sql.value(limit)}`;
  const rows = await prisma.$queryRawUnsafe<Row[]>(text, ...sql.values);
  return rows.map(({ expiresAt, global, ...row }) => ({
    ...row,
    global: Boolean(global),
    expiresAt: expiresAt === null ? null : Number(expiresAt),
  }));
}

/** As the databases tell of a union: SQLite knows no types there. */
type Row = Omit<WaitingMessage, 'global' | 'expiresAt'> & { global: number; expiresAt: Date | bigint | number | null };

const fleeting = (table: string, id: string, from: string): string => `OR ${table}."expiresAt" IS NULL AND ${id} >= ${from}`;
