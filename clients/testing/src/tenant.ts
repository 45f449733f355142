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

/** Rights of an access token, as in createAccessToken. */
export interface NewToken {
  scope?: string[];
  /** Lifetime in seconds, 60 to 86,400. */
  expiresIn?: number;
  recipient?: string;
  filePrefix?: string;
  origins?: string[];
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
  /** True if it was pushed to the inbox of its recipient, with what the recipient did with it there. */
  inbox: boolean;
  seenAt: Date | null;
  readAt: Date | null;
  archivedAt: Date | null;
}

/** Mail in place of a message that its recipient had not confirmed in time. */
export interface Fallback {
  /** Id of the message. */
  messageId: string;
  recipient: string;
  state: 'WAITING' | 'NOT_NEEDED' | 'SENT' | 'FAILED';
  /** Id of the mail, as in `Mail`; null unless SENT. */
  emailId: string | null;
  /** Time at which it is due while WAITING; otherwise time of the decision. */
  at: Date;
  /** Reason for FAILED; otherwise null. */
  error: string | null;
}

export interface PushesWanted {
  recipient?: string;
  topic?: string;
}

type Marks = 'deliveredAt' | 'seenAt' | 'readAt' | 'archivedAt';
type StoredPush = Omit<Push, 'createdAt' | Marks> & { createdAt: string } & Record<Marks, string | null>;

interface StoredFallback extends Omit<Fallback, 'messageId' | 'recipient' | 'at'> {
  at: string;
}

interface Page<T> {
  messages: { items: T[]; nextToken: string | null };
}

const ALL_ENTRIES = SERVICES.flatMap((service) => [`${service}-api:query:*`, `${service}-api:mutation:*`]);
const TOKEN = 'mutation($input: AccessTokenInput!) { createAccessToken(input: $input) { token } }';

const messages = (fields: string): string => `query($filter: MessagesFilter, $limit: Int, $nextToken: String) {
  messages(filter: $filter, limit: $limit, nextToken: $nextToken) { items { ${fields} } nextToken }
}`;
const PUSHES = messages('id recipient topic message status createdAt deliveredAt inbox seenAt readAt archivedAt');
const FALLBACKS = messages('id recipient fallback { state emailId at error }');

export type InboxState = 'SEEN' | 'READ' | 'UNREAD' | 'ARCHIVED';

const MARK =
  'mutation($recipient: String!, $ids: [ID!], $state: InboxState!) { markMessages(recipient: $recipient, ids: $ids, state: $state) }';

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
    this.eventKey ??= this.newKey(ALL_ENTRIES.join(' '));
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

  /** Creates an access token of the tenant, such as for a page. By default it has all entries of the five services, for an hour. */
  async token({ scope = ALL_ENTRIES, expiresIn = 3_600, ...bounds }: NewToken = {}): Promise<string> {
    const input = { scope, expiresIn, ...bounds };
    const service = SERVICES.find((one) => scope[0]?.startsWith(`${one}-api:`)) ?? SERVICES[0];
    const { createAccessToken } = await this.requestAll<{ createAccessToken: { token: string } }>(service, TOKEN, { input });
    return createAccessToken.token;
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

  /** Marks messages as their recipient would: as SEEN, READ, UNREAD or ARCHIVED. Returns the number changed. */
  async mark(recipient: string, ids: string[], state: InboxState): Promise<number> {
    const { markMessages } = await this.requestAll<{ markMessages: number }>('websockets-manager', MARK, {
      recipient,
      ids,
      state,
    });
    return markMessages;
  }

  /** Returns the pushed messages, oldest first. The key needs `websockets-manager-api:query:messages`. */
  async pushes(filter: PushesWanted = {}): Promise<Push[]> {
    return (await this.messages<StoredPush>(PUSHES, filter)).map(pushOf);
  }

  /** Returns the fallbacks of pushed messages, oldest first. Advance the clock to make them due; `nextMail` returns their mails. */
  async fallbacks(filter: PushesWanted = {}): Promise<Fallback[]> {
    type Item = Pick<Push, 'id' | 'recipient'> & { fallback: StoredFallback | null };
    return (await this.messages<Item>(FALLBACKS, filter)).flatMap(({ id: messageId, recipient, fallback }) =>
      fallback ? { messageId, recipient, ...fallback, at: new Date(fallback.at) } : [],
    );
  }

  private async messages<T>(query: string, filter: PushesWanted): Promise<T[]> {
    const found: T[] = [];
    for (let nextToken: string | null = null; ;) {
      const page: Page<T> = await this.request<Page<T>>('websockets-manager', query, { filter, limit: PAGE, nextToken });
      found.push(...page.messages.items);
      nextToken = page.messages.nextToken;
      if (nextToken === null) return found.reverse();
    }
  }
}

interface GraphqlError {
  message: string;
  extensions: { code: string; field?: string };
}

const timeOf = (at: string | null): Date | null => (at === null ? null : new Date(at));

function pushOf({ createdAt, deliveredAt, seenAt, readAt, archivedAt, ...push }: StoredPush): Push {
  const times = {
    deliveredAt: timeOf(deliveredAt),
    seenAt: timeOf(seenAt),
    readAt: timeOf(readAt),
    archivedAt: timeOf(archivedAt),
  };
  return { ...push, createdAt: new Date(createdAt), ...times };
}
