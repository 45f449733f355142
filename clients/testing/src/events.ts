import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './tenant.js';

/** Default wait. Shorter than the 5 s limit at which Jest and Vitest abort a test without naming the missing event. */
const DEFAULT_TIMEOUT_MS = 4_000;
const LOOK_MS = 50;
const PAGE = 100;

/** An event as sent to a webhook: a CloudEvents 1.0 object. */
export interface PlatformEvent<D = Record<string, unknown>> {
  specversion: '1.0';
  id: string;
  /** Service, such as `/file-management`. */
  source: `/${Service}`;
  /** Type, such as `file.done`. */
  type: string;
  time: string;
  /** Id of the object. */
  subject: string;
  datacontenttype: 'application/json';
  /** The object as the API shows it. */
  data: D;
  /** Set for an object that is too large, which is reduced to its id. */
  datatruncated?: true;
}

export interface NextEventWanted {
  /** Type, such as `file.done`. */
  type?: string;
  /** Id of the object. */
  subject?: string;
  service?: Service;
  /** Time to wait; 4 s by default. */
  timeoutMs?: number;
}

type Request = <T>(service: Service, query: string, variables: object) => Promise<T>;

interface Page {
  webhookDeliveries: { items: { id: string; body: string }[]; nextToken: string | null };
}

const EVENTS = '{__type(name:"WebhookEvent"){enumValues{name}}}';
const CREATE = 'mutation($input:CreateWebhookInput!){createWebhook(input:$input){webhook{id}}}';
const WAITING = `query($webhookId:ID!,$limit:Int,$nextToken:String){
  webhookDeliveries(webhookId:$webhookId,filter:{status:PENDING},limit:$limit,nextToken:$nextToken){items{id body} nextToken}}`;
const CONFIRM = 'mutation($webhookId:ID!,$ids:[ID!]!){confirmWebhookDeliveries(webhookId:$webhookId,ids:$ids)}';

/** Events of one tenant, since the start of recording. */
export class Events {
  private webhooks?: Promise<(readonly [Service, string])[]>;
  /** Events that were fetched and not returned yet, oldest first. */
  private fetched: PlatformEvent[] = [];
  private fetching?: Promise<void>;

  /** `request` runs an operation with all rights of the tenant. */
  constructor(
    private readonly request: Request,
    private readonly services: readonly Service[],
  ) {}

  /** Resolves once every change creates an event. */
  async start(): Promise<void> {
    this.webhooks ??= Promise.all(this.services.map(async (service) => [service, await this.create(service)] as const));
    await this.webhooks;
  }

  async next<D>({ timeoutMs = DEFAULT_TIMEOUT_MS, ...wanted }: NextEventWanted): Promise<PlatformEvent<D>> {
    if (!this.webhooks) throw new Error('call tenant.recordEvents() before the action whose event you wait for');
    for (const until = performance.now() + timeoutMs; ; await sleep(LOOK_MS)) {
      await this.fetch();
      const found = this.fetched.find((event) => isWanted(event, wanted));
      if (found) {
        this.fetched = this.fetched.filter((event) => event !== found);
        return found as PlatformEvent<D>;
      }
      if (performance.now() >= until) throw new Error(this.missing(wanted, timeoutMs));
    }
  }

  private async create(service: Service): Promise<string> {
    const { __type } = await this.request<{ __type: { enumValues: { name: string }[] } }>(service, EVENTS, {});
    const input = { url: 'poll:', events: __type.enumValues.map(({ name }) => name) };
    const { createWebhook } = await this.request<{ createWebhook: { webhook: { id: string } } }>(service, CREATE, { input });
    return createWebhook.webhook.id;
  }

  /** Fetches new events. Concurrent callers share a call, so no event is fetched twice. */
  private fetch(): Promise<void> {
    this.fetching ??= this.fetchAll().finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private async fetchAll(): Promise<void> {
    await Promise.all((await this.webhooks!).map(([service, id]) => this.fetchOf(service, id)));
    this.fetched.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Stores confirmed events at once, so a failure in another service loses nothing. */
  private async fetchOf(service: Service, webhookId: string): Promise<void> {
    const found: Page['webhookDeliveries']['items'] = [];
    for (let nextToken: string | null = null; ;) {
      const page: Page = await this.request<Page>(service, WAITING, { webhookId, limit: PAGE, nextToken });
      found.push(...page.webhookDeliveries.items);
      nextToken = page.webhookDeliveries.nextToken;
      if (nextToken === null) break;
    }
    for (let from = 0; from < found.length; from += PAGE) {
      const some = found.slice(from, from + PAGE);
      await this.request(service, CONFIRM, { webhookId, ids: some.map(({ id }) => id) });
      this.fetched.push(...some.map(({ body }) => JSON.parse(body) as PlatformEvent));
    }
  }

  /** Lists the events found instead, so a misspelt type is seen at once. */
  private missing(wanted: object, timeoutMs: number): string {
    const others = this.fetched.slice(-10).map(({ type, subject }) => `${type} of ${subject}`);
    const heard = others.length === 0 ? 'no other event waits' : `these wait: ${others.join(', ')}`;
    return `no new event ${JSON.stringify(wanted)} within ${timeoutMs} ms; ${heard}`;
  }
}

function isWanted({ type, subject, source }: PlatformEvent, wanted: NextEventWanted): boolean {
  if (wanted.type !== undefined && wanted.type !== type) return false;
  if (wanted.subject !== undefined && wanted.subject !== subject) return false;
  return wanted.service === undefined || source === `/${wanted.service}`;
}
