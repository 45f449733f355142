import type { PrismaService } from '../../common/database/prisma.service.js';

interface FileUsage {
  files: number;
  storedBytes: number;
}

/** What tenants have, or one of them. In constant time for each: the sums are kept with the files. */
export async function fileUsage(prisma: PrismaService, tenantId?: string): Promise<Map<string, FileUsage>> {
  const sums = await prisma.fileUsage.groupBy({
    by: ['tenantId'],
    where: { tenantId },
    _sum: { fileCount: true, fileSize: true },
  });
  return new Map(
    sums.map(({ tenantId: id, _sum: sum }) => [id, { files: Number(sum.fileCount), storedBytes: Number(sum.fileSize) }]),
  );
}
