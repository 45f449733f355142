import type { TenantDatabase } from '../../../common/database/tenant-database.js';
import { raw, sql } from '../../../common/database/sql/sql.js';
import type { Part } from '../blob-store/blob-store.js';

const NUMBER = raw('CAST(value ->> 0 AS INTEGER)');
const SIZE = raw('CAST(value ->> 1 AS BIGINT)');

/** Replaces the counted parts of an upload with up to 10,000 listed parts, in two statements. */
export async function replaceParts(
  database: TenantDatabase,
  id: string,
  listed: Pick<Part, 'partNumber' | 'sizeBytes'>[],
): Promise<void> {
  const json = JSON.stringify(listed.map(({ partNumber, sizeBytes }) => [partNumber, sizeBytes]));
  const { dialect, tenantId } = database;
  const elements = dialect.elements(sql`${json}`, 'j');
  await database.$executeRaw(sql`
    DELETE FROM "MultipartPart"
    WHERE "uploadId" = ${id} AND "tenantId" = ${tenantId} AND "partNumber" NOT IN (SELECT ${NUMBER} FROM ${elements})`);
  await database.$executeRaw(sql`
    INSERT INTO "MultipartPart" ("uploadId", "partNumber", "tenantId", "sizeBytes")
    SELECT ${id}, ${NUMBER}, ${tenantId}, ${SIZE} FROM ${elements} WHERE true
    ON CONFLICT ("uploadId", "partNumber") DO UPDATE SET "sizeBytes" = excluded."sizeBytes"
    WHERE "MultipartPart"."sizeBytes" <> excluded."sizeBytes"`);
}
