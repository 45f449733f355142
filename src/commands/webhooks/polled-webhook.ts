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

/** An event that waits to be fetched. */
export interface WaitingEvent {
  id: string;
  type: string;
  subject: string;
  body: string;
}

interface Page {
  webhookDeliveries: { items: WaitingEvent[]; nextToken: string | null };
}

/** Returns the events that webhooks of a service can have. */
export async function eventsOf(api: ServedApi, service: TenantService): Promise<string[]> {
  const { __type } = await api.ask<{ __type: { enumValues: { name: string }[] } }>(service, EVENTS, {});
  return __type.enumValues.map(({ name }) => name);
}

/** A webhook whose events are fetched. */
export class PolledWebhook {
  private constructor(
    private readonly api: ServedApi,
    readonly service: TenantService,
    private readonly id: string,
  ) {}

  /** Creates a webhook in the place of those with the same description, which a killed process left. */
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

  /** Returns the events that wait and are not known yet, oldest first. Pages are newest first, so it ends at one that is known as a whole. */
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
