import { bulkInsert } from '../../database/sql/bulk-insert.js';
import { type Dialect, POSTGRESQL } from '../../database/sql/dialect.js';
import { empty, type Sql, sql } from '../../database/sql/sql.js';

/** Event for one webhook, as first stored. */
export interface NewEventRow {
  webhookId: string;
  id: string;
  tenantId: string;
  type: string;
  subject: string;
  body: string;
  bodyBytes: number;
  /** Null if the events of the webhook are fetched. */
  dueAt: Date | null;
}

const EVENTS = bulkInsert<NewEventRow>(
  'Event',
  {
    webhookId: 'text',
    id: 'text',
    tenantId: 'text',
    type: 'text',
    subject: 'text',
    body: 'json',
    bodyBytes: 'integer',
    dueAt: 'time',
  },
  { status: `'PENDING'`, attempts: '0' },
);

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
