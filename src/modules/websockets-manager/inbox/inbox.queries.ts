import { mapper } from '../../../common/database/sql/columns.js';
import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { Walk } from '../../../common/database/sql/index-walks.js';
import { jsonRows } from '../../../common/database/sql/bulk-insert.js';
import { sizedColumns, sizesOf } from '../../../common/database/sql/sized-rows.js';
import { allOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { PageRows, PageWanted } from '../../../common/lists/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import { LISTED_MESSAGE, MESSAGE, type MessageKey, type MessageRow } from '../messages/message-row.js';
import { MESSAGES_PER_STATEMENT } from '../models/limits.js';
import { InboxState } from '../models/inbox.js';
import type { RecipientKey } from '../models/recipient-key.js';

export interface InboxWanted extends RecipientKey {
  isRead: boolean | undefined;
  isArchived: boolean;
  /** Id of the last message of the previous page. */
  after: string | undefined;
}

const IN_INBOX = 'Message_inbox_idx';
/** Conditions of the index. */
const STAYS = raw(`m."inbox" AND m."archivedAt" IS NULL AND m."status" <> 'CANCELLED'`);
const isCurrent = (dialect: Dialect): Sql => sql`m."expiresAt" > ${dialect.time(new Date())}`;

const LISTED = mapper(LISTED_MESSAGE);
const SIZES = sizesOf(LISTED_MESSAGE, 'm');

/** Lists an inbox by its index. Archived messages are found among all of the recipient. Exported for a query plan test. */
export function inboxList(dialect: Dialect, { tenantId, recipientKey, isRead, isArchived }: InboxWanted): SteppedList {
  const all = LISTED.columns(dialect, 'm');
  const rest = isArchived ? [raw('m."inbox" AND m."archivedAt" IS NOT NULL')] : [isCurrent(dialect)];
  if (isRead !== undefined) rest.push(raw(`m."readAt" IS ${isRead ? 'NOT NULL' : 'NULL'}`));
  const walk: Walk = {
    table: '"Message"',
    alias: 'm',
    rowKey: ['"tenantId"', '"pushId"', '"recipientKey"'],
    order: ['m."pushId"'],
    cursor: 'm."pushId"',
    hint: dialect.indexedBy(isArchived ? 'Message_tenantId_recipientKey_idx' : IN_INBOX),
    served: ({ after, downTo }) => [
      ...ofRecipient({ tenantId, recipientKey }),
      isArchived ? raw('NOT m."isGlobal"') : STAYS,
      ...(after === undefined ? [] : [sql`m."pushId" < ${after}`]),
      ...(downTo === undefined ? [] : [sql`m."pushId" >= ${downTo}`]),
    ],
    rest,
  };
  const columns: SteppedList['columns'] = (limit, wanted) => sizedColumns(dialect, wanted, limit, { all, ...SIZES });
  return { dialect, columns, columnCount: LISTED.count, parts: [[walk]] };
}

const ofRecipient = ({ tenantId, recipientKey }: RecipientKey): Sql[] => [
  sql`m."tenantId" = ${tenantId}`,
  sql`m."recipientKey" = ${recipientKey}`,
];

/** Returns a page of an inbox, newest first. */
export async function pageOfInbox(
  database: Database,
  wanted: InboxWanted,
  page: PageWanted,
): Promise<{ rows: MessageRow[]; more: PageRows['more'] }> {
  const list = inboxList(database.dialect, wanted);
  const { rows, more } = await readSteppedPage(database.of(wanted.tenantId), list, { ...page, after: wanted.after });
  return { rows: rows.map(LISTED.row), more };
}

/** Change of a state: the columns it sets to a time, and the messages it changes. */
const CHANGES: Record<InboxState, { set: (time: Sql) => Sql; changes: string }> = {
  SEEN: { set: (time) => sql`"seenAt" = ${time}`, changes: 'm."seenAt" IS NULL' },
  READ: {
    set: (time) => sql`"readAt" = ${time}, "seenAt" = coalesce("seenAt", ${time})`,
    // Means IS NULL, but PostgreSQL must not read all unread messages for it.
    changes: `COALESCE(m."readAt", '-infinity') = '-infinity'`,
  },
  UNREAD: { set: () => sql`"readAt" = NULL`, changes: 'm."readAt" IS NOT NULL' },
  ARCHIVED: { set: (time) => sql`"archivedAt" = ${time}`, changes: 'm."archivedAt" IS NULL' },
};

const setOf = (dialect: Dialect, state: InboxState): Sql => CHANGES[state].set(dialect.time(new Date()));

/** Means STAYS and isCurrent, but is served by no index: PostgreSQL must look up each message by its primary key. */
const isInInbox = (dialect: Dialect): Sql => sql`
  m."inbox" AND m."archivedAt" IS NULL AND COALESCE(m."status", '') <> 'CANCELLED'
  AND ${raw(dialect.pick({ sqlite: 'm."expiresAt"', postgresql: `COALESCE(m."expiresAt", '-infinity')` }))} > ${dialect.time(new Date())}`;

const KEYS = jsonRows<MessageKey>(MESSAGE.pick('tenantId', 'pushId', 'recipientKey').kinds);

const KEY_OF_CHANGED = { sqlite: '"tenantId", "recipientKey"', postgresql: 'm."tenantId", m."recipientKey"' };

/** Marks messages by key: one that expires or is archived meanwhile has left the inbox and stays unchanged. Returns the keys of those changed. Exported for a query plan test. */
export function markStatement(dialect: Dialect, state: InboxState, keys: MessageKey[]): Sql {
  // Fixed order, as of confirmations of the same messages, to avoid deadlocks.
  const elements = keys.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)).map((key) => KEYS.element(dialect, key));
  const list = `[${elements.join()}]`;
  return sql`
    WITH k AS MATERIALIZED (SELECT ${KEYS.columns(dialect)} FROM ${KEYS.table(dialect, sql`${list}`)})
    UPDATE "Message" AS m SET ${setOf(dialect, state)} FROM k
    WHERE m."tenantId" = k."tenantId" AND m."pushId" = k."pushId" AND m."recipientKey" = k."recipientKey"
      AND ${isInInbox(dialect)} AND ${raw(CHANGES[state].changes)}
    RETURNING ${raw(dialect.pick(KEY_OF_CHANGED))}`;
}

const orderOf = ({ pushId, recipientKey }: MessageKey): string => pushId + recipientKey;

/** Marks messages by key. Returns the tenants and recipients of those changed. */
export async function markMessages(database: Database, state: InboxState, keys: MessageKey[]): Promise<RecipientKey[]> {
  const rows = await database.acrossTenants('each mark brings its tenant').$cells(markStatement(database.dialect, state, keys));
  return rows.map(([tenantId, recipientKey]) => ({ tenantId: String(tenantId), recipientKey: String(recipientKey) }));
}

/** Ids of a step through an inbox, from the newest on. */
export interface InboxRange extends RecipientKey {
  /** Upper bound, exclusive. */
  below: string;
}

/** Finds the last id of a step through an inbox, if there are that many. Exported for a query plan test. */
export const stepStatement = (dialect: Dialect, { below, ...recipient }: InboxRange): Sql => sql`
  SELECT m."pushId" FROM "Message" AS m ${dialect.indexedBy(IN_INBOX)}
  WHERE ${allOf(ofRecipient(recipient))} AND ${STAYS} AND m."pushId" < ${below}
  ORDER BY m."pushId" DESC LIMIT 1 OFFSET ${raw(String(MESSAGES_PER_STATEMENT - 1))}`;

/** Marks the messages of a step. Exported for a query plan test. */
export const markStepStatement = (
  dialect: Dialect,
  state: InboxState,
  { below, ...recipient }: InboxRange,
  downTo: string,
): Sql => sql`
  UPDATE "Message" AS m ${dialect.indexedBy(IN_INBOX)} SET ${setOf(dialect, state)}
  WHERE ${allOf(ofRecipient(recipient))} AND ${STAYS} AND m."pushId" < ${below} AND m."pushId" >= ${downTo}
    AND ${isCurrent(dialect)} AND ${raw(CHANGES[state].changes)}`;

/** Marks the next messages of an inbox. Returns the number changed, and the id below which the next step begins, if any. */
export async function markStep(
  database: Database,
  state: InboxState,
  range: InboxRange,
): Promise<{ changed: number; below: string | undefined }> {
  const own = database.of(range.tenantId);
  const [row] = await own.$cells(stepStatement(database.dialect, range));
  const below = row?.[0] as string | undefined;
  return { changed: await own.$executeRaw(markStepStatement(database.dialect, state, range, below ?? '')), below };
}
