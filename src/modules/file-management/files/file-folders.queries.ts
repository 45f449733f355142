import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { afterAllWith, KEY_LENGTH } from './file-filter.js';

export interface FoldersQuery {
  tenantId: string;
  prefix: string;
  /** Where the page begins: behind this folder. */
  after: string | undefined;
  limit: number;
}

/**
 * The name of a file up to its last slash, at most 500 characters of it; empty without a slash, null without a name. Spelled as in
 * the index File_tenantId_folder_id_idx, for the alias f. Takes a time that grows with the name, and not with its square.
 * A name that was changed to bytes in the database is read as a text, so that the index can always be built.
 */
export function folderKeyOf(dialect: Dialect): string {
  const name = 'f."name"';
  const lastPart = `json_extract('[' || replace(json_quote(CAST(${name} AS TEXT)), '/', '","') || ']', '$[#-1]')`;
  return dialect.pick({
    sqlite: `substr(${name}, 1, min(length(${name}) - length(${lastPart}), ${KEY_LENGTH}))`,
    postgresql: `left(${name}, least(length(${name}) + 1 - strpos(reverse('/' || ${name}), '/'), ${KEY_LENGTH}))`,
  });
}

/** Reads folder keys as `folderKeysStatement` selects them. */
export async function folderKeys(database: Database, query: FoldersQuery): Promise<string[]> {
  const rows = await database.of(query.tenantId).$cells(folderKeysStatement(database.dialect, query));
  return rows.map(([key]) => key as string);
}

/**
 * Selects the first folder key of each folder directly below a prefix: each step jumps past all files and folders within the
 * folder that it found, by one look at the index. Exported so that a test can have it explained.
 */
export function folderKeysStatement(dialect: Dialect, { tenantId, prefix, after, limit }: FoldersQuery): Sql {
  const key = raw(folderKeyOf(dialect));
  const end = afterAllWith(prefix);
  const below = end === undefined ? empty : sql`AND ${key} < ${end}`;
  const first = (from: Sql) =>
    sql`(SELECT ${key} FROM "File" AS f WHERE f."tenantId" = ${tenantId} AND ${key} ${from} ${below} ORDER BY ${key} LIMIT 1)`;
  const length = Array.from(prefix).length;
  const slash = raw(`${position(dialect)}(substr("step"."key", ${length + 1}), '/')`);
  // Everything in a folder sorts before its prefix with a 0 in place of the slash: 0 is the next character. A key that was cut ahead
  // of the next slash is of no folder that can be listed, and is passed over.
  const behind = sql`CASE WHEN ${slash} > 0 THEN substr("step"."key", 1, ${raw(String(length - 1))} + ${slash}) ELSE "step"."key" END || '0'`;
  const start = after === undefined ? sql`> ${prefix}` : sql`>= ${behindFolder(after)}`;
  return sql`
    WITH RECURSIVE "step"("key") AS (
      SELECT ${first(start)} UNION ALL SELECT ${first(sql`>= ${behind}`)} FROM "step" WHERE "step"."key" IS NOT NULL
    )
    SELECT "key" FROM "step" WHERE "key" IS NOT NULL LIMIT ${limit}`;
}

const behindFolder = (folder: string): string => `${folder.endsWith('/') ? folder.slice(0, -1) : folder}0`;

/** Selects names in a folder, but in none below it. */
export function directlyIn(dialect: Dialect, folder: string): Sql[] {
  const rest = raw(`${position(dialect)}(substr(f."name", ${Array.from(folder).length + 1}), '/') = 0`);
  return folder === '' ? [rest] : [...startingWith('f."name"', folder), rest];
}

/** A prefix as a range, which an index serves: both databases compare texts byte by byte. */
export function startingWith(column: string, prefix: string): Sql[] {
  const end = afterAllWith(prefix);
  return [sql`${raw(column)} >= ${prefix}`, ...(end === undefined ? [] : [sql`${raw(column)} < ${end}`])];
}

const position = (dialect: Dialect): string => dialect.pick({ sqlite: 'instr', postgresql: 'strpos' });
