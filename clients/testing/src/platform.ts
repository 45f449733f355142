import { type Bounce, bounceMail, type BounceOrder } from './bounces.js';
import { type Clock, clockOf } from './clock.js';
import { type Faults, faultsOf } from './faults.js';
import { type Mail, Mails, type MailsWanted, type NextMailWanted } from './mails.js';
import { join, type Lease } from './shared-server.js';
import { type NewTenant, Tenant } from './tenant.js';
import { TestingApi } from './testing-api.js';

export interface PlatformOptions {
  /**
   * A server for this caller alone. Needed for `clock` and `faults`, which would disturb other test files. Without it, all test
   * files of the machine that ask for the same server share one.
   */
  exclusive?: boolean;
  /** The program and its arguments that start a server; that of the installed package `platform-services` unless given. */
  command?: string[];
  /** Settings of the server, as its documentation lists them. */
  env?: Record<string, string>;
  /** How long the start may take; 60 s unless given. */
  timeoutMs?: number;
}

const START_LIMIT_MS = 60_000;

/** Starts a server, or joins the one that other test files use. */
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

  /** Such as `http://localhost:40123`. */
  get address(): string {
    return this.api.address;
  }

  /** The clock of the server. @throws Error for a server that is not `exclusive` */
  get clock(): Clock {
    this.requireExclusive('clock');
    return clockOf(this.api);
  }

  /** Faults of the server's parts. @throws Error for a server that is not `exclusive` */
  get faults(): Faults {
    this.requireExclusive('faults');
    return faultsOf(this.api);
  }

  /** Creates a tenant, which is isolated from all others, with a key. */
  async newTenant(order: NewTenant = {}): Promise<Tenant> {
    const { id, name, key } = await this.api.post<{ id: string; name: string; key: string }>('tenants', order);
    return new Tenant(this.api, id, name, key);
  }

  /** Returns the mails of all tenants that were sent so far, and the server's own with validation links, oldest first. */
  mails(wanted: MailsWanted = {}): Promise<Mail[]> {
    return this.sent.all(wanted);
  }

  /** Returns the first mail of any tenant that it has not returned yet for this `to`, and waits for one if there is none. */
  nextMail(wanted: NextMailWanted = {}): Promise<Mail> {
    return this.sent.next(wanted);
  }

  /** Makes the newest mail of any tenant to an address come back, as a report of a mail server would. @throws PlatformError without one */
  bounce(to: string, order: BounceOrder = {}): Promise<Bounce> {
    return bounceMail(this.api, to, order);
  }

  /** Leaves the server. The last to leave ends it, and removes its data; so does the end of this process. */
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
