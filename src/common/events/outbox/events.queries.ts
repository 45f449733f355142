import { bulkInsert } from '../../database/sql/bulk-insert.js';
import { type Dialect, POSTGRESQL } from '../../database/sql/dialect.js';
import { empty, type Sql, sql } from '../../database/sql/sql.js';

/** An event for one webhook, as it is stored first. */
export interface NewEventRow {
  webhookId: string;
  id: string;
  tenantId: string;
  type: string;
  subject: string;
  body: string;
  bodyBytes: number;
  /** Null for a webhook whose events are fetched. */
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

/** Makes the statement that inserts events. `isThere` is a condition on the subject of each. */
export function insertEvents(dialect: Dialect, rows: NewEventRow[], isThere?: (subject: Sql) => Sql): Sql {
  const list = `[${rows.map((row) => EVENTS.element(dialect, row)).join()}]`;
  const where = isThere ? sql`WHERE ${isThere(EVENTS.value(dialect, 'subject'))}` : empty;
  return sql`${EVENTS.insert(dialect)} FROM ${EVENTS.table(dialect, sql`${list}`)} ${where}`;
}

/** On PostgreSQL, one statement for a change and its events: a transaction would take three more round trips. */
export function changeWithEvents(change: Sql, rows: NewEventRow[], { returnsIds }: { returnsIds: boolean }): Sql {
  if (!returnsIds) return sql`WITH "changed" AS (${change}) ${insertEvents(POSTGRESQL, rows)}`;
  const isThere = (subject: Sql): Sql => sql`EXISTS (SELECT 1 FROM "changed" WHERE "id" = ${subject})`;
  return sql`
    WITH "changed" AS (${change}), "told" AS (${insertEvents(POSTGRESQL, rows, isThere)})
    SELECT "id" FROM "changed"`;
}
