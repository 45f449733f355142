import type { PrismaService } from '../../common/database/prisma.service.js';

interface FileUsage {
  files: number;
  storedBytes: number;
}

/** What tenants have, or one of them, parts of open uploads included. In constant time for each: the sums are kept. */
export async function fileUsage(prisma: PrismaService, tenantId?: string): Promise<Map<string, FileUsage>> {
  const sums = await prisma.fileUsage.groupBy({
    by: ['tenantId'],
    where: { tenantId },
    _sum: { fileCount: true, fileSize: true, partSize: true },
  });
  return new Map(
    sums.map(({ tenantId: id, _sum: { fileCount, fileSize, partSize } }) => [
      id,
      { files: Number(fileCount), storedBytes: Number(fileSize) + Number(partSize) },
    ]),
  );
}
