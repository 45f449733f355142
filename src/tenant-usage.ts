import type { TenantLimits } from './common/config/tenant-limits.js';
import type { Database } from './common/database/database.js';
import { stylesheetCounts, templateCounts } from './modules/document-rendering/templates/usage.queries.js';
import { mailsToday } from './modules/email/messages/usage.queries.js';
import { fileUsage } from './modules/file-management/rows/usage.queries.js';
import { waitingCounts } from './modules/websockets-manager/pushes/usage.queries.js';

/** Reads the usage of all limits, of one tenant or of all. Returns a look-up by tenant id; a tenant without usage has zeros. */
export async function tenantUsage(database: Database, tenantId?: string): Promise<(tenantId: string) => TenantLimits> {
  const [files, waiting, templates, stylesheets, mails] = await Promise.all([
    fileUsage(database, tenantId),
    waitingCounts(database, tenantId),
    templateCounts(database, tenantId),
    stylesheetCounts(database, tenantId),
    mailsToday(database, tenantId),
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
