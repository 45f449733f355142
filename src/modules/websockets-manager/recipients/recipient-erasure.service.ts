import { Injectable } from '@nestjs/common';
import { storedAddress } from '../../../common/base/email-address.js';
import { Database } from '../../../common/database/database.js';
import { sql } from '../../../common/database/sql/sql.js';
import { type ErasureStep, NOTHING_ERASED, TenantData } from '../../../common/tenants/tenant-data.js';
import { removeFallbacks, removeFallbacksOf } from '../fallbacks/fallbacks.queries.js';
import { recipientKey } from '../models/recipient-key.js';
import { RecipientsService } from './recipients.service.js';
import { MESSAGES_PER_STATEMENT } from '../models/limits.js';

/** Erases recipients: closes their connections, revokes their tokens, and removes their messages. Erases fallbacks to addresses. */
@Injectable()
export class RecipientErasureService {
  constructor(
    private readonly database: Database,
    private readonly recipients: RecipientsService,
    data: TenantData,
  ) {
    data.addTrace({ kind: 'fallbacks', erase: (tenantId, { emailAddress }) => this.eraseFallbacks(tenantId, emailAddress) });
    data.addTrace({ kind: 'messages', erase: (tenantId, { recipient }) => this.erase(tenantId, recipient) });
  }

  /** Disconnects the recipient first in each step, so that nothing is sent or confirmed during the removal. */
  private async erase(tenantId: string, recipient: string | null): Promise<ErasureStep> {
    if (recipient === null) return NOTHING_ERASED;
    await this.recipients.disconnect({ tenantId }, recipient);
    const key = recipientKey(recipient);
    const named = await this.removeNamed(tenantId, key);
    const ofGlobal = named === MESSAGES_PER_STATEMENT ? 0 : await this.removeOfGlobalMessages(tenantId, key);
    return { erased: named + ofGlobal, more: named === MESSAGES_PER_STATEMENT || ofGlobal === MESSAGES_PER_STATEMENT };
  }

  private removeNamed(tenantId: string, key: string): Promise<number> {
    const some = sql`
      SELECT "pushId" FROM "Message" WHERE "tenantId" = ${tenantId} AND "recipientKey" = ${key} AND NOT "isGlobal" LIMIT ${MESSAGES_PER_STATEMENT}`;
    return this.database.of(tenantId).$transaction(async (transaction) => {
      const rows = await transaction.$queryRaw<{ pushId: string }[]>(
        sql`DELETE FROM "Message" WHERE "tenantId" = ${tenantId} AND "recipientKey" = ${key} AND "pushId" IN (${some}) RETURNING "pushId"`,
      );
      const pushIds = rows.map(({ pushId }) => pushId);
      if (pushIds.length > 0) await removeFallbacks(transaction, this.database.dialect, pushIds);
      return pushIds.length;
    });
  }

  private async eraseFallbacks(tenantId: string, emailAddress: string | null): Promise<ErasureStep> {
    if (emailAddress === null) return NOTHING_ERASED;
    const wanted = { address: storedAddress(emailAddress), limit: MESSAGES_PER_STATEMENT };
    const erased = await this.database
      .of(tenantId)
      .$transaction((transaction) => removeFallbacksOf(transaction, this.database.dialect, wanted));
    return { erased, more: erased === MESSAGES_PER_STATEMENT };
  }

  /**
   * Removes the recipient's copies of global messages, one per global message. They have no index by recipient, but global messages are
   * few.
   */
  private removeOfGlobalMessages(tenantId: string, key: string): Promise<number> {
    const some = sql`
      SELECT g."id" FROM "GlobalMessage" AS g WHERE g."tenantId" = ${tenantId} AND EXISTS (
        SELECT 1 FROM "Message" AS m WHERE m."tenantId" = ${tenantId} AND m."pushId" = g."id" AND m."recipientKey" = ${key}
      ) LIMIT ${MESSAGES_PER_STATEMENT}`;
    return this.database
      .of(tenantId)
      .$executeRaw(
        sql`DELETE FROM "Message" WHERE "tenantId" = ${tenantId} AND "recipientKey" = ${key} AND "pushId" IN (${some})`,
      );
  }
}
