import { ForbiddenError, NotFoundError, PlatformError } from './errors.js';
import { EVENT_SERVICES, type EventName, type ServiceName } from './generated/services.js';
import type { CallOptions, Transport } from './transport.js';

/** Webhook of one service, of a receiver. */
export interface ReceiverWebhook {
  service: ServiceName;
  id: string;
  events: EventName[];
  active: boolean;
}

/** A URL, with the webhooks of all services that send to it. */
export interface Receiver {
  url: string;
  /** Events of all its webhooks. */
  events: EventName[];
  webhooks: ReceiverWebhook[];
}

/** A receiver whose webhooks were created or updated. */
export interface CreatedReceiver extends Receiver {
  /** Secret of all webhooks: the given or a new one. Undefined if none was needed: the webhooks keep theirs. */
  secret: string | undefined;
}

export interface ReceiverOptions {
  /** https URL of the receiver; see `createWebhook`. */
  url: string;
  /** Events of any services, by name. */
  events: readonly EventName[];
  /** Secret of all webhooks: `whsec_` and the base64 of 24 to 64 bytes. Without one, a new one when a service gets its first webhook. */
  secret?: string | undefined;
  /** Up to 256 characters. */
  description?: string | undefined;
}

/** Some services failed. The others are done, and calling again completes the rest. */
export class WebhooksError extends Error {
  constructor(
    /** What was done. */
    readonly receiver: CreatedReceiver,
    /** The error of each service that failed. */
    readonly failures: ReadonlyMap<ServiceName, Error>,
  ) {
    const texts = [...failures].map(([service, { message }]) => `${service}: ${message}`);
    super(`${texts.join('; ')}. Call again to complete the rest`, { cause: [...failures.values()][0] });
    this.name = 'WebhooksError';
  }
}

/** One receiver for all services. */
export interface Webhooks {
  /**
   * Creates the webhooks of a receiver, one in each service that has some of the events. Calling again with the same URL updates
   * them: services without events lose their webhook, and inactive ones are active again.
   * @throws WebhooksError if some services failed
   */
  create(options: ReceiverOptions, call?: CallOptions): Promise<CreatedReceiver>;
  /** Returns the receivers of all services that the key may access. */
  list(call?: CallOptions): Promise<Receiver[]>;
  /** Deletes the webhooks of a URL in all services, with their queued events. Returns their number. @throws WebhooksError */
  delete(url: string, call?: CallOptions): Promise<number>;
}

const FIELDS = 'id url events active';
const LIST = `query { webhooks { items { ${FIELDS} } } }`;
const CREATE = `mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { ${FIELDS} } } }`;
const UPDATE = `mutation($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { ${FIELDS} } }`;
const DELETE = 'mutation($id: ID!) { deleteWebhook(id: $id) { id } }';
/** Fetched instead of received, so it is the URL of no receiver. */
const POLL_URL = 'poll:';
const ALL = [...new Set<ServiceName>(Object.values(EVENT_SERVICES))];

interface Found {
  id: string;
  url: string;
  events: EventName[];
  active: boolean;
}

export function webhooksOf(transport: Transport): Webhooks {
  const send = async <T>(service: ServiceName, query: string, variables: object, call: CallOptions): Promise<T> =>
    (await transport.send(service, { query, variables, isRepeatable: query !== CREATE }, call)) as T;
  const found = async (service: ServiceName, call: CallOptions) =>
    (await send<{ webhooks: { items: Found[] } }>(service, LIST, {}, call)).webhooks.items.filter(({ url }) => url !== POLL_URL);
  const remove = (service: ServiceName, id: string, call: CallOptions) =>
    send(service, DELETE, { id }, call).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
    });

  const list = async (call: CallOptions = {}): Promise<Receiver[]> => {
    const failures = new Map<ServiceName, Error>();
    const all = await inAll(ALL, failures, (service) => found(service, call));
    const other = [...failures.values()].find((error) => all.size === 0 || !(error instanceof ForbiddenError));
    if (other) throw other;
    const webhooks = [...all].flatMap(([service, own]) => own.map((one) => ({ ...one, service })));
    return [...new Set(webhooks.map(({ url }) => url))].map((url) =>
      receiverOf(
        url,
        webhooks.filter((one) => one.url === url).map(({ service, id, events, active }) => ({ service, id, events, active })),
      ),
    );
  };

  return {
    async create({ url, events, secret: given, description }, call = {}) {
      if (url === POLL_URL) throw new TypeError('poll: has no receiver: use createWebhook of the service');
      const wanted = eventsByService(events);
      const failures = new Map<ServiceName, Error>();
      const before = await inAll(ALL, failures, async (service) => {
        const own = await found(service, call).catch((error: unknown) => {
          if (wanted.has(service) || !(error instanceof ForbiddenError)) throw error;
          return []; // a service that the key cannot access has none of its webhooks
        });
        return own.filter((one) => one.url === url).sort((one, other) => (one.id < other.id ? -1 : 1));
      });
      const isNew = [...before].some(([service, own]) => wanted.has(service) && own.length === 0);
      const secret = given ?? (isNew ? newSecret() : undefined);
      const done = await inAll([...before.keys()], failures, async (service) => {
        const [first, ...others] = before.get(service)!;
        const own = wanted.get(service);
        for (const { id } of own ? others : before.get(service)!) await remove(service, id, call);
        if (!own) return undefined;
        const more = { events: own, secret, description };
        const { id, active } = first
          ? (await send<{ updateWebhook: Found }>(service, UPDATE, { id: first.id, input: { ...more, active: true } }, call))
              .updateWebhook
          : (await send<{ createWebhook: { webhook: Found } }>(service, CREATE, { input: { ...more, url } }, call)).createWebhook
              .webhook;
        return { service, id, events: own, active };
      });
      const webhooks = [...done.values()].filter((one) => one !== undefined);
      const receiver = { ...receiverOf(url, webhooks), secret };
      if (failures.size > 0) throw new WebhooksError(receiver, failures);
      return receiver;
    },

    list,

    async delete(url, call = {}) {
      const own = (await list(call)).find((one) => one.url === url)?.webhooks ?? [];
      const failures = new Map<ServiceName, Error>();
      const done = await inAll([...new Set(own.map(({ service }) => service))], failures, async (service) => {
        const gone = own.filter((one) => one.service === service);
        for (const { id } of gone) await remove(service, id, call);
        return gone;
      });
      const gone = [...done.values()].flat();
      if (failures.size > 0) throw new WebhooksError({ ...receiverOf(url, gone), secret: undefined }, failures);
      return gone.length;
    },
  };
}

const receiverOf = (url: string, webhooks: ReceiverWebhook[]): Receiver => ({
  url,
  events: webhooks.flatMap(({ events }) => events),
  webhooks,
});

/** Runs a task in each service, and returns the results of those that did not fail. */
async function inAll<T>(
  services: readonly ServiceName[],
  failures: Map<ServiceName, Error>,
  task: (service: ServiceName) => Promise<T>,
): Promise<Map<ServiceName, T>> {
  const done = new Map<ServiceName, T>();
  const run = async (service: ServiceName) => {
    try {
      done.set(service, await task(service));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      failures.set(service, error);
    }
  };
  await Promise.all(services.map(run));
  return done;
}

/** @throws TypeError for an unknown event, or for none */
function eventsByService(events: readonly EventName[]): Map<ServiceName, EventName[]> {
  const wanted = new Map<ServiceName, EventName[]>();
  for (const event of new Set(events)) {
    const service = Object.hasOwn(EVENT_SERVICES, event) ? EVENT_SERVICES[event] : undefined;
    if (!service) throw new TypeError(`${String(event)} is no event: use names such as FILE_DONE`);
    wanted.set(service, [...(wanted.get(service) ?? []), event]);
  }
  if (wanted.size === 0) throw new TypeError('Give at least one event, or delete the webhooks of the URL');
  return wanted;
}

const newSecret = () => `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))}`;
