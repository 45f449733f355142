import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { timeOfId, uuidv7 } from '../../common/ids/ids.js';
import { Metrics } from '../../common/metrics/metrics.js';
import type { GlobalMessageInput } from './inputs/push.inputs.js';
import { checkExpiry, checkPush } from './inputs/push.rules.js';
import { toGlobalMessage } from './message-row.js';
import type { GlobalMessage } from './models/message.model.js';
import { PushKeysService } from './push-keys.service.js';
import { insertGlobalMessages } from './push.queries.js';
import { PushRouterService } from './push-router.service.js';
import { PushWriterService } from './push-writer.service.js';
import { WaitingQuotaService } from './waiting-quota.service.js';

/** Pushes to all: one record at once, and one for each recipient behind the sockets. */
@Injectable()
export class GlobalPushService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly writer: PushWriterService,
    private readonly keys: PushKeysService,
    private readonly router: PushRouterService,
    private readonly quota: WaitingQuotaService,
    private readonly metrics: Metrics,
  ) {}

  async push({ tenantId }: Caller, input: GlobalMessageInput): Promise<GlobalMessage> {
    checkPush(input);
    const { message, topic = null, expiresAt = null, idempotencyKey } = input;
    const id = uuidv7();
    const row = { tenantId, id, message, topic, expiresAt: expiresAt?.getTime() ?? null };
    const made = { id, message, topic, expiresAt, cancelledAt: null, createdAt: new Date(timeOfId(id)) };
    if (typeof idempotencyKey === 'string') {
      const content = [message, topic, expiresAt?.getTime() ?? null];
      const key = { tenantId, operation: 'pushGlobalMessage' as const, key: idempotencyKey, content };
      const before = await this.keys.resultOf<string>(key);
      if (before !== undefined) return this.again(tenantId, before);
      checkExpiry(expiresAt);
      const write = (tx: Pick<PrismaService, '$executeRawUnsafe'>) => insertGlobalMessages(tx, this.config.isPostgres, [row]);
      const isFirst = await this.quota.within(tenantId, { count: 1, expiresAt }, () => this.keys.first(key, id, write));
      if (!isFirst) return this.again(tenantId, (await this.keys.resultOf<string>(key))!);
    } else {
      checkExpiry(expiresAt);
      await this.quota.within(tenantId, { count: 1, expiresAt }, () => this.writer.storeGlobal(row));
    }
    this.metrics.pushedMessages.inc({ kind: 'global' });
    await this.router.sendGlobal({ ...row, createdAt: made.createdAt.getTime() });
    return made;
  }

  private async again(tenantId: string, id: string): Promise<GlobalMessage> {
    return toGlobalMessage(await this.prisma.globalMessage.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } }));
  }
}
