import type { Database } from '../../../common/database/database.js';

interface FileUsage {
  files: number;
  storedBytes: number;
}

/**
 * Returns the usage of the given or all tenants, including parts of open uploads. Constant time per tenant, since triggers maintain
 * the totals.
 */
export async function fileUsage(database: Database, tenantIds?: string[]): Promise<Map<string, FileUsage>> {
  const { fileUsage: usage } = database.acrossTenants('the usage of several tenants is read in one statement');
  const sums = await usage.groupBy({
    by: ['tenantId'],
    where: { tenantId: { in: tenantIds } },
    _sum: { fileCount: true, fileSize: true, partSize: true },
  });
  return new Map(
    sums.map(({ tenantId: id, _sum: { fileCount, fileSize, partSize } }) => [
      id,
      { files: Number(fileCount), storedBytes: Number(fileSize) + Number(partSize) },
    ]),
  );
}
