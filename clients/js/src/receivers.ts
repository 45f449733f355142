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
    /** Receiver with the webhooks of the services that succeeded. */
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

/** Finds and changes the webhooks of one service. */
interface ServiceWebhooks {
  found(): Promise<Found[]>;
  /** Leaves one webhook with the events, or none. */
  keep(own: readonly Found[], events: EventName[] | undefined, more: ReceiverOptions): Promise<ReceiverWebhook | undefined>;
  remove(id: string): Promise<void>;
}

function webhooksIn(service: ServiceName, transport: Transport, call: CallOptions): ServiceWebhooks {
  const send = async <T>(query: string, variables: object): Promise<T> =>
    (await transport.send(service, { query, variables, isRepeatable: query !== CREATE }, call)) as T;
  const remove = async (id: string): Promise<void> => {
    await send(DELETE, { id }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
    });
  };
  return {
    remove,
    async found() {
      const { webhooks } = await send<{ webhooks: { items: Found[] } }>(LIST, {});
      return webhooks.items.filter(({ url }) => url !== POLL_URL);
    },
    async keep(own, events, { url, secret, description }) {
      const [first, ...others] = own;
      for (const { id } of events ? others : own) await remove(id);
      if (!events) return undefined;
      const input = { events, secret, description };
      if (first) {
        const variables = { id: first.id, input: { ...input, active: true } };
        const { updateWebhook } = await send<{ updateWebhook: Found }>(UPDATE, variables);
        return { service, id: first.id, events, active: updateWebhook.active };
      }
      const { createWebhook } = await send<{ createWebhook: { webhook: Found } }>(CREATE, { input: { ...input, url } });
      return { service, id: createWebhook.webhook.id, events, active: createWebhook.webhook.active };
    },
  };
}

export function webhooksOf(transport: Transport): Webhooks {
  return {
    create: (options, call = {}) => create(transport, options, call),
    list: (call = {}) => list(transport, call),
    delete: (url, call = {}) => deleteAll(transport, url, call),
  };
}

async function create(transport: Transport, options: ReceiverOptions, call: CallOptions): Promise<CreatedReceiver> {
  const { url } = options;
  if (url === POLL_URL) throw new TypeError('poll: has no receiver: use createWebhook of the service');
  const wanted = eventsByService(options.events);
  const failures = new Map<ServiceName, Error>();
  const before = await inAll(ALL, failures, async (service) => {
    const found = await webhooksIn(service, transport, call)
      .found()
      .catch((error: unknown) => {
        if (wanted.has(service) || !(error instanceof ForbiddenError)) throw error;
        return []; // a service that the key cannot access has none of its webhooks
      });
    return found.filter((one) => one.url === url).sort((one, other) => (one.id < other.id ? -1 : 1));
  });
  const isNew = [...before].some(([service, own]) => wanted.has(service) && own.length === 0);
  const secret = options.secret ?? (isNew ? newSecret() : undefined);
  const done = await inAll([...before.keys()], failures, (service) =>
    webhooksIn(service, transport, call).keep(before.get(service)!, wanted.get(service), { ...options, secret }),
  );
  const receiver = {
    ...receiverOf(
      url,
      [...done.values()].filter((one) => one !== undefined),
    ),
    secret,
  };
  if (failures.size > 0) throw new WebhooksError(receiver, failures);
  return receiver;
}

async function list(transport: Transport, call: CallOptions): Promise<Receiver[]> {
  const failures = new Map<ServiceName, Error>();
  const all = await inAll(ALL, failures, (service) => webhooksIn(service, transport, call).found());
  const other = [...failures.values()].find((error) => all.size === 0 || !(error instanceof ForbiddenError));
  if (other) throw other;
  const receivers = new Map<string, ReceiverWebhook[]>();
  for (const [service, found] of all) {
    for (const { id, url, events, active } of found) {
      receivers.set(url, [...(receivers.get(url) ?? []), { service, id, events, active }]);
    }
  }
  return [...receivers].map(([url, webhooks]) => receiverOf(url, webhooks));
}

async function deleteAll(transport: Transport, url: string, call: CallOptions): Promise<number> {
  const own = (await list(transport, call)).find((one) => one.url === url)?.webhooks ?? [];
  const failures = new Map<ServiceName, Error>();
  const done = await inAll([...new Set(own.map(({ service }) => service))], failures, async (service) => {
    const gone = own.filter((one) => one.service === service);
    for (const { id } of gone) await webhooksIn(service, transport, call).remove(id);
    return gone;
  });
  const gone = [...done.values()].flat();
  if (failures.size > 0) throw new WebhooksError({ ...receiverOf(url, gone), secret: undefined }, failures);
  return gone.length;
}

const receiverOf = (url: string, webhooks: ReceiverWebhook[]): Receiver => ({
  url,
  events: webhooks.flatMap(({ events }) => events),
  webhooks,
});

/** Runs a task in each service, and returns the results of those that did not fail, in the order of the services. */
async function inAll<T>(
  services: readonly ServiceName[],
  failures: Map<ServiceName, Error>,
  task: (service: ServiceName) => Promise<T>,
): Promise<Map<ServiceName, T>> {
  const run = async (service: ServiceName): Promise<[ServiceName, T][]> => {
    try {
      return [[service, await task(service)]];
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      failures.set(service, error);
      return [];
    }
  };
  return new Map((await Promise.all(services.map(run))).flat());
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
