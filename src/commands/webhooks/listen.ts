import { hostname } from 'node:os';
import { SERVICES } from '../../common/auth/scopes.js';
import { packageVersion } from '../../common/base/project-file.js';
import { AppError } from '../../common/base/app-error.js';
import { columns, print, say } from '../../common/base/printable.js';
import { MAX_DESCRIPTION } from '../../common/events/delivery/limits.js';
import type { TenantService } from '../../common/events/outbox/event.js';
import { EventRelay } from './event-relay.js';
import { Forwarder, secretFor } from './forwarder.js';
import { eventsOf, PolledWebhook } from './polled-webhook.js';
import { Refusal, ServedApi, Unreachable } from './served-api.js';

const DELETE_LIMIT_MS = 5_000;

export interface ListenOptions {
  /** URL to send events to. */
  forward: string;
  url: string;
  key: string;
  secret?: string;
  /** Services; by default all that the key may access. */
  service?: TenantService[];
  /** Event names such as FILE_DONE; by default all. */
  events?: string[];
}

/** Forwards events to a URL until SIGINT or SIGTERM, then removes its webhooks. @throws AppError if there is nothing to listen to */
export async function listen(options: ListenOptions): Promise<void> {
  const { forward, url, key, secret = secretFor(key) } = options;
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  const webhooks: PolledWebhook[] = [];
  try {
    await createAll(new ServedApi(url.replace(/\/+$/, ''), key), options, webhooks);
    print(columns('secret', secret));
    print(columns('forwarding', webhooks.map(({ service }) => service).join(', '), forward));
    const forwarder = new Forwarder(forward, secret, packageVersion());
    await Promise.all(webhooks.map((webhook) => new EventRelay(webhook, forwarder, stopping.signal).run()));
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unreachable) throw refusalOf(error);
    throw error;
  } finally {
    stopping.abort();
    await Promise.all(webhooks.map(remove));
  }
}

/** Creates a webhook in each service. Adds each to `created` at once, so that a failure leaves none behind. */
async function createAll(api: ServedApi, { forward, service, events }: ListenOptions, created: PolledWebhook[]): Promise<void> {
  const description = `platform-services webhooks listen on ${hostname()} for ${forward}`.slice(0, MAX_DESCRIPTION);
  const unknown = new Set(events);
  for (const one of service ?? SERVICES) {
    try {
      const all = await eventsOf(api, one);
      const wanted = events ? all.filter((event) => unknown.delete(event)) : all;
      if (wanted.length > 0) created.push(await PolledWebhook.create(api, one, { events: wanted, description }));
    } catch (error) {
      if (service || !(error instanceof Refusal && error.code === 'FORBIDDEN')) throw error;
      say(`${one} is skipped: ${error.message}`);
    }
  }
  if (unknown.size > 0) throw new AppError('BAD_USER_INPUT', `no service has the events ${[...unknown].join(', ')}`);
  if (created.length === 0) throw new AppError('FORBIDDEN', 'the key may not create webhooks in any service');
}

async function remove(webhook: PolledWebhook): Promise<void> {
  try {
    await webhook.delete(AbortSignal.timeout(DELETE_LIMIT_MS));
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return;
    say(`${webhook.service}: the webhook could not be removed, the next start removes it: ${(error as Error).message}`);
  }
}

function refusalOf(error: Refusal | Unreachable): AppError {
  if (error instanceof Unreachable) return new AppError('SERVICE_UNAVAILABLE', error.message);
  const isGone = error.code === 'NOT_FOUND';
  return new AppError(
    'FAILED_PRECONDITION',
    isGone ? 'the webhook was removed, possibly by another run of this command' : error.message,
  );
}
