import { Injectable } from '@nestjs/common';
import type { TenantLimits } from '../common/config/tenant-limits.js';
import { Database } from '../common/database/database.js';
import { waitingEvents } from '../common/events/webhooks/waiting-events.queries.js';
import { TenantUsage } from '../common/tenants/tenant-usage.js';
import { stylesheetCounts, templateCounts } from '../modules/document-rendering/templates/templates.queries.js';
import { mailsToday } from '../modules/email/acceptance/mail-quota.service.js';
import { fileUsage } from '../modules/file-management/usage/usage.queries.js';
import { waitingCounts } from '../modules/websockets-manager/messages/usage.queries.js';

/** Reads the usage from the tables of the services, even without the services. */
@Injectable()
export class UsageOfServices extends TenantUsage {
  constructor(private readonly database: Database) {
    super();
  }

  async of(tenantIds?: string[]): Promise<(tenantId: string) => TenantLimits> {
    const [files, waiting, templates, stylesheets, mails, events] = await Promise.all([
      fileUsage(this.database, tenantIds),
      waitingCounts(this.database, tenantIds),
      templateCounts(this.database, tenantIds),
      stylesheetCounts(this.database, tenantIds),
      mailsToday(this.database, tenantIds),
      waitingEvents(this.database, tenantIds),
    ]);
    return (id) => ({
      storedBytes: files.get(id)?.storedBytes ?? 0,
      files: files.get(id)?.files ?? 0,
      waitingMessages: waiting.get(id) ?? 0,
      templates: templates.get(id) ?? 0,
      stylesheets: stylesheets.get(id) ?? 0,
      mailsPerDay: mails.get(id) ?? 0,
      waitingEvents: events.get(id) ?? 0,
    });
  }
}
