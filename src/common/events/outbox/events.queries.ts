import { bulkInsert } from '../../database/sql/bulk-insert.js';
import { Columns, type RowOf } from '../../database/sql/columns.js';
import { type Dialect, POSTGRESQL } from '../../database/sql/dialect.js';
import { empty, type Sql, sql } from '../../database/sql/sql.js';
import type { EventModel } from '../../../generated/sqlite/models.js';

/** Columns of an event for one webhook. */
export const EVENT = new Columns<EventModel>('Event', {
  webhookId: 'key',
  id: 'key',
  tenantId: 'key',
  type: 'key',
  subject: 'key',
  body: 'json',
  bodyBytes: 'integer',
  status: 'key',
  attempts: 'integer',
  dueAt: 'time',
  attemptedAt: 'time',
  responseStatus: 'integer',
  answer: 'text',
  durationMs: 'integer',
  lastError: 'text',
  attemptLog: 'text',
});

const NEW_EVENT = EVENT.pick('webhookId', 'id', 'tenantId', 'type', 'subject', 'body', 'bodyBytes', 'dueAt');
/** An event as it is stored first. `dueAt` is null for a webhook whose events are fetched. */
export type NewEventRow = RowOf<typeof NEW_EVENT>;

const EVENTS = bulkInsert(NEW_EVENT, { status: `'PENDING'`, attempts: '0' });

/** Builds the statement that inserts events. `isChanged` is a condition on the subject of each. */
export function insertEvents(dialect: Dialect, rows: NewEventRow[], isChanged?: (subject: Sql) => Sql): Sql {
  const list = `[${rows.map((row) => EVENTS.element(dialect, row)).join()}]`;
  const where = isChanged ? sql`WHERE ${isChanged(EVENTS.value(dialect, 'subject'))}` : empty;
  return sql`${EVENTS.insert(dialect)} FROM ${EVENTS.table(dialect, sql`${list}`)} ${where}`;
}

/** Combines a change and its events in one statement on PostgreSQL: a transaction would take three more round trips. */
export function changeWithEvents(change: Sql, rows: NewEventRow[], { returnsIds }: { returnsIds: boolean }): Sql {
  if (!returnsIds) return sql`WITH "changed" AS (${change}) ${insertEvents(POSTGRESQL, rows)}`;
  const isChanged = (subject: Sql): Sql => sql`EXISTS (SELECT 1 FROM "changed" WHERE "id" = ${subject})`;
  return sql`
    WITH "changed" AS (${change}), "stored" AS (${insertEvents(POSTGRESQL, rows, isChanged)})
    SELECT "id" FROM "changed"`;
}
