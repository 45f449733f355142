import type { LookupAddress, LookupOptions } from 'node:dns';
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { TenantSemaphore } from '../scheduling/tenant-semaphore.js';
import type { Config } from '../config/config.js';
import { OutboundFault } from './fault-texts.js';
import type { NetworkGuard } from './network-guard.js';

/** Returns all addresses of a name, as the system resolves it. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** Concurrent requests of one tenant to one origin, and of this process to all. */
const MAX_TO_ORIGIN = 10;
const MAX_REQUESTS = 250;
/** Connections, open or about to be, up to which a request keeps its own alive. At most MAX_KEPT + MAX_REQUESTS are ever open. */
const MAX_KEPT = 250;
/** How long an idle connection stays open, also where the server's hint allows longer. */
const IDLE_MS = 30_000;
const CONNECT_MS = 10_000;
/** How long a request waits for a slot. */
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
  /** Whether to close the connection after the request. */
  reset: boolean;
}

/** One text for a name that does not exist and for one that leads inside, so that nobody learns which names exist inside. */
const NOT_PUBLIC = 'the host has no public address';

/**
 * Connections to the servers of tenants, kept alive and bounded. A request needs a slot of its tenant at its origin, so that a server
 * that hangs holds up nobody but the tenant that called it. A name is resolved once for each connection, and all its addresses
 * are judged then: the address that was judged is the one that is connected to, so a name that changes its address gains nothing.
 */
export class Connections {
  /** Has a share for each tenant and origin. Callers bound the requests of a tenant, and those that wait. */
  private readonly slots = new TenantSemaphore({
    capacity: MAX_REQUESTS,
    share: MAX_TO_ORIGIN,
    maxWaitMs: MAX_WAIT_MS,
    maxWaitingOfTenant: Infinity,
    busy: 'Too many requests to this address are under way; try again',
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
      // undici reuses a connection a turn after the answer
      setImmediate(() => this.slots.release(line, 1));
    }
  }

  /** Judges a host where a proxy connects to it. @throws OutboundFault unless it has public addresses only */
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
    // `ca` replaces the public authorities, so they are named too; NODE_TLS_REJECT_UNAUTHORIZED has no say
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

  /** Resolves a name for a connection, as `net.connect` asks: addresses that are not to be called are never connected to. */
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
