import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { TenantData } from '../../../common/tenants/tenant-data.js';
import { AttachableContentService } from '../../file-management/file-storage/attachable-content.service.js';
import { OWN_TENANT } from '../message-storage/email-row.js';

/** Messages removed per step. Each has up to 50 recipients and 50 attachments. */
const MESSAGES = 20;
const IDENTITIES = 200;

/** Removes all mails of a tenant, and the verification mails it requested. Blobs of attachments are removed with the tenant's files. */
@Injectable()
export class EmailDeletionService {
  constructor(
    private readonly database: Database,
    private readonly contents: AttachableContentService,
    data: TenantData,
  ) {
    data.add({
      kind: 'mails',
      count: (tenantId) => data.countRows('Email', tenantId),
      remove: (tenantId) => this.removeMails(tenantId),
    });
    data.add({
      kind: 'identities',
      count: (tenantId) => data.countRows('EmailIdentity', tenantId),
      remove: (tenantId) => this.removeIdentities(tenantId),
    });
    data.addRows('counts of links', 'EmailValidationTotal', 'tenantId');
  }

  private async removeMails(tenantId: string): Promise<number> {
    const own = this.database.of(tenantId);
    const rows = await own.email.findMany({ select: { id: true }, take: MESSAGES });
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await own.$transaction(async (transaction) => {
      await this.contents.unpin(transaction, ids);
      await transaction.email.deleteMany({ where: { id: { in: ids } } });
    });
    return ids.length;
  }

  private async removeIdentities(tenantId: string): Promise<number> {
    const { emailIdentity } = this.database.of(tenantId);
    const rows = await emailIdentity.findMany({ take: IDENTITIES });
    const mailIds = rows.flatMap(({ mailId }) => mailId ?? []);
    await this.database.of(OWN_TENANT).email.deleteMany({ where: { id: { in: mailIds } } });
    const addresses = rows.map(({ address }) => address);
    await emailIdentity.deleteMany({ where: { address: { in: addresses } } });
    return rows.length;
  }
}
