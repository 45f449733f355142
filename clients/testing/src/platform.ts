import { type Bounce, bounceMail, type BounceOrder } from './bounces.js';
import { type Clock, clockOf } from './clock.js';
import { type Faults, faultsOf } from './faults.js';
import { type Mail, Mails, type MailsWanted, type NextMailWanted } from './mails.js';
import { join, type Lease } from './shared-server.js';
import { type NewTenant, Tenant } from './tenant.js';
import { TestingApi } from './testing-api.js';

export interface PlatformOptions {
  /**
   * Starts a server for this caller alone. Required for `clock` and `faults`, which would disturb other test files. Otherwise all test
   * files of the machine that request the same server share one.
   */
  exclusive?: boolean;
  /** Program and arguments that start a server; by default those of the installed package `platform-services`. */
  command?: string[];
  /** Settings of the server, as documented. */
  env?: Record<string, string>;
  /** Time limit of the start; 60 s by default. */
  timeoutMs?: number;
}

const START_LIMIT_MS = 60_000;

/** Starts a server, or joins the one of other test files. */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const { exclusive = false, timeoutMs = START_LIMIT_MS } = options;
  const lease = await join({ isShared: !exclusive, command: options.command, env: options.env ?? {}, timeoutMs });
  return new Platform(new TestingApi(lease.address, lease.testingKey), lease, exclusive);
}

/** A running server. */
export class Platform {
  private readonly sent: Mails;

  constructor(
    private readonly api: TestingApi,
    private readonly lease: Pick<Lease, 'release'>,
    private readonly isExclusive: boolean,
  ) {
    this.sent = new Mails(api);
  }

  /** URL such as `http://localhost:40123`. */
  get address(): string {
    return this.api.address;
  }

  /** Clock of the server. @throws Error for a server that is not `exclusive` */
  get clock(): Clock {
    this.requireExclusive('clock');
    return clockOf(this.api);
  }

  /** Faults of the server's dependencies. @throws Error for a server that is not `exclusive` */
  get faults(): Faults {
    this.requireExclusive('faults');
    return faultsOf(this.api);
  }

  /** Creates an isolated tenant with a key. */
  async newTenant(order: NewTenant = {}): Promise<Tenant> {
    const { id, name, key } = await this.api.post<{ id: string; name: string; key: string }>('tenants', order);
    return new Tenant(this.api, id, name, key);
  }

  /** Returns all sent mails of all tenants, and the server's own with validation links, oldest first. */
  mails(wanted: MailsWanted = {}): Promise<Mail[]> {
    return this.sent.all(wanted);
  }

  /** Returns the first mail of any tenant not yet returned for this `to`, waiting for one if necessary. */
  nextMail(wanted: NextMailWanted = {}): Promise<Mail> {
    return this.sent.next(wanted);
  }

  /** Reports a bounce of the newest mail to an address, of any tenant. @throws PlatformError without one */
  bounce(to: string, order: BounceOrder = {}): Promise<Bounce> {
    return bounceMail(this.api, to, order);
  }

  /** Leaves the server. The last caller stops it and removes its data; so does the exit of this process. */
  stop(): Promise<void> {
    return this.lease.release();
  }

  private requireExclusive(name: string): void {
    if (this.isExclusive) return;
    throw new Error(
      `platform.${name} would disturb other test files: call startPlatform({ exclusive: true }) for a server of your own`,
    );
  }
}
