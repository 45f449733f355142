import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiKeysService } from '../common/auth/api-keys.service.js';
import { ALL_SCOPES } from '../common/auth/scopes.js';
import { Config } from '../common/config/config.js';
import { Database } from '../common/database/database.js';
import { sql } from '../common/database/sql/sql.js';
import { AppError, quoted } from '../common/base/app-error.js';
import { uuidv7 } from '../common/base/ids.js';
import { Logger } from '../common/logging/logger.js';
import { TenantsService } from '../common/tenants/tenants.service.js';
import { BackgroundJobs } from '../common/jobs/background-jobs.js';
import type { BounceKind } from '../modules/email/bounces/reports/report.js';
import { BouncesService } from '../modules/email/bounces/bounces.service.js';
import type { EmailBounce } from '../modules/email/models/bounce.model.js';
import { OutboxJob } from '../modules/email/outbox/outbox.job.js';
import { MailNotTaken, MailTransport } from '../modules/email/transport/mail-transport.js';
import { BlobStore, BlobStoreUnavailable } from '../modules/file-management/blob-store/blob-store.js';
import { Bus, BusDown } from '../modules/websockets-manager/bus/bus.js';
import { NodeListener } from '../modules/websockets-manager/delivery/node-listener.js';
import { Faults } from './faults.js';
import { Mailbox, type MailsWanted, type SentMail } from './mailbox.js';
import { TestClock } from './test-clock.js';

interface BounceOrder {
  tenantId?: string;
  to: string;
  kind: BounceKind;
  code?: string;
  diagnostic?: string;
}

const CODE_OF = { DELAYED: '4.4.1', SOFT: '5.2.2', HARD: '5.1.1', COMPLAINT: null } as const;

const endProcess = (): void => void process.kill(process.pid, 'SIGTERM');
const unnoted = (): Promise<void> => Promise.resolve();

/** Test support for applications beyond the APIs: creates tenants, returns mails, advances the clock, injects faults. */
@Injectable()
export class TestingService implements OnModuleInit, OnModuleDestroy {
  readonly faults = new Faults();
  private readonly clock = new TestClock();
  private readonly mailbox = new Mailbox();

  constructor(
    private readonly modules: ModuleRef,
    private readonly config: Config,
    private readonly database: Database,
    private readonly keys: ApiKeysService,
    private readonly jobs: BackgroundJobs,
    private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.logger.warn('TESTING_KEY is set: whoever has it can read all mails, move the clock and take dependencies down');
    process.once('disconnect', endProcess); // the parent process was killed
    this.clock.start();
    const transport = this.provider(MailTransport);
    this.mailbox.watch(transport, (id) => this.tenantOf(id));
    this.faults.guard('mail', transport, ['send'], () => new MailNotTaken('the mail server is down', 'unreachable', undefined));
    this.faults.guard('store', this.provider(BlobStore), STORE_METHODS, () => new BlobStoreUnavailable('the store is down'));
    this.guardBus();
    // Test data need not survive a power cut, and a write takes a tenth of the time.
    await this.database.acrossTenants('it reads no table').$cells(sql`PRAGMA synchronous = OFF`);
  }

  onModuleDestroy(): void {
    process.off('disconnect', endProcess);
    this.clock.stop();
  }

  /** Checks the testing key. @throws UNAUTHENTICATED */
  admit(key: unknown): void {
    const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
    if (typeof key === 'string' && timingSafeEqual(hash(key), hash(this.config.testingKey!))) return;
    throw new AppError('UNAUTHENTICATED', 'x-testing-key must be the TESTING_KEY of the server');
  }

  /** Creates a tenant with a key. @throws BAD_USER_INPUT; CONFLICT for a name in use */
  async createTenant({ name, scope }: { name?: string; scope?: string }): Promise<{ id: string; name: string; key: string }> {
    const tenant = await this.provider(TenantsService).create({ name: name ?? `test-${uuidv7()}` }, unnoted);
    const { secret } = await this.keys.createFor(tenant.id, { scope: scope ?? ALL_SCOPES }, unnoted);
    return { id: tenant.id, name: tenant.name, key: secret };
  }

  /** Creates a key. @throws BAD_USER_INPUT; NOT_FOUND for an unknown tenant */
  async createKey({ tenantId, scope }: { tenantId: string; scope: string }): Promise<{ key: string }> {
    return { key: (await this.keys.createFor(tenantId, { scope }, unnoted)).secret };
  }

  mails(wanted: MailsWanted, waitMs: number): Promise<SentMail[]> {
    return this.mailbox.find(wanted, waitMs);
  }

  /** Bounces the newest mail to an address, as a report would. @throws NOT_FOUND without such a mail */
  async bounce({ tenantId, to, kind, code, diagnostic }: BounceOrder): Promise<{ id: string; bounce: EmailBounce }> {
    const mail = (await this.mailbox.find({ tenantId, to, after: 0 }, 0)).at(-1);
    const { emailRecipient } = this.database.acrossTenants('tests see every mail of the server');
    const rows = mail ? await emailRecipient.findMany({ where: { emailId: mail.id } }) : [];
    const row = rows.find(({ address }) => address.toLowerCase() === to.toLowerCase());
    const reported = { addresses: [], kind, code: code ?? CODE_OF[kind], diagnostic: diagnostic ?? null };
    const taken = row && (await this.provider(BouncesService).takeAs(row, reported));
    if (!taken || !('bounce' in taken)) throw new AppError('NOT_FOUND', `No mail was sent to ${quoted(to)}`);
    return { id: row.emailId, bounce: taken.bounce };
  }

  readClock(): { now: string; offsetMs: number } {
    return this.clock.read();
  }

  /** Advances the clock, and at once does what became due. @throws BAD_USER_INPUT */
  async advance(ms: unknown): Promise<{ now: string; offsetMs: number }> {
    this.clock.advance(ms);
    await this.catchUp();
    return this.clock.read();
  }

  private async catchUp(): Promise<void> {
    await Promise.all([this.jobs.runNow(), this.provider(OutboxJob).pollNow()]);
  }

  private guardBus(): void {
    this.faults.guard('bus', this.provider(Bus), BUS_METHODS, () => new BusDown('the bus is down'));
    let sinceMs = 0;
    this.faults.onChange('bus', (isDown) => {
      if (isDown) sinceMs = Date.now();
      else this.provider(NodeListener).recovered(sinceMs);
    });
  }

  private async tenantOf(emailId: string): Promise<string> {
    const { email: emails } = this.database.acrossTenants('tests see every mail of the server');
    const email = await emails.findUnique({ where: { id: emailId }, select: { tenantId: true } });
    return email?.tenantId ?? '';
  }

  private provider<T>(token: abstract new (...args: never[]) => T): T {
    return this.modules.get<T>(token, { strict: false });
  }
}

const STORE_METHODS = [
  'put',
  'open',
  'stat',
  'remove',
  'check',
  'list',
  'beginMultipart',
  'putPart',
  'listParts',
  'completeMultipart',
  'abortMultipart',
] as const satisfies (keyof BlobStore)[];
const BUS_METHODS = ['join', 'elsewhere', 'recipients', 'nodesWith', 'send', 'check'] as const satisfies (keyof Bus)[];
