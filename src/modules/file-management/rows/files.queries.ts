import type { Caller } from '../../../common/auth/caller.js';
import type { Database } from '../../../common/database/database.js';
import { isId } from '../../../common/ids/ids.js';
import type { FileRow } from './file-row.js';

/** Reads a file of the caller's tenant. The most frequent read: without Prisma's query building it costs half. */
export async function ownRow(database: Database, { tenantId }: Caller, id: string): Promise<FileRow | null> {
  if (!isId(id)) return null;
  const [row] = await database.$queryRaw<FileRow[]>`SELECT * FROM "File" WHERE "id" = ${id} AND "tenantId" = ${tenantId}`;
  return row ?? null;
}
