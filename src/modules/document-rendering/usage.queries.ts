import type { PrismaService } from '../../common/database/prisma.service.js';

/** How many templates tenants have, or one of them. */
export async function templateCounts(prisma: PrismaService, tenantId?: string): Promise<Map<string, number>> {
  const counts = await prisma.template.groupBy({ by: ['tenantId'], where: { tenantId }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}

/** How many stylesheets tenants have, or one of them. */
export async function stylesheetCounts(prisma: PrismaService, tenantId?: string): Promise<Map<string, number>> {
  const counts = await prisma.css.groupBy({ by: ['tenantId'], where: { tenantId }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}
