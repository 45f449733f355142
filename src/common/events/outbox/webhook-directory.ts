import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AllTenants, Database } from '../../database/database.js';
import { DuePoll } from '../../database/due-poll.js';
import type { Dialect } from '../../database/sql/dialect.js';
import { raw, type Sql } from '../../database/sql/sql.js';
import type { TenantService } from './event.js';

/** Maximum time until other nodes know a new webhook. */
export const KNOWN_WITHIN_MS = 2_000;

/** URL of a webhook whose events are fetched instead of sent. */
export const POLL_URL = 'poll:';

/** Webhook that subscribes to an event. */
export interface Listening {
  id: string;
  /** True if its events are fetched. */
  isPolled: boolean;
}

/** Caches which tenants have which active webhooks: a change of a tenant without webhooks costs no query. */
@Injectable()
export class WebhookDirectory implements OnModuleInit {
  private readonly everyTenant: AllTenants;
  /** Subscriptions by tenant, then by service and event. */
  private listening = new Map<string, Map<string, Listening[]>>();
  private reading: Promise<void> = Promise.resolve();
  /** Checksum of the webhooks at the last poll. */
  private seen: unknown;

  constructor(database: Database, poll: DuePoll) {
    this.everyTenant = database.acrossTenants('changes of every tenant ask here');
    poll.add({ ask: stateOfWebhooks, answered: (state) => this.noteState(state) });
  }

  /** Loads the webhooks before the node listens. */
  async onModuleInit(): Promise<void> {
    await this.refresh();
  }

  /** True if any tenant has an active webhook. */
  get isEmpty(): boolean {
    return this.listening.size === 0;
  }

  /** Returns the tenants with an active webhook. */
  get tenants(): string[] {
    return [...this.listening.keys()];
  }

  /** Returns the active webhooks of a tenant for an event, or undefined without any. */
  find(tenantId: string, service: TenantService, type: string): Listening[] | undefined {
    return this.listening.get(tenantId)?.get(`${service} ${type}`);
  }

  /** Returns the tenants with an active webhook for any of the events. */
  tenantsWith(service: TenantService, types: string[]): string[] {
    const keys = types.map((type) => `${service} ${type}`);
    return [...this.listening].flatMap(([tenantId, ofTenant]) => (keys.some((key) => ofTenant.has(key)) ? tenantId : []));
  }

  /** Reads all active webhooks, after a read already in progress. Called after each change on this node. */
  refresh(): Promise<void> {
    this.reading = this.reading.then(
      () => this.read(),
      () => this.read(),
    );
    return this.reading;
  }

  private async read(): Promise<void> {
    const select = { id: true, tenantId: true, service: true, url: true, events: true } as const;
    const rows = await this.everyTenant.webhook.findMany({ where: { active: true }, select, orderBy: { id: 'asc' } });
    const listening: typeof this.listening = new Map();
    for (const { id, tenantId, service, url, events } of rows) {
      let ofTenant = listening.get(tenantId);
      if (!ofTenant) listening.set(tenantId, (ofTenant = new Map()));
      for (const type of JSON.parse(events) as string[]) {
        const key = `${service} ${type}`;
        ofTenant.set(key, [...(ofTenant.get(key) ?? []), { id, isPolled: url === POLL_URL }]);
      }
    }
    this.listening = listening;
  }

  private noteState(state: unknown): void {
    if (state === this.seen) return;
    const read = this.refresh().then(() => (this.seen = state));
    void read.catch(() => undefined); // the next poll tries again; readiness reports the database
  }
}

/** Checksum of the active webhooks. Any change of one changes it, regardless of clocks. */
const stateOfWebhooks = (dialect: Dialect): Sql =>
  raw(`SELECT count(*) || ' ' || coalesce(sum(${dialect.milliseconds('"updatedAt"')}), 0) FROM "Webhook" WHERE "active"`);
