import type { SqliteSnapshot } from '../common/database/sqlite/sqlite-snapshot.js';

/** A key ends with the id of its file, a hyphen and an id of its own, of 36 characters each. */
const FILE_ID = `substr("blobKey", -73, 36)`;

/** Files of one id and content, in the copy or in the earlier one. */
const isOf = (tables: string) => `EXISTS (SELECT 1 FROM ${tables}"File" AS "f" WHERE "f"."id" = ${FILE_ID} AND "f"."blobKey" = "k"."blobKey")`; // prettier-ignore
const isPinnedIn = (tables: string) => `EXISTS (SELECT 1 FROM ${tables}"BlobPin" AS "p" WHERE "p"."blobKey" = "k"."blobKey")`;

/**
 * The contents that a copy of the database names, or those of them that the earlier copy does not. Content of expired files is left out,
 * which the server removes before it updates the row.
 */
export function* contentsOf(snapshot: SqliteSnapshot, isLater: boolean): Generator<string> {
  const isNew = isLater ? `AND NOT ${isOf('earlier.')} AND NOT ${isPinnedIn('earlier.')}` : '';
  const files = `SELECT "blobKey" FROM "File" AS "k" WHERE "blobKey" IS NOT NULL AND ("expiresAt" IS NULL OR "expiresAt" > ?) ${isNew}`;
  for (const { blobKey } of snapshot.rows<{ blobKey: string }>(files, Date.now())) yield blobKey;
  const pins = `SELECT DISTINCT "blobKey" FROM "BlobPin" AS "k" WHERE NOT ${isOf('main.')} ${isNew}`;
  for (const { blobKey } of snapshot.rows<{ blobKey: string }>(pins)) yield blobKey;
}

/** Whether the copy names this content. */
export function stillNamed(snapshot: SqliteSnapshot, key: string): boolean {
  const named = `SELECT 1 FROM (SELECT ? AS "blobKey") AS "k" WHERE ${isOf('main.')} OR ${isPinnedIn('main.')}`;
  return [...snapshot.rows(named, key)].length > 0;
}
