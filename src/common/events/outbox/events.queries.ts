import type { Statements } from '../../database/database.js';
import { bulkInsert } from '../../database/sql/bulk-insert.js';
import type { Dialect } from '../../database/sql/dialect.js';
import { sql } from '../../database/sql/sql.js';

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
    body: 'text',
    bodyBytes: 'integer',
    dueAt: 'time',
  },
  { status: `'PENDING'`, attempts: '0' },
);

/** Inserts events by one statement, in a transaction of the caller. */
export async function insertEvents(dialect: Dialect, transaction: Statements, rows: NewEventRow[]): Promise<void> {
  const list = `[${rows.map((row) => EVENTS.element(dialect, row)).join()}]`;
  await transaction.$executeRaw(sql`${EVENTS.insert(dialect)} FROM ${EVENTS.table(dialect, sql`${list}`)}`);
}
