import { type Bounce, bounceMail, type BounceOrder } from './bounces.js';
import { Events, type NextEventWanted, type PlatformEvent } from './events.js';
import { type Mail, Mails, type MailsWanted, type NextMailWanted } from './mails.js';
import { PlatformError } from './platform-error.js';
import type { TestingApi } from './testing-api.js';

const LIMIT_MS = 30_000;
const PAGE = 1_000;

export { PlatformError };

const SERVICES = ['file-management', 'document-rendering', 'websockets-manager', 'document-log', 'email'] as const;
export type Service = (typeof SERVICES)[number];

export interface NewTenant {
  /** Name; random by default. */
  name?: string;
  /** Entries such as `file-management-api:query:*`, separated by spaces; by default all entries of the five services. */
  scope?: string;
}

/** A message pushed to one recipient. */
export interface Push {
  id: string;
  recipient: string;
  topic: string | null;
  message: string;
  status: 'PENDING' | 'DELIVERED' | 'CANCELLED';
  createdAt: Date;
  deliveredAt: Date | null;
}

export interface PushesWanted {
  recipient?: string;
  topic?: string;
}

interface StoredPush extends Omit<Push, 'createdAt' | 'deliveredAt'> {
  createdAt: string;
  deliveredAt: string | null;
}

interface PushesPage {
  messages: { items: StoredPush[]; nextToken: string | null };
}

const PUSHES = `query($filter: MessagesFilter, $limit: Int, $nextToken: String) {
  messages(filter: $filter, limit: $limit, nextToken: $nextToken) {
    items { id recipient topic message status createdAt deliveredAt } nextToken
  }
}`;

/** An isolated tenant. */
export class Tenant {
  private readonly sent: Mails;
  private readonly events: Events;
  private eventKey?: Promise<string>;

  constructor(
    private readonly api: TestingApi,
    readonly id: string,
    readonly name: string,
    /** API key, for the header `x-api-key`. */
    readonly key: string,
  ) {
    this.sent = new Mails(api, id);
    this.events = new Events((service, query, variables) => this.requestAll(service, query, variables), SERVICES);
  }

  /** URL of the server, such as `http://localhost:40123`. */
  get address(): string {
    return this.api.address;
  }

  /** Runs an operation and returns its data. @throws PlatformError for the first error of the answer */
  request<T = Record<string, unknown>>(service: Service, query: string, variables: object = {}): Promise<T> {
    return this.send<T>(this.key, service, query, variables);
  }

  /** Uses a separate key, since that of the tenant may have fewer rights. */
  private async requestAll<T>(service: Service, query: string, variables: object): Promise<T> {
    this.eventKey ??= this.newKey(SERVICES.map((one) => `${one}-api:query:* ${one}-api:mutation:*`).join(' '));
    return this.send<T>(await this.eventKey, service, query, variables);
  }

  private async send<T>(key: string, service: Service, query: string, variables: object): Promise<T> {
    const response = await fetch(`${this.address}/${service}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const { data, errors } = (await response.json()) as { data: T; errors?: GraphqlError[] };
    const error = errors?.[0];
    if (error) throw new PlatformError(error.extensions.code, error.message, error.extensions.field);
    return data;
  }

  /** Creates another key, such as one with few rights. */
  async newKey(scope: string): Promise<string> {
    return (await this.api.post<{ key: string }>('keys', { tenantId: this.id, scope })).key;
  }

  /** Returns all sent mails, oldest first. */
  mails(wanted: MailsWanted = {}): Promise<Mail[]> {
    return this.sent.all(wanted);
  }

  /** Reports a bounce of the newest mail to an address. @throws PlatformError without one */
  bounce(to: string, order: BounceOrder = {}): Promise<Bounce> {
    return bounceMail(this.api, to, order, this.id);
  }

  /** Returns the first mail not yet returned for this `to`, waiting for one if necessary. */
  nextMail(wanted: NextMailWanted = {}): Promise<Mail> {
    return this.sent.next(wanted);
  }

  /** Starts recording the events of all services for `nextEvent`: call it before the action. A second call does nothing. */
  recordEvents(): Promise<void> {
    return this.events.start();
  }

  /** Returns the oldest recorded event that matches and was not returned yet, waiting for one if necessary. */
  nextEvent<D = Record<string, unknown>>(wanted: NextEventWanted = {}): Promise<PlatformEvent<D>> {
    return this.events.next<D>(wanted);
  }

  /** Returns the pushed messages, oldest first. The key needs `websockets-manager-api:query:messages`. */
  async pushes(filter: PushesWanted = {}): Promise<Push[]> {
    const found: StoredPush[] = [];
    for (let nextToken: string | null = null; ;) {
      const page: PushesPage = await this.request<PushesPage>('websockets-manager', PUSHES, { filter, limit: PAGE, nextToken });
      found.push(...page.messages.items);
      nextToken = page.messages.nextToken;
      if (nextToken === null) return found.reverse().map(pushOf);
    }
  }
}

interface GraphqlError {
  message: string;
  extensions: { code: string; field?: string };
}

function pushOf({ createdAt, deliveredAt, ...push }: StoredPush): Push {
  return { ...push, createdAt: new Date(createdAt), deliveredAt: deliveredAt === null ? null : new Date(deliveredAt) };
}
