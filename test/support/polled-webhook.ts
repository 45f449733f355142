import type { Api } from './api.js';
import { type Push, until } from './websockets.js';

const CREATE = 'mutation($input:CreateWebhookInput!){createWebhook(input:$input){webhook{id}}}';
const DELIVERIES =
  'query($id:ID!,$nextToken:String){webhookDeliveries(webhookId:$id,nextToken:$nextToken){items{type subject body} nextToken}}';

/** An event as a webhook gets it. */
export interface Heard {
  type: string;
  subject: string;
  data: any;
}

/** A webhook of a tenant whose events are polled. */
export class PolledWebhook {
  private constructor(
    private readonly api: Api,
    private readonly id: string,
  ) {}

  static async create(api: Api, ...events: string[]): Promise<PolledWebhook> {
    const { createWebhook } = await api.ask(CREATE, { input: { url: 'poll:', events } });
    return new PolledWebhook(api, createWebhook.webhook.id);
  }

  /** Returns all events so far, oldest first. */
  async events(): Promise<Heard[]> {
    const events: Heard[] = [];
    let nextToken: string | null = null;
    do {
      const { webhookDeliveries }: any = await this.api.ask(DELIVERIES, { id: this.id, nextToken });
      events.push(
        ...webhookDeliveries.items.map(({ type, subject, body }: any) => {
          const whole = JSON.parse(body);
          expect(whole).toMatchObject({ type, subject, source: `/${this.api.service}` });
          return { type, subject, data: whole.data };
        }),
      );
      nextToken = webhookDeliveries.nextToken;
    } while (nextToken);
    return events.reverse();
  }

  /** Resolves to the events of an object, once there are this many. */
  of(subject: string, count = 1): Promise<Heard[]> {
    return until(async () => {
      const events = (await this.events()).filter((event) => event.subject === subject);
      return events.length >= count ? events : undefined;
    });
  }

  /** Resolves once all nodes know this webhook for recipient events: a recipient that connects causes one. */
  async isKnownTo(nodes: Push[]): Promise<void> {
    for (const [index, node] of nodes.entries()) {
      await until(async () => {
        const name = `probe ${index} ${Math.random()}`;
        await (await node.connect(name)).close();
        await until(async () => (await node.connections(name)).length === 0);
        return (await this.events()).some(({ subject }) => subject === name);
      });
    }
  }
}
