import type { Config } from './common/config/config.js';
import type { PrismaService } from './common/database/prisma.service.js';
import type { TenantLimits } from './common/tenants/limits.js';
import { stylesheetCounts, templateCounts } from './modules/document-rendering/usage.queries.js';
import { mailsToday } from './modules/email/usage.queries.js';
import { fileUsage } from './modules/file-management/usage.queries.js';
import { waitingCounts } from './modules/websockets-manager/usage.queries.js';

/** What tenants have of all that is limited, or one of them, by tenant; a tenant that has nothing is shown with zeros. */
export async function tenantUsage(
  prisma: PrismaService,
  { isPostgres }: Config,
  tenantId?: string,
): Promise<(tenantId: string) => TenantLimits> {
  const [files, waiting, templates, stylesheets, mails] = await Promise.all([
    fileUsage(prisma, tenantId),
    waitingCounts(prisma, isPostgres, tenantId),
    templateCounts(prisma, tenantId),
    stylesheetCounts(prisma, tenantId),
    mailsToday(prisma, tenantId),
  ]);
  return (id) => ({
    storedBytes: files.get(id)?.storedBytes ?? 0,
    files: files.get(id)?.files ?? 0,
    waitingMessages: waiting.get(id) ?? 0,
    templates: templates.get(id) ?? 0,
    stylesheets: stylesheets.get(id) ?? 0,
    mailsPerDay: mails.get(id) ?? 0,
  });
}
