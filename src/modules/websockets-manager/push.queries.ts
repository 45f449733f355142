import type { PrismaService } from '../../common/database/prisma.service.js';
import { timeOfMs } from '../../common/database/sql-values.js';
import type { MessageStatus } from './message-states.js';

/** The messages of one push, as they are stored. Times in milliseconds. */
export interface NewMessages {
  tenantId: string;
  message: string;
  topic: string | null;
  expiresAt: number | null;
  recipients: { id: string; key: string; name: string | null; status: MessageStatus; cancelledAt: number | null }[];
}

export interface NewGlobalMessage {
  tenantId: string;
  id: string;
  message: string;
  topic: string | null;
  expiresAt: number | null;
}

type Transaction = Pick<PrismaService, '$executeRawUnsafe'>;

const COLUMNS = '"tenantId","pushId","recipientKey","recipient","message","topic","status","expiresAt","cancelledAt","isGlobal"';
// What a push shares is taken out of it once, not once for each recipient.
const INSERT_ON_SQLITE = `
  WITH p AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "message", value ->> 2 AS "topic", value ->> 3 AS "expiresAt", value -> 4 AS "rows"
    FROM json_each(?))
  INSERT INTO "Message" (${COLUMNS})
  SELECT p."tenantId", r.value ->> 0, r.value ->> 1, r.value ->> 2, p."message", p."topic", r.value ->> 3, p."expiresAt", r.value ->> 4, 0
  FROM p, json_each(p."rows") AS r WHERE true`;
const INSERT_ON_POSTGRES = `
  WITH p AS MATERIALIZED (
    SELECT j ->> 0 AS "tenantId", j ->> 1 AS "message", j ->> 2 AS "topic", ${timeOfMs('j ->> 3', true)} AS "expiresAt", j -> 4 AS "rows"
    FROM json_array_elements($1::json) AS j)
  INSERT INTO "Message" (${COLUMNS})
  SELECT p."tenantId", r ->> 0, r ->> 1, r ->> 2, p."message", p."topic", r ->> 3, p."expiresAt", ${timeOfMs('r ->> 4', true)}, false
  FROM p, json_array_elements(p."rows") AS r`;

/** Stores the messages of several pushes in one statement with one parameter, which holds the text of each push once. */
export async function insertMessages(database: Transaction, isPostgres: boolean, pushes: NewMessages[]): Promise<void> {
  const json = pushes.map(({ tenantId, message, topic, expiresAt, recipients }) => [
    tenantId,
    message,
    topic,
    expiresAt,
    recipients.map(({ id, key, name, status, cancelledAt }) => [id, key, name, status, cancelledAt]),
  ]);
  await database.$executeRawUnsafe(isPostgres ? INSERT_ON_POSTGRES : INSERT_ON_SQLITE, JSON.stringify(json));
}

const GLOBAL_COLUMNS = '"tenantId","id","message","topic","expiresAt"';
const INSERT_GLOBAL_ON_SQLITE = `
  INSERT INTO "GlobalMessage" (${GLOBAL_COLUMNS})
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?) WHERE true`;
const INSERT_GLOBAL_ON_POSTGRES = `
  INSERT INTO "GlobalMessage" (${GLOBAL_COLUMNS})
  SELECT p ->> 0, p ->> 1, p ->> 2, p ->> 3, ${timeOfMs('p ->> 4', true)} FROM json_array_elements($1::json) AS p`;

export async function insertGlobalMessages(
  database: Transaction,
  isPostgres: boolean,
  messages: NewGlobalMessage[],
): Promise<void> {
  const json = messages.map(({ tenantId, id, message, topic, expiresAt }) => [tenantId, id, message, topic, expiresAt]);
  await database.$executeRawUnsafe(isPostgres ? INSERT_GLOBAL_ON_POSTGRES : INSERT_GLOBAL_ON_SQLITE, JSON.stringify(json));
}
