import type { TenantService } from '../../common/events/outbox/event.js';
import { POLL_URL } from '../../common/events/outbox/webhook-directory.js';
import type { ServedApi } from './served-api.js';

const PAGE = 50;
const EVENTS = '{__type(name:"WebhookEvent"){enumValues{name}}}';
const ALL = '{webhooks{items{id url description}}}';
const CREATE = 'mutation($input:CreateWebhookInput!){createWebhook(input:$input){webhook{id}}}';
const DELETE = 'mutation($id:ID!){deleteWebhook(id:$id){id}}';
const WAITING = `query($webhookId:ID!,$limit:Int,$nextToken:String){
  webhookDeliveries(webhookId:$webhookId,filter:{status:PENDING},limit:$limit,nextToken:$nextToken){items{id type subject body} nextToken}}`;
const CONFIRM = 'mutation($webhookId:ID!,$ids:[ID!]!){confirmWebhookDeliveries(webhookId:$webhookId,ids:$ids)}';

/** Event that waits to be fetched. */
export interface WaitingEvent {
  id: string;
  type: string;
  subject: string;
  body: string;
}

interface Page {
  webhookDeliveries: { items: WaitingEvent[]; nextToken: string | null };
}

/** Returns the event types that webhooks of a service support. */
export async function eventsOf(api: ServedApi, service: TenantService): Promise<string[]> {
  const { __type } = await api.ask<{ __type: { enumValues: { name: string }[] } }>(service, EVENTS, {});
  return __type.enumValues.map(({ name }) => name);
}

/** Webhook whose events are fetched by polling. */
export class PolledWebhook {
  private constructor(
    private readonly api: ServedApi,
    readonly service: TenantService,
    private readonly id: string,
  ) {}

  /** Creates a webhook. Replaces those with the same description, left by killed processes. */
  static async create(
    api: ServedApi,
    service: TenantService,
    { events, description }: { events: string[]; description: string },
  ): Promise<PolledWebhook> {
    const { webhooks } = await api.ask<{ webhooks: { items: { id: string; url: string; description: string | null }[] } }>(
      service,
      ALL,
      {},
    );
    for (const { id, url, description: other } of webhooks.items) {
      if (url === POLL_URL && other === description) await api.ask(service, DELETE, { id });
    }
    const input = { url: POLL_URL, events, description };
    const { createWebhook } = await api.ask<{ createWebhook: { webhook: { id: string } } }>(service, CREATE, { input });
    return new PolledWebhook(api, service, createWebhook.webhook.id);
  }

  /** Returns unknown pending events, oldest first. Pages come newest first, so it stops at the first page known completely. */
  async fetch(isKnown: (id: string) => boolean, signal: AbortSignal): Promise<WaitingEvent[]> {
    const found: WaitingEvent[] = [];
    for (let nextToken: string | null = null; ;) {
      const variables: object = { webhookId: this.id, limit: PAGE, nextToken };
      const page: Page = await this.api.ask<Page>(this.service, WAITING, variables, signal);
      const fresh = page.webhookDeliveries.items.filter(({ id }) => !isKnown(id));
      found.push(...fresh);
      nextToken = page.webhookDeliveries.nextToken;
      if (fresh.length === 0 || nextToken === null) return found.reverse();
    }
  }

  /** Marks events as delivered. */
  async confirm(ids: string[]): Promise<void> {
    await this.api.ask(this.service, CONFIRM, { webhookId: this.id, ids });
  }

  async delete(signal: AbortSignal): Promise<void> {
    await this.api.ask(this.service, DELETE, { id: this.id }, signal);
  }
}
