import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { type KeyColumns, keyOf } from '../../../common/idempotency/idempotency-key.js';
import { once } from '../../../common/idempotency/once.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { OperationKeysService } from '../../../common/idempotency/operation-keys.service.js';
import { currentTrace, SpanKind, traced } from '../../../common/tracing/spans.js';
import { PushMetrics } from '../metrics/push-metrics.js';
import { checkExpiry, checkPush, type GlobalMessageInput } from './message.inputs.js';
import { toGlobalMessage } from './message-row.js';
import type { GlobalMessage } from './message.model.js';
import type { GlobalPush } from '../models/push.js';
import { insertGlobalMessages } from './push.queries.js';
import { PushRouterService } from './push-router.service.js';
import { PushWriterService } from './push-writer.service.js';
import { WaitingQuotaService } from './waiting-quota.service.js';

const OPERATION = 'pushGlobalMessage';

/** Pushes to all recipients. Stores one record per push immediately, and one per recipient when a frame is sent. */
@Injectable()
export class GlobalPushService {
  constructor(
    private readonly database: Database,
    private readonly writer: PushWriterService,
    private readonly keys: OperationKeysService,
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
    const key = keyOf(idempotencyKey, [message, topic, expiresAt?.getTime() ?? null]);
    return once('push', key, {
      find: (used) => this.keys.find<string>({ tenantId, operation: OPERATION }, used),
      first: () => this.first(tenantId, { message, topic, expiresAt }, key),
      repeat: (id) => this.repeat(tenantId, id),
    });
  }

  /** Stores and sends a message. Returns undefined if the idempotency key was already taken. */
  private async first(
    tenantId: string,
    { message, topic, expiresAt }: Pick<GlobalMessage, 'message' | 'topic' | 'expiresAt'>,
    key: KeyColumns,
  ): Promise<GlobalMessage | undefined> {
    checkExpiry(expiresAt);
    const id = uuidv7();
    const createdAt = timeOfId(id);
    const push = { tenantId, id, message, topic, createdAt, expiresAt: expiresAt?.getTime() ?? null };
    const isFirst = await this.quota.within(tenantId, expiresAt === null ? 0 : 1, () => this.store(push, key));
    if (!isFirst) return undefined;
    this.metrics.pushedMessages.inc({ kind: 'global' });
    await this.router.sendGlobal({ ...push, traceContext: currentTrace() });
    return { id, message, topic, expiresAt, cancelledAt: null, createdAt: new Date(createdAt) };
  }

  /** Stores a message. Returns false if the idempotency key was already taken. */
  private async store(push: GlobalPush, key: KeyColumns): Promise<boolean> {
    if (key.idempotencyKey !== null) {
      const write = (tx: TenantTransaction) => insertGlobalMessages(this.database.dialect, tx, [push]);
      return this.keys.first({ tenantId: push.tenantId, operation: OPERATION }, key, push.id, write);
    }
    await this.writer.storeGlobal(push);
    return true;
  }

  private async repeat(tenantId: string, id: string): Promise<GlobalMessage> {
    return toGlobalMessage(
      await this.database.of(tenantId).globalMessage.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } }),
    );
  }
}
