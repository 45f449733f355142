import type { LookupAddress, LookupOptions } from 'node:dns';
import { rootCertificates } from 'node:tls';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Config } from '../config/config.js';
import { OutboundFault } from './outbound-fault.js';
import type { NetworkGuard } from './network-guard.js';

/** Returns all addresses of a name, as the system resolves it. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** Connections to one origin, and of this process to all. */
const MAX_OF_ORIGIN = 10;
const MAX_OF_ALL = 500;
/** How long an idle connection stays open, as the server's hint too may not exceed. */
const IDLE_MS = 30_000;
const CONNECT_MS = 10_000;

interface Origin {
  dispatcher: Dispatcher;
  /** Requests under way. */
  sending: number;
  /** Most requests under way at once, up to MAX_OF_ORIGIN: at least as many as connections are open. */
  most: number;
  closing?: NodeJS.Timeout;
}

/** One text for a name that does not exist and for one that leads inside, so that nobody learns which names exist inside. */
const NOT_PUBLIC = 'the host has no public address';

/**
 * Connections to the servers of tenants, kept alive and bounded. A name is resolved once for each connection, and all its addresses
 * are judged then: the address that was judged is the one that is connected to, so a name that changes its address gains nothing.
 */
export class Connections {
  /** By origin, least recently used first. */
  private readonly origins = new Map<string, Origin>();
  private readonly waiting = new Set<() => void>();
  private open = 0;

  constructor(
    private readonly config: Config['outbound'],
    private readonly guard: NetworkGuard,
    private readonly resolve: Resolve,
  ) {}

  /**
   * Runs a request on the connections of its origin. Waits while as many as are allowed are open elsewhere, until the signal. With
   * nothing else under way there, they are closed after a request that failed, or that called `cut`: undici would open one more.
   */
  async use<T>(
    { origin }: URL,
    signal: AbortSignal,
    request: (dispatcher: Dispatcher, cut: () => void) => Promise<T>,
  ): Promise<T> {
    const used = await this.enter(origin, signal);
    let isWhole = true;
    try {
      return await request(used.dispatcher, () => (isWhole = false));
    } catch (error) {
      isWhole = false;
      throw error;
    } finally {
      this.leave(origin, used, isWhole);
    }
  }

  /** Judges a host where a proxy connects to it. @throws OutboundFault unless it has public addresses only */
  async judge(host: string): Promise<LookupAddress[]> {
    const addresses = await this.resolve(host).catch(() => []);
    if (addresses.length > 0 && addresses.every(({ address }) => this.guard.mayCall(address))) return addresses;
    throw new OutboundFault(NOT_PUBLIC);
  }

  async destroy(): Promise<void> {
    const all = [...this.origins.values()];
    this.origins.clear();
    for (const { closing } of all) clearTimeout(closing);
    await Promise.all(all.map(({ dispatcher }) => dispatcher.destroy()));
  }

  private async enter(origin: string, signal: AbortSignal): Promise<Origin> {
    for (;;) {
      const used = this.origins.get(origin);
      const needsMore = !used || used.sending >= used.most;
      if (used && (!needsMore || used.most === MAX_OF_ORIGIN)) return this.count(origin, used);
      if (this.open < MAX_OF_ALL || this.closeIdle(origin)) {
        this.open += 1;
        return this.count(origin, used ?? { dispatcher: this.dispatcherFor(origin), sending: 0, most: 0 }, 1);
      }
      await this.anotherEnd(signal);
    }
  }

  private count(origin: string, used: Origin, more = 0): Origin {
    clearTimeout(used.closing);
    used.sending += 1;
    used.most += more;
    this.origins.delete(origin);
    this.origins.set(origin, used);
    return used;
  }

  private leave(origin: string, used: Origin, isWhole: boolean): void {
    used.sending -= 1;
    if (used.sending === 0 && !isWhole) this.close(origin, used);
    else if (used.sending === 0) used.closing = setTimeout(() => this.close(origin, used), IDLE_MS).unref();
    for (const wake of this.waiting) wake();
  }

  /** Closes the connections of the origin that has been idle for the longest time; false if there is none. */
  private closeIdle(besides: string): boolean {
    for (const [origin, used] of this.origins) {
      if (used.sending > 0 || origin === besides) continue;
      this.close(origin, used);
      return true;
    }
    return false;
  }

  private close(origin: string, used: Origin): void {
    if (this.origins.get(origin) === used) this.origins.delete(origin);
    clearTimeout(used.closing);
    this.open -= used.most;
    void used.dispatcher.destroy();
  }

  private anotherEnd(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', abort);
        settle();
      };
      const wake = () => done(resolve);
      const abort = () => done(() => reject(signal.reason as Error));
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort);
      this.waiting.add(wake);
    });
  }

  private dispatcherFor(origin: string): Dispatcher {
    const { trusted, proxy } = this.config;
    // `ca` replaces the public authorities, so they are named too; NODE_TLS_REJECT_UNAUTHORIZED has no say
    const tls = { ca: trusted && [...rootCertificates, trusted], rejectUnauthorized: true, timeout: CONNECT_MS };
    const options = { connections: MAX_OF_ORIGIN, keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS };
    if (!proxy) return new Pool(origin, { ...options, connect: { ...tls, lookup: this.lookup } });
    const { username, password } = new URL(proxy);
    const login = username && Buffer.from([username, password].map(decodeURIComponent).join(':')).toString('base64');
    const token = login ? `Basic ${login}` : undefined;
    return new ProxyAgent({ ...options, uri: proxy, token, requestTls: tls, proxyTls: tls });
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
