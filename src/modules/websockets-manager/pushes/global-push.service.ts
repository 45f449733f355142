import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { timeOfId, uuidv7 } from '../../../common/ids/ids.js';
import { currentTrace, SpanKind, traced } from '../../../common/tracing/spans.js';
import { PushMetrics } from '../metrics/push-metrics.js';
import type { GlobalMessageInput } from '../inputs/push.inputs.js';
import { checkExpiry, checkPush } from '../inputs/push.rules.js';
import { toGlobalMessage } from '../records/message-row.js';
import type { GlobalMessage } from '../models/message.model.js';
import { PushKeysService } from '../records/push-keys.service.js';
import { insertGlobalMessages } from './push.queries.js';
import { PushRouterService } from '../delivery/push-router.service.js';
import { PushWriterService } from './push-writer.service.js';
import { WaitingQuotaService } from './waiting-quota.service.js';

/** Pushes to all recipients. Stores one record for the push now, and one for each recipient when a frame is sent. */
@Injectable()
export class GlobalPushService {
  constructor(
    private readonly database: Database,
    private readonly writer: PushWriterService,
    private readonly keys: PushKeysService,
    private readonly router: PushRouterService,
    private readonly quota: WaitingQuotaService,
    private readonly metrics: PushMetrics,
  ) {}

  push({ tenantId }: Caller, input: GlobalMessageInput): Promise<GlobalMessage> {
    return traced('accept push', { kind: SpanKind.PRODUCER, attributes: { 'platform.tenant.id': tenantId } }, () =>
      this.accept(tenantId, input),
    );
  }

  private async accept(tenantId: string, input: GlobalMessageInput): Promise<GlobalMessage> {
    checkPush(input);
    const { message, topic = null, expiresAt = null, idempotencyKey } = input;
    const id = uuidv7();
    const createdAt = timeOfId(id);
    const push = { tenantId, id, message, topic, createdAt, expiresAt: expiresAt?.getTime() ?? null };
    if (typeof idempotencyKey === 'string') {
      const content = [message, topic, push.expiresAt];
      const key = { tenantId, operation: 'pushGlobalMessage' as const, key: idempotencyKey, content };
      const before = await this.keys.resultOf<string>(key);
      if (before !== undefined) return this.repeat(tenantId, before);
      checkExpiry(expiresAt);
      const write = (tx: TenantTransaction) => insertGlobalMessages(this.database.dialect, tx, [push]);
      const isFirst = await this.quota.within(tenantId, { count: 1, expiresAt }, () => this.keys.first(key, id, write));
      if (!isFirst) return this.repeat(tenantId, (await this.keys.resultOf<string>(key))!);
    } else {
      checkExpiry(expiresAt);
      await this.quota.within(tenantId, { count: 1, expiresAt }, () => this.writer.storeGlobal(push));
    }
    this.metrics.pushedMessages.inc({ kind: 'global' });
    await this.router.sendGlobal({ ...push, traceContext: currentTrace() });
    return { id, message, topic, expiresAt, cancelledAt: null, createdAt: new Date(createdAt) };
  }

  private async repeat(tenantId: string, id: string): Promise<GlobalMessage> {
    return toGlobalMessage(
      await this.database.of(tenantId).globalMessage.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } }),
    );
  }
}
