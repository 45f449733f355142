import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { lowerAscii } from '../../../common/base/text.js';
import { AppError } from '../../../common/base/app-error.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import type { EmailSuppressionModel } from '../../../generated/sqlite/models.js';
import { storeSuppressions } from './suppressions.queries.js';
import { toSuppression } from './suppressions.service.js';
import { type Subscriber, UnsubscribeLinks } from './unsubscribe-links.js';
import type { Subscription } from './unsubscribe-page.js';

const SERVICE = 'email';
const REASON = 'UNSUBSCRIBED';

/** Unsubscribes and resubscribes recipients who followed the link in a mail. */
@Injectable()
export class UnsubscribeService {
  constructor(
    private readonly database: Database,
    private readonly links: UnsubscribeLinks,
    private readonly events: EventOutbox,
  ) {}

  /** Returns the subscription of a link. @throws NOT_FOUND */
  async find(token: string): Promise<Subscription> {
    const { subscriber, tenantName } = await this.subscriberOf(token);
    const { tenantId, address, list } = subscriber;
    const where = { ...rowOf(subscriber), OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
    const ended = await this.database.of(tenantId).emailSuppression.findFirst({ where, select: { id: true } });
    return { address, list, tenantName, isEnded: ended !== null };
  }

  /** Unsubscribes from the list. Idempotent. @throws NOT_FOUND */
  async unsubscribe(token: string): Promise<Subscription> {
    const { subscriber } = await this.subscriberOf(token);
    const { tenantId, emailId } = subscriber;
    await this.database.of(tenantId).$transaction(async (transaction) => {
      const suppression = { ...rowOf(subscriber), tenantId, emailId };
      const everyTenant = transaction.acrossTenants('a suppression and an event bring their tenant');
      const { created } = await storeSuppressions(everyTenant, this.database.dialect, [suppression]);
      if (created.length === 0 || !this.events.wants(tenantId, SERVICE, 'RECIPIENT_UNSUBSCRIBED')) return;
      const row = await transaction.emailSuppression.findFirstOrThrow({ where: { id: created[0]! } });
      await this.events.store(everyTenant, [unsubscribed(row)]);
    });
    return this.find(token);
  }

  /** Resubscribes to the list, unless another suppression applies. Idempotent. @throws NOT_FOUND */
  async resubscribe(token: string): Promise<Subscription> {
    const { subscriber } = await this.subscriberOf(token);
    await this.database.of(subscriber.tenantId).emailSuppression.deleteMany({ where: rowOf(subscriber) });
    return this.find(token);
  }

  /** @throws NOT_FOUND for a token not created here, and once the tenant is deleted */
  private async subscriberOf(token: string): Promise<{ subscriber: Subscriber; tenantName: string }> {
    const subscriber = this.links.subscriberOf(token);
    const tenant = subscriber && (await this.database.of(subscriber.tenantId).tenant.findFirst());
    if (!tenant || tenant.deletingAt !== null) throw new AppError('NOT_FOUND', 'This link is not valid');
    return { subscriber: subscriber!, tenantName: tenant.name };
  }
}

const rowOf = ({ address, list }: Subscriber) => ({ address: lowerAscii(address), list, reason: REASON }) as const;

const unsubscribed = (row: EmailSuppressionModel) =>
  ({
    tenantId: row.tenantId,
    service: SERVICE,
    type: 'RECIPIENT_UNSUBSCRIBED',
    subject: row.emailId ?? row.address,
    data: toSuppression(row),
  }) as const;
