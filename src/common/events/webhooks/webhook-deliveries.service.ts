import { Injectable } from '@nestjs/common';
import type { EventModel } from '../../../generated/sqlite/models.js';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { AppError, badInput } from '../../base/app-error.js';
import { isId, lowestIdAt, timeOfId, uuidv7 } from '../../base/ids.js';
import { Cursors } from '../../lists/cursors.js';
import type { Page } from '../../lists/page.js';
import { checkInput } from '../../base/text.js';
import { EventSender } from '../delivery/event-sender.js';
import { attemptsOf } from '../delivery/attempt-log.js';
import { storeOutcomes } from '../delivery/deliveries.queries.js';
import { testBody, wireType } from '../outbox/cloud-event.js';
import { type EventKinds, PING, type TenantService } from '../outbox/event.js';
import { POLL_URL } from '../outbox/webhook-directory.js';
import { MAX_CONFIRMED } from '../delivery/limits.js';
import type { DeliveriesFilter, WebhookInputs } from './webhook.inputs.js';
import { MAX_DELIVERIES, type WebhookDelivery, WebhookDeliveryStatus } from './webhook.model.js';
import { WebhooksService } from './webhooks.service.js';

const LISTED = {
  id: true,
  type: true,
  subject: true,
  bodyBytes: true,
  status: true,
  attempts: true,
  dueAt: true,
  attemptedAt: true,
  responseStatus: true,
  answer: true,
  durationMs: true,
  lastError: true,
  attemptLog: true,
} as const;

type Listed = Pick<EventModel, keyof typeof LISTED>;

interface PageWanted {
  service: TenantService;
  inputs: WebhookInputs;
  webhookId: string;
  filter: DeliveriesFilter | null;
  nextToken: string | null;
  limit: number | null;
}

/** Service of a tested webhook, and its events. */
interface Tested {
  service: TenantService;
  kinds: EventKinds;
}

/** Lists the events of a webhook, tests the webhook, and records confirmations of fetched events. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksService,
    private readonly sender: EventSender,
    private readonly cursors: Cursors,
  ) {}

  /** Returns a page, newest first. */
  async page(
    caller: Caller,
    { service, inputs, webhookId, filter, nextToken, limit }: PageWanted,
  ): Promise<Page<WebhookDelivery>> {
    const { tenantId } = caller;
    const size = this.cursors.limit(limit, MAX_DELIVERIES);
    const { status, event, from, to } = checkInput(inputs.WebhookDeliveriesFilter.rules, filter ?? {}, 'filter');
    const { id } = await this.webhooks.row(caller, service, webhookId);
    const context = { tenantId, operation: 'webhookDeliveries', filter: { webhookId: id, ...filter } };
    const after = this.cursors.after(nextToken, context);
    const rows = await this.database.of(tenantId).event.findMany({
      where: {
        webhookId: id,
        ...(status && { status }),
        ...(event && { type: event }),
        id: { ...(after !== undefined && { lt: after }) },
        AND: { id: { ...(from && { gte: lowestIdAt(from.getTime()) }), ...(to && { lt: lowestIdAt(to.getTime() + 1) }) } },
      },
      select: LISTED,
      orderBy: { id: 'desc' },
      take: size + 1,
    });
    const { items, ...page } = this.cursors.firstOf(rows, size, context);
    const bodyOf = this.bodiesOf(caller, id, items);
    return { ...page, items: items.map((row) => toDelivery(row, bodyOf)) };
  }

  /** Sends a sample of an event, or a ping, and returns its delivery. */
  async test(caller: Caller, { service, kinds }: Tested, webhookId: string, type: string | null): Promise<WebhookDelivery> {
    const webhook = await this.webhooks.row(caller, service, webhookId);
    if (webhook.url === POLL_URL)
      throw new AppError('FAILED_PRECONDITION', 'Events of this webhook are fetched; nothing is sent');
    const { tenantId } = caller;
    const id = uuidv7();
    const { subject, data } = type === null ? { subject: webhook.id, data: {} } : kinds[type]!.sample;
    const event = { type: type ?? PING, subject };
    const body = testBody(id, { ...event, service, data }, new Date(timeOfId(id)));
    const own = this.database.of(tenantId);
    await own.event.create({
      data: { webhookId: webhook.id, id, tenantId, ...event, ...body, status: WebhookDeliveryStatus.PENDING },
    });
    const outcome = await this.sender.test(webhook, { id, attempts: 0, body: body.body }).catch(async (error: Error) => {
      await own.event.deleteMany({ where: { webhookId: webhook.id, id } }); // not sent, and never would be
      throw error;
    });
    await storeOutcomes(this.database, webhook, [outcome]);
    const row = await own.event.findUniqueOrThrow({ where: { webhookId_id: { webhookId: webhook.id, id } }, select: LISTED });
    return toDelivery(row, this.bodiesOf(caller, webhook.id, [row]));
  }

  /** Marks events fetched by the caller as delivered, and returns the number of those that were PENDING. */
  async confirm(caller: Caller, service: TenantService, webhookId: string, ids: string[]): Promise<number> {
    if (ids.length < 1 || ids.length > MAX_CONFIRMED) throw badInput('ids', `must have 1 to ${MAX_CONFIRMED} ids`);
    const webhook = await this.webhooks.row(caller, service, webhookId);
    if (webhook.url !== POLL_URL)
      throw new AppError('FAILED_PRECONDITION', 'Events of this webhook are sent, so their receiver confirms them');
    const own = this.database.of(caller.tenantId);
    const now = new Date();
    const { count } = await own.event.updateMany({
      where: { webhookId: webhook.id, id: { in: [...new Set(ids)].filter(isId) }, status: WebhookDeliveryStatus.PENDING },
      data: { status: WebhookDeliveryStatus.DELIVERED, attempts: { increment: 1 }, attemptedAt: now },
    });
    if (count > 0) await own.webhook.updateMany({ where: { id: webhook.id }, data: { lastDeliveredAt: now } });
    return count;
  }

  /** Returns a function that reads the body of one row. Its first call loads the bodies of all rows within the caller's budget. */
  private bodiesOf({ tenantId, budget }: Caller, webhookId: string, rows: Listed[]): (id: string) => Promise<string | null> {
    let bodies: Promise<Map<string, string>> | undefined;
    const load = async (): Promise<Map<string, string>> => {
      await budget?.reserve(rows.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0));
      const found = await this.database.of(tenantId).event.findMany({
        where: { webhookId, id: { in: rows.map(({ id }) => id) } },
        select: { id: true, body: true },
      });
      return new Map(found.map(({ id, body }) => [id, body]));
    };
    return async (id) => (await (bodies ??= load())).get(id) ?? null;
  }
}

function toDelivery(row: Listed, bodyOf: (id: string) => Promise<string | null>): WebhookDelivery {
  const { id, type, subject, attempts, dueAt, attemptedAt, responseStatus, answer, durationMs, lastError } = row;
  return {
    id,
    event: type === PING ? null : type,
    type: wireType(type),
    subject,
    createdAt: new Date(timeOfId(id)),
    status: row.status as WebhookDeliveryStatus,
    attempts,
    responseStatus,
    answer,
    durationMs,
    lastError,
    attemptedAt,
    nextAttemptAt: dueAt,
    history: attemptsOf(row.attemptLog, row),
    loadBody: () => bodyOf(id),
  };
}
