import type { PrismaService } from '../../common/database/prisma.service.js';
import { lowestIdAt } from '../../common/ids/ids.js';

export const DAY_MS = 24 * 3_600_000;

/** When the present day began, UTC, in milliseconds since 1970. */
export const startOfDay = (nowMs = Date.now()): number => nowMs - (nowMs % DAY_MS);

/** How many mails were accepted since midnight, UTC, of tenants or one of them. */
export async function mailsToday(prisma: PrismaService, tenantId?: string): Promise<Map<string, number>> {
  const where = { tenantId, id: { gte: lowestIdAt(startOfDay()) } };
  const counts = await prisma.email.groupBy({ by: ['tenantId'], where, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}
