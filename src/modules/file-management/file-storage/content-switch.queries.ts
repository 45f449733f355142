import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import type { FileModel } from '../../../generated/sqlite/models.js';

/** The columns of new content, with the time of the switch. */
export type SwitchedContent = Pick<FileModel, 'blobKey' | 'checksumSha256' | 'etag' | 'disposition' | 'contentType'> & {
  contentLength: bigint;
  storedAt: Date;
};

/**
 * Makes the statement that gives a file new content if it still has the blob and the type of `current` and has not expired. Returns the
 * id of the file where it did.
 */
export function contentSwitch(dialect: Dialect, current: FileModel, content: SwitchedContent): Sql {
  const now = dialect.time(content.storedAt);
  return sql`
    UPDATE "File" SET "blobKey" = ${content.blobKey}, "contentType" = ${content.contentType}, "contentLength" = ${content.contentLength},
      "checksumSha256" = ${content.checksumSha256}, "etag" = ${content.etag}, "disposition" = ${content.disposition},
      "storedAt" = ${now}, "updatedAt" = ${now},
      "status" = ${dialect.enumValue('done', 'StoredFileStatus')}, "errorCode" = NULL, "errorMessage" = NULL
    WHERE "tenantId" = ${current.tenantId} AND "id" = ${current.id} AND "contentType" = ${current.contentType}
      AND "blobKey" IS NOT DISTINCT FROM ${current.blobKey} AND ("expiresAt" IS NULL OR "expiresAt" > ${now})
    RETURNING "id"`;
}

/** Whether the file of an id has the content, as a condition in the transaction of the switch. */
export const hasContent = (id: Sql, { blobKey }: SwitchedContent): Sql =>
  sql`EXISTS (SELECT 1 FROM "File" WHERE "id" = ${id} AND "blobKey" = ${blobKey})`;
