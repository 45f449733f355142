import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { Sql } from '../../../common/database/sql/sql.js';
import { lowestIdAt } from '../../../common/base/ids.js';
import { type RetentionStep, TenantData } from '../../../common/tenants/tenant-data.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { cancelCopiesStatement } from './cancel.queries.js';
import { UNCONFIRMED_MS } from './message-records.service.js';
import { CONFIRMATION_MS } from './message-states.js';
import { RecipientsService } from '../recipients/recipients.service.js';
import {
  expiredStatement,
  removeGlobalMessages,
  removeMessages,
  removeOldFallbacks,
  expiryDue,
  unconfirmedStatement,
} from './message-expiry.queries.js';
import { MessageSettlementsService } from './message-settlements.service.js';
import { MESSAGES_PER_STATEMENT } from '../models/limits.js';

const SETTLE_EVERY_MS = 1_000;
const CUTOFFS_EVERY_MS = 10 * 60_000;
/** Upper bound of the delay until an unconfirmed frame is recorded. */
const RECORDED_MS = UNCONFIRMED_MS + 1_000;
/** Time after the cancellation of a global message in which late copies are still cancelled. */
const LATE_RECORDS_MS = 2 * 60_000;

const isDue = (dialect: Dialect): Sql => {
  const now = Date.now();
  return expiryDue(dialect, {
    before: new Date(now - RECORDED_MS),
    below: lowestIdAt(now - CONFIRMATION_MS),
    since: new Date(now - LATE_RECORDS_MS),
  });
};

/** Cancels messages not confirmed in time, and removes messages past the retention period of their tenant. */
@Injectable()
export class MessageExpiry {
  constructor(
    private readonly database: Database,
    private readonly settlements: MessageSettlementsService,
    private readonly recipients: RecipientsService,
    jobs: BackgroundJobs,
    data: TenantData,
  ) {
    jobs.add({ name: 'message-expiry', everyMs: SETTLE_EVERY_MS, due: isDue, run: (signal) => this.settle(signal) });
    jobs.add({ name: 'cutoff-expiry', everyMs: CUTOFFS_EVERY_MS, run: () => this.recipients.removeOldTerms() });
    data.addRetained({ kind: 'messages', remove: (tenantId, olderThan, { limit }) => this.remove(tenantId, olderThan, limit) });
  }

  async settle(signal: AbortSignal): Promise<void> {
    const now = Date.now();
    const { dialect } = this.database;
    const unconfirmedSince = new Date(now - CONFIRMATION_MS);
    const limit = MESSAGES_PER_STATEMENT;
    const statements = [
      expiredStatement(dialect, { limit, event: 'expired', before: new Date(now - RECORDED_MS) }),
      expiredStatement(dialect, { limit, event: 'expiredUnconfirmed', before: unconfirmedSince }),
      cancelCopiesStatement(dialect, { limit, since: new Date(now - LATE_RECORDS_MS) }),
      unconfirmedStatement(dialect, { limit, below: lowestIdAt(unconfirmedSince.getTime()), now: new Date(now) }),
    ];
    for (const statement of statements) {
      while (!signal.aborted && (await this.settlements.cancelOfAny(statement)) === limit);
    }
  }

  private async remove(tenantId: string, before: Date, limit: number): Promise<RetentionStep> {
    const { database } = this;
    const batch = { tenantId, before, below: lowestIdAt(before.getTime()), limit };
    const own = await removeMessages(database, batch);
    const fallbacks = own < limit ? await removeOldFallbacks(database, batch) : 0;
    const global = own < limit ? await removeGlobalMessages(database, batch) : 0;
    return { removed: own + global, more: Math.max(own, fallbacks, global) === limit };
  }
}
