import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import type { MultipartUploadModel } from '../../generated/sqlite/models.js';
import type { Part } from './blob-store/blob-store.js';

type Statements = Pick<PrismaService, '$executeRawUnsafe'>;

/** Makes the parts that are counted of an upload those that are listed, up to 10,000, in two statements. */
export async function replaceParts(
  database: Statements,
  isPostgres: boolean,
  { id, tenantId }: MultipartUploadModel,
  listed: Pick<Part, 'partNumber' | 'sizeBytes'>[],
): Promise<void> {
  const json = JSON.stringify(listed.map(({ partNumber, sizeBytes }) => [partNumber, sizeBytes]));
  const elements = (parameter: string) =>
    isPostgres ? `json_array_elements(${parameter}::json) AS j(value)` : `json_each(${parameter})`;
  const number = isPostgres ? '(value ->> 0)::integer' : 'value ->> 0';
  const size = isPostgres ? '(value ->> 1)::bigint' : 'value ->> 1';
  const removal = new SqlValues(isPostgres);
  await database.$executeRawUnsafe(
    `DELETE FROM "MultipartPart" WHERE "uploadId" = ${removal.value(id)}
     AND "partNumber" NOT IN (SELECT ${number} FROM ${elements(removal.value(json))})`,
    ...removal.values,
  );
  const addition = new SqlValues(isPostgres);
  await database.$executeRawUnsafe(
    `INSERT INTO "MultipartPart" ("uploadId", "partNumber", "tenantId", "sizeBytes")
     SELECT ${addition.value(id)}, ${number}, ${addition.value(tenantId)}, ${size} FROM ${elements(addition.value(json))} WHERE true
     ON CONFLICT ("uploadId", "partNumber") DO UPDATE SET "sizeBytes" = excluded."sizeBytes"
     WHERE "MultipartPart"."sizeBytes" <> excluded."sizeBytes"`,
    ...addition.values,
  );
}
