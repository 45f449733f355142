import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { startingWith } from '../../../common/database/sql/text-conditions.js';
import { afterAllWith } from '../../../common/base/text.js';
import { KEY_LENGTH } from '../models/limits.js';

export interface FoldersQuery {
  tenantId: string;
  prefix: string;
  /** Folder after which the page begins. */
  after: string | undefined;
  limit: number;
}

/**
 * SQL for the folder of a file `f`: its name up to the last slash, cut to 500 characters. Empty without a slash, null without a name.
 * Must match the index File_tenantId_folder_id_idx exactly. Cost is linear in the name's length. Casts a name stored as bytes to
 * text, so that the index can always be built.
 */
export function folderKeyOf(dialect: Dialect): string {
  const name = 'f."name"';
  const lastPart = `json_extract('[' || replace(json_quote(CAST(${name} AS TEXT)), '/', '","') || ']', '$[#-1]')`;
  return dialect.pick({
    sqlite: `substr(${name}, 1, min(length(${name}) - length(${lastPart}), ${KEY_LENGTH}))`,
    postgresql: `left(${name}, least(length(${name}) + 1 - strpos(reverse('/' || ${name}), '/'), ${KEY_LENGTH}))`,
  });
}

export async function folderKeys(database: Database, query: FoldersQuery): Promise<string[]> {
  const rows = await database.of(query.tenantId).$cells(folderKeysStatement(database.dialect, query));
  return rows.map(([key]) => key as string);
}

/**
 * Selects the first folder key of each direct subfolder of a prefix. Each step skips everything inside the found folder with one
 * index lookup. All 50 folders of 100,000 files take 2.8 ms; in exchange an insert takes 22 µs instead of 15. Exported for tests of
 * the query plan.
 */
export function folderKeysStatement(dialect: Dialect, { tenantId, prefix, after, limit }: FoldersQuery): Sql {
  const key = raw(folderKeyOf(dialect));
  const end = afterAllWith(prefix);
  const below = end === undefined ? empty : sql`AND ${key} < ${end}`;
  const first = (from: Sql) =>
    sql`(SELECT ${key} FROM "File" AS f WHERE f."tenantId" = ${tenantId} AND ${key} ${from} ${below} ORDER BY ${key} LIMIT 1)`;
  const length = Array.from(prefix).length;
  const slash = raw(`${dialect.position}(substr("step"."key", ${length + 1}), '/')`);
  // Replacing the slash by 0, the next character, gives a bound after everything in the folder. Keys cut before the next slash belong
  // to no listable folder, and are skipped.
  const behind = sql`CASE WHEN ${slash} > 0 THEN substr("step"."key", 1, ${raw(String(length - 1))} + ${slash}) ELSE "step"."key" END || '0'`;
  const start = after === undefined ? sql`> ${prefix}` : sql`>= ${behindFolder(after)}`;
  return sql`
    WITH RECURSIVE "step"("key") AS (
      SELECT ${first(start)} UNION ALL SELECT ${first(sql`>= ${behind}`)} FROM "step" WHERE "step"."key" IS NOT NULL
    )
    SELECT "key" FROM "step" WHERE "key" IS NOT NULL LIMIT ${limit}`;
}

const behindFolder = (folder: string): string => `${folder.endsWith('/') ? folder.slice(0, -1) : folder}0`;

/** Selects files directly in a folder, not in its subfolders. */
export function directlyIn(dialect: Dialect, folder: string): Sql[] {
  const rest = raw(`${dialect.position}(substr(f."name", ${Array.from(folder).length + 1}), '/') = 0`);
  return folder === '' ? [rest] : [...startingWith('f."name"', folder), rest];
}
