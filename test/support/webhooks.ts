import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api } from './api.js';
import { allRowsOf } from './behind-the-api.js';
import type { TestServer } from './server.js';

/** Settings that let a server call receivers of tests. */
export const RECEIVER_SETTINGS = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true' };

const WEBHOOK =
  'id url events active description createdAt updatedAt failingSince lastError lastDeliveredAt pausedUntil disabledAt previousSecretUntil waiting successRate';
const DELIVERY =
  'id event type subject createdAt status attempts responseStatus answer durationMs lastError attemptedAt nextAttemptAt history{at responseStatus durationMs error} body';
const CREATE = `mutation($input:CreateWebhookInput!){createWebhook(input:$input){webhook{${WEBHOOK}} secret}}`;
const UPDATE = `mutation($id:ID!,$input:UpdateWebhookInput!){updateWebhook(id:$id,input:$input){${WEBHOOK}}}`;
const ROTATE = `mutation($id:ID!,$overlap:Int){rotateWebhookSecret(id:$id,overlap:$overlap){webhook{${WEBHOOK}} secret}}`;
const TEST = `mutation($id:ID!,$type:WebhookEvent){testWebhook(id:$id,type:$type){${DELIVERY}}}`;
const DELIVERIES = `query($webhookId:ID!,$filter:WebhookDeliveriesFilter,$nextToken:String,$limit:Int){
  webhookDeliveries(webhookId:$webhookId,filter:$filter,nextToken:$nextToken,limit:$limit){items{${DELIVERY}} nextToken}}`;
export const REDELIVER = `mutation($webhookId:ID!,$from:DateTime,$to:DateTime,$status:WebhookDeliveryStatus,$ids:[ID!]){
  redeliver(webhookId:$webhookId,from:$from,to:$to,status:$status,ids:$ids)}`;

/** A received request. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  path: string;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  afterMs?: number;
}

/** An HTTP server that webhooks are sent to. */
export class Receiver {
  readonly received: Received[] = [];
  /** Response to a request; 204 by default. */
  answer: (request: Received) => Answer = () => ({ status: 204 });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const one = { headers: request.headers, body: Buffer.concat(chunks).toString(), path: request.url! };
        const { status, headers, body, afterMs = 0 } = receiver.answer(one);
        receiver.received.push(one);
        setTimeout(() => response.writeHead(status, headers).end(body), afterMs);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver = new Receiver(server);
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Waits until this many requests came. */
  async until(count: number): Promise<Received[]> {
    while (this.received.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    return this.received;
  }

  /** Types of the received events, in order. */
  get types(): string[] {
    return this.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Webhooks of one tenant in one service. */
export class Webhooks {
  constructor(
    readonly server: TestServer,
    readonly api: Api,
  ) {}

  create = async (input: object): Promise<any> => (await this.api.ask(CREATE, { input })).createWebhook;
  refused = (input: object) => this.api.refusal(CREATE, { input });
  update = async (id: string, input: object): Promise<any> => (await this.api.ask(UPDATE, { id, input })).updateWebhook;
  rotate = async (id: string, overlap?: number): Promise<any> =>
    (await this.api.ask(ROTATE, { id, ...(overlap !== undefined && { overlap }) })).rotateWebhookSecret;
  test = async (id: string, type?: string): Promise<any> => (await this.api.ask(TEST, { id, type })).testWebhook;
  delete = async (id: string): Promise<any> =>
    (await this.api.ask(`mutation($id:ID!){deleteWebhook(id:$id){${WEBHOOK}}}`, { id })).deleteWebhook;
  all = async (): Promise<any[]> => (await this.api.ask(`{webhooks{items{${WEBHOOK}}}}`)).webhooks.items;
  find = async (id: string): Promise<any> => (await this.all()).find((one) => one.id === id);
  page = async (webhookId: string, filter?: object, nextToken?: string | null, limit?: number): Promise<any> =>
    (await this.api.ask(DELIVERIES, { webhookId, filter, nextToken, limit })).webhookDeliveries;
  /** Returns the deliveries of a webhook, oldest first. */
  deliveries = async (webhookId: string, filter?: object): Promise<any[]> =>
    (await this.page(webhookId, filter)).items.toReversed();
  redeliver = async (webhookId: string, given: object): Promise<number> =>
    (await this.api.ask(REDELIVER, { webhookId, ...given })).redeliver;
  confirm = async (webhookId: string, ids: string[]): Promise<number> =>
    (
      await this.api.ask('mutation($webhookId:ID!,$ids:[ID!]!){confirmWebhookDeliveries(webhookId:$webhookId,ids:$ids)}', {
        webhookId,
        ids,
      })
    ).confirmWebhookDeliveries;

  /** Waits until the deliveries of a webhook meet an expectation, and returns them, oldest first. */
  async until(webhookId: string, are: (deliveries: any[]) => boolean): Promise<any[]> {
    for (;;) {
      const deliveries = await this.deliveries(webhookId);
      if (are(deliveries)) return deliveries;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  settled = (webhookId: string, count: number) =>
    this.until(webhookId, (all) => all.length >= count && all.every(({ status }) => status !== 'PENDING'));

  /** Ends the pauses of a webhook and of its events. */
  async passTime(webhookId: string): Promise<void> {
    const rows = allRowsOf('only time makes an event due', this.server);
    await rows.event.updateMany({ where: { webhookId, status: 'PENDING' }, data: { dueAt: new Date() } });
    await rows.webhook.updateMany({ where: { id: webhookId }, data: { pausedUntil: null } });
  }
}

/** Returns the events of `poll:` webhooks, as CloudEvents, oldest first. */
export const eventsOf = (deliveries: any[]): any[] => deliveries.map(({ body }) => JSON.parse(body));
