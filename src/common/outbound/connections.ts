import type { LookupAddress, LookupOptions } from 'node:dns';
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { TenantSemaphore } from '../scheduling/tenant-semaphore.js';
import type { Config } from '../config/config.js';
import { OutboundFault } from './fault-texts.js';
import type { NetworkGuard } from './network-guard.js';

/** Returns all addresses of a host name, as the system resolves it. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** Maximum concurrent requests of one tenant to one origin, and of this process in total. */
const MAX_TO_ORIGIN = 10;
const MAX_REQUESTS = 250;
/** Number of connections up to which a request keeps its own alive. At most MAX_KEPT + MAX_REQUESTS are ever open. */
const MAX_KEPT = 250;
/** Time after which an idle connection is closed, even if the server allows longer. */
const IDLE_MS = 30_000;
const CONNECT_MS = 10_000;
/** Maximum wait of a request for a slot. */
const MAX_WAIT_MS = 30_000;

/** Sender and receiver of a request. */
interface Route {
  tenantId: string;
  origin: string;
  signal: AbortSignal | undefined;
}

/** Connections for one request. */
interface Slot {
  dispatcher: Dispatcher;
  /** Closes the connection after the request. */
  reset: boolean;
}

/** Single message for unknown names and internal ones, so that nobody learns which internal names exist. */
const NOT_PUBLIC = 'the host has no public address';

/**
 * Connections to servers of tenants, kept alive and limited. A request needs a slot of its tenant at its origin, so a hanging server
 * delays only the tenant that calls it. A name is resolved once per connection, and all its addresses are checked then. The checked
 * address is the one connected to, so DNS rebinding gains nothing.
 */
export class Connections {
  /** Slots, with a share for each tenant and origin. Callers limit the requests of a tenant, including waiting ones. */
  private readonly slots = new TenantSemaphore({
    capacity: MAX_REQUESTS,
    share: MAX_TO_ORIGIN,
    maxWaitMs: MAX_WAIT_MS,
    maxWaitingOfTenant: Infinity,
    busy: 'Too many requests to this URL are running; try again',
  });
  private readonly dispatcher: Dispatcher;
  private open = 0;

  constructor(
    private readonly config: Config['outbound'],
    private readonly guard: NetworkGuard,
    private readonly resolve: Resolve,
  ) {
    this.dispatcher = this.createDispatcher();
  }

  /** Runs a request once it has a slot. @throws SERVICE_UNAVAILABLE after MAX_WAIT_MS; the reason of the signal */
  async use<T>({ tenantId, origin, signal }: Route, request: (slot: Slot) => Promise<T>): Promise<T> {
    const line = `${tenantId} ${origin}`;
    await this.slots.take(line, 1, { signal });
    try {
      return await request({ dispatcher: this.dispatcher, reset: this.open + this.slots.held > MAX_KEPT });
    } finally {
      // undici reuses a connection one event-loop turn after the response
      setImmediate(() => this.slots.release(line, 1));
    }
  }

  /** Checks a host before a proxy connects to it. @throws OutboundFault unless all its addresses are public */
  async judge(host: string): Promise<LookupAddress[]> {
    const addresses = await this.resolve(host).catch(() => []);
    if (addresses.length > 0 && addresses.every(({ address }) => this.guard.mayCall(address))) return addresses;
    throw new OutboundFault(NOT_PUBLIC);
  }

  destroy(): Promise<void> {
    return this.dispatcher.destroy();
  }

  private createDispatcher(): Dispatcher {
    const { trusted, proxy } = this.config;
    // `ca` replaces the public authorities, so they are added; NODE_TLS_REJECT_UNAUTHORIZED is ignored
    const tls = { ca: trusted && [...rootCertificates, trusted], rejectUnauthorized: true, timeout: CONNECT_MS };
    const factory = (origin: string | URL, options: object): Dispatcher =>
      new Pool(origin, options).on('connect', () => (this.open += 1)).on('disconnect', () => (this.open -= 1));
    const options = { factory, keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS };
    if (!proxy) return new Agent({ ...options, connect: { ...tls, lookup: this.lookup } });
    const { username, password } = new URL(proxy);
    const login = username && Buffer.from([username, password].map(decodeURIComponent).join(':')).toString('base64');
    const token = login ? `Basic ${login}` : undefined;
    const clientFactory = (to: URL, client: object): Pool => new Pool(to, { ...client, headersTimeout: CONNECT_MS });
    return new ProxyAgent({ ...options, uri: proxy, token, requestTls: tls, proxyTls: tls, clientFactory });
  }

  /** Resolves a name for `net.connect`. Never returns an address that must not be called. */
  private readonly lookup = (
    host: string,
    { all }: LookupOptions,
    done: (fault: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    const settle = async (): Promise<void> => {
      const addresses = await this.judge(host).catch((fault: Error) => fault);
      if (addresses instanceof Error) return done(addresses, []);
      return all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family);
    };
    void settle();
  };
}
