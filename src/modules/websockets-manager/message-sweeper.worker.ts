import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { lowestIdAt } from '../../common/ids/ids.js';
import { Workers } from '../../common/workers/workers.js';
import { cancelParts } from './cancel.queries.js';
import { NOTED_WITHIN_MS } from './message-records.service.js';
import { CONFIRMATION_MS } from './message-states.js';
import { PushKeysService } from './push-keys.service.js';
import { RecipientsService } from './recipients.service.js';
import { cancelExpired, cancelUnconfirmed, removeGlobalMessages, removeMessages } from './sweep.queries.js';

const SETTLE_EVERY_MS = 1_000;
const REMOVE_EVERY_MS = 10 * 60_000;
const BATCH = 1_000;
/** That a frame was written is recorded within this. */
const WRITTEN_MS = 2 * NOTED_WITHIN_MS + 500;
/** Parts of a cancelled global message that were noted at the same moment, or later, are cancelled for so long. */
const LATE_PARTS_MS = 2 * 60_000;
const DAY_MS = 86_400_000;

/** Settles what nobody confirmed in time, and removes what has been settled for long. */
@Injectable()
export class MessageSweeper {
  constructor(
    private readonly prisma: PrismaService,
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
    const { prisma } = this;
    const { isPostgres } = this.config;
    const settled = new Date(now - CONFIRMATION_MS);
    const batch = { limit: BATCH, isPostgres };
    await repeat(signal, () => cancelExpired(prisma, { ...batch, event: 'expired', before: new Date(now - WRITTEN_MS) }));
    await repeat(signal, () => cancelExpired(prisma, { ...batch, event: 'expiredUnconfirmed', before: settled }));
    await repeat(signal, () => cancelParts(prisma, isPostgres, { since: new Date(now - LATE_PARTS_MS), limit: BATCH }));
    await repeat(signal, () => cancelUnconfirmed(prisma, { ...batch, below: lowestIdAt(settled.getTime()), now: new Date(now) }));
  }

  async remove(signal: AbortSignal): Promise<void> {
    const before = new Date(Date.now() - this.config.messageRetentionDays * DAY_MS);
    const { prisma } = this;
    for (const { id: tenantId } of await this.prisma.tenant.findMany({ select: { id: true } })) {
      const batch = { tenantId, before, below: lowestIdAt(before.getTime()), limit: BATCH, isPostgres: this.config.isPostgres };
      await repeat(signal, () => removeMessages(prisma, batch));
      await repeat(signal, () => removeGlobalMessages(prisma, batch));
    }
    await this.keys.removeOld();
    await this.recipients.removeOldCutoffs();
  }
}

/** Batch after batch, until one is not full. */
async function repeat(signal: AbortSignal, run: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await run()) === BATCH);
}
