import type { Database, Statements } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { bytesOf } from '../../../common/database/sql/sized-rows.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { type Pair, pairsOf } from './email-row.js';

/** Attachment as stored in a JSON list. */
type StoredAttachment = [name: string, contentType: string, sizeBytes: number, blobKey: string, contentId: string | null];

export interface StoredContent {
  id: string;
  html: string | null;
  text: string | null;
  attachments: StoredAttachment[];
  headers: Pair[];
}

interface ContentsWanted {
  tenantId: string;
  ids: string[];
}

/** Selects the attachments of a QUEUED message `e` as JSON, by position. */
const attachments = (dialect: Dialect): string => {
  const columns = 'a."name", a."contentType", a."sizeBytes", a."blobKey", a."contentId"';
  const list = dialect.pick({
    sqlite: `json_group_array(json_array(${columns}) ORDER BY a."position")`,
    postgresql: `json_agg(json_build_array(${columns}) ORDER BY a."position")::text`,
  });
  return `CASE WHEN e."hasAttachments" THEN (SELECT ${list} FROM "EmailAttachment" AS a WHERE a."emailId" = e."id") END`;
};

const ATTACHMENT_BYTES = `CASE WHEN e."hasAttachments" THEN
  (SELECT sum(${bytesOf(['a."name"', 'a."contentType"', 'a."blobKey"', 'a."contentId"'])}) FROM "EmailAttachment" AS a WHERE a."emailId" = e."id") END`;
const BYTES = `CASE WHEN c."emailId" IS NULL THEN ${bytesOf(['e."html"', 'e."text"', 'e."headers"'])} + coalesce(${ATTACHMENT_BYTES}, 0)
  ELSE ${bytesOf(['c."html"', 'c."text"', 'c."attachments"', 'c."headers"'])} END`;

/** Joins the EmailContent row `c` of a message `e`. Without this row, the content is in "Email" and "EmailAttachment". */
const WITH_CONTENT = 'LEFT JOIN "EmailContent" AS c ON c."emailId" = e."id"';
const either = (column: string, waiting: string): string =>
  `CASE WHEN c."emailId" IS NULL THEN ${waiting} ELSE c."${column}" END`;

/**
 * Copies the content of messages `e` to "EmailContent", in the transaction that finishes them. Skips a message from which a person was
 * erased: its row is already there, empty.
 */
export async function keepContents(transaction: Statements, dialect: Dialect, condition: Sql): Promise<void> {
  const lock = dialect.pick({ sqlite: empty, postgresql: raw('FOR NO KEY UPDATE OF e') });
  await transaction.$executeRaw(sql`
    INSERT INTO "EmailContent" ("emailId", "html", "text", "attachments", "headers")
    SELECT e."id", e."html", e."text", ${raw(attachments(dialect))}, e."headers" FROM "Email" AS e
    WHERE ${condition} AND ${dialect.unindexed}e."status" = 'QUEUED' ORDER BY e."id" ${lock} ON CONFLICT ("emailId") DO NOTHING`);
}

/** Returns the size of each content without reading it. */
export async function sizesOfContents(database: Database, { tenantId, ids }: ContentsWanted): Promise<Map<string, number>> {
  const rows = await database.of(tenantId).$cells(sql`
    SELECT e."id", ${raw(BYTES)} FROM "Email" AS e ${raw(WITH_CONTENT)}
    WHERE e."tenantId" = ${tenantId} AND e."id" IN (${database.dialect.texts(ids)})`);
  return new Map(rows.map(([id, bytes]) => [String(id), Number(bytes)]));
}

/** Returns the contents of messages. Both bodies are null if the content is not stored. */
export async function readContents(database: Database, { tenantId, ids }: ContentsWanted): Promise<StoredContent[]> {
  const { dialect } = database;
  const columns = [
    either('html', 'e."html"'),
    either('text', 'e."text"'),
    either('attachments', attachments(dialect)),
    either('headers', 'e."headers"'),
  ];
  const rows = await database.of(tenantId).$cells(sql`
    SELECT e."id", ${raw(columns.join())} FROM "Email" AS e ${raw(WITH_CONTENT)}
    WHERE e."tenantId" = ${tenantId} AND e."id" IN (${dialect.texts(ids)})`);
  return (rows as [string, ...(string | null)[]][]).map(([id, html = null, text = null, json = null, headers = null]) => ({
    id,
    html,
    text,
    attachments: json === null ? [] : (JSON.parse(json) as StoredAttachment[]),
    headers: pairsOf(headers),
  }));
}
