import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../common/database/database.js';
import { lowestIdAt } from '../../../common/ids/ids.js';
import { Workers } from '../../../common/workers/workers.js';
import { cancelCopies } from './cancel.queries.js';
import { UNCONFIRMED_MS } from './message-records.service.js';
import { CONFIRMATION_MS } from '../models/message-states.js';
import { PushKeysService } from './push-keys.service.js';
import { RecipientsService } from '../recipients/recipients.service.js';
import { cancelExpired, cancelUnconfirmed, removeGlobalMessages, removeMessages } from './sweep.queries.js';

const SETTLE_EVERY_MS = 1_000;
const REMOVE_EVERY_MS = 10 * 60_000;
const BATCH = 1_000;
/** A written frame is recorded within this. */
const RECORDED_MS = UNCONFIRMED_MS + 1_000;
/** How long messages of a cancelled global message that are recorded late are still cancelled. */
const LATE_RECORDS_MS = 2 * 60_000;
const DAY_MS = 86_400_000;

/** Cancels messages that were not confirmed in time, and removes those past their retention. */
@Injectable()
export class MessageSweeper {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly keys: PushKeysService,
    private readonly recipients: RecipientsService,
    workers: Workers,
  ) {
    workers.add({ name: 'message-sweeper', everyMs: SETTLE_EVERY_MS, run: (signal) => this.settle(signal) });
    workers.add({ name: 'message-remover', everyMs: REMOVE_EVERY_MS, run: (signal) => this.remove(signal) });
  }

  async settle(signal: AbortSignal): Promise<void> {
    const now = Date.now();
    const { database } = this;
    const unconfirmedSince = new Date(now - CONFIRMATION_MS);
    const batch = { limit: BATCH };
    await repeat(signal, () => cancelExpired(database, { ...batch, event: 'expired', before: new Date(now - RECORDED_MS) }));
    await repeat(signal, () => cancelExpired(database, { ...batch, event: 'expiredUnconfirmed', before: unconfirmedSince }));
    await repeat(signal, () => cancelCopies(database, { since: new Date(now - LATE_RECORDS_MS), limit: BATCH }));
    await repeat(signal, () =>
      cancelUnconfirmed(database, { ...batch, below: lowestIdAt(unconfirmedSince.getTime()), now: new Date(now) }),
    );
  }

  async remove(signal: AbortSignal): Promise<void> {
    const before = new Date(Date.now() - this.config.messageRetentionDays * DAY_MS);
    const { database } = this;
    for (const { id: tenantId } of await this.database.tenant.findMany({ select: { id: true } })) {
      const batch = { tenantId, before, below: lowestIdAt(before.getTime()), limit: BATCH };
      await repeat(signal, () => removeMessages(database, batch));
      await repeat(signal, () => removeGlobalMessages(database, batch));
    }
    await this.keys.removeOld();
    await this.recipients.removeOldCutoffs();
  }
}

/** Runs batches until one is not full. */
async function repeat(signal: AbortSignal, run: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await run()) === BATCH);
}
