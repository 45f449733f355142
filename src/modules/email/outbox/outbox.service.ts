// Room: Claims queued messages, sends them, and retries.
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers, WRITES } from '../../../common/scheduling/batchers.js';
import { type AllTenants, type AllTenantsTransaction, Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import { AttachableContentService } from '../../file-management/file-storage/attachable-content.service.js';
import type { ClaimedMessage } from './email-delivery.service.js';
import { keepContents } from '../message-storage/email-contents.queries.js';
import { suppressedOf } from '../suppressions/suppressed-recipients.js';
import { type FoundSuppression, storeSuppressions, suppressionsOf } from '../suppressions/suppressions.queries.js';
import { finished, OWN_TENANT, type RecipientRow } from '../message-storage/email-row.js';
import { mailEvents, wantsMailEvents } from '../message-storage/mail-events.queries.js';
import { type Backlog, backlogOf, type ClaimedEmail, claimEmails, tenantsInTurn } from './outbox-claim.queries.js';
import type { Settlement } from './settlement.js';

export const LEASE_MS = 60_000;
const MAX_GROUP = 200;
/** Cache time of the list of tenants with due messages. The query is slow when thousands of tenants wait for a retry. */
const DUE_TENANTS_TTL_MS = 1_000;
/** Time to collect settlements for one write. A crash within it loses them, and their messages may be sent again. */
const GATHER_MS = 50;

/** Messages claimed by a node. */
interface ClaimedMessages {
  messages: ClaimedMessage[];
  mayBeMore: boolean;
}

/** Written to make SQLite search by id: by the index of `status`, it would read all queued messages. */
const IS_QUEUED = { NOT: { status: { not: 'QUEUED' } } } as const;

/** Outbox of the sending nodes: a node claims a message under a lease, and settles it with the outcome of the attempt. */
@Injectable()
export class OutboxService {
  private readonly holder = randomUUID();
  /** Tenants known to this node to have due messages. */
  private readonly dueTenants = new Set<string>();
  /** Time of the next query of tenants with due messages. */
  private dueTenantsUntilMs = 0;
  /** Last tenant returned, after which the next query starts. */
  private lastTenantId = '';
  private readonly settlements: Batcher<Settlement>;
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly database: Database,
    private readonly contents: AttachableContentService,
    private readonly suspended: SuspendedTenants,
    private readonly events: EventOutbox,
    batchers: Batchers,
  ) {
    this.everyTenant = database.acrossTenants('a node sends for every tenant, and settles what it claimed');
    this.settlements = batchers.create('settlements_of_mails', (group) => this.write(group), {
      ...WRITES,
      flushIntervalMs: GATHER_MS,
      maxLength: MAX_GROUP,
      tenantOf: ({ email }) => email.tenantId,
    });
  }

  /** Clears the list of tenants with due messages: the poll found one that may belong to another tenant. */
  forgetDueTenants(): void {
    this.dueTenantsUntilMs = 0;
  }

  /**
   * Claims up to `limit` messages, in round-robin order of tenants with equal shares, regardless of their backlogs. Skips suspended
   * tenants.
   */
  async claim(limit: number): Promise<ClaimedMessages> {
    if (this.dueTenants.size === 0 || performance.now() >= this.dueTenantsUntilMs) await this.findDueTenants(limit);
    for (const id of this.dueTenants) if (this.suspended.has(id)) this.dueTenants.delete(id);
    const tenantIds = [...this.dueTenants].slice(0, limit);
    if (tenantIds.length === 0) return { messages: [], mayBeMore: false };
    const share = Math.ceil(limit / tenantIds.length);
    const claim = { holder: this.holder, leaseMs: LEASE_MS, tenantIds, share };
    const emails = await claimEmails(this.database, claim);
    const counts = countByTenant(emails);
    // A tenant that received less than its share has no more due messages. If `limit` tenants were served, others may be waiting: remove
    // all served ones from the list.
    for (const id of tenantIds) if (tenantIds.length === limit || (counts.get(id) ?? 0) < share) this.dueTenants.delete(id);
    const mayBeMore = tenantIds.length === limit || this.dueTenants.size > 0;
    return { messages: await this.withRecipients(emails), mayBeMore };
  }

  /** Marks a tenant as having due messages, after this node has stored one. Saves a query. */
  markDue(tenantId: string): void {
    this.dueTenants.add(tenantId);
  }

  private async findDueTenants(limit: number): Promise<void> {
    this.dueTenantsUntilMs = performance.now() + DUE_TENANTS_TTL_MS;
    const tenantIds = await tenantsInTurn(this.database, { after: this.lastTenantId, limit });
    for (const id of tenantIds) this.dueTenants.add(id);
    this.lastTenantId = tenantIds.at(-1) ?? '';
  }

  private async withRecipients(emails: ClaimedEmail[]): Promise<ClaimedMessage[]> {
    if (emails.length === 0) return [];
    const rows = await this.everyTenant.emailRecipient.findMany({
      where: { emailId: { in: emails.map(({ id }) => id) } },
      orderBy: [{ emailId: 'asc' }, { position: 'asc' }],
    });
    const byEmail = new Map<string, RecipientRow[]>(emails.map(({ id }) => [id, []]));
    for (const row of rows) byEmail.get(row.emailId)!.push(row);
    const suppressions = await this.suppressionsOf(rows);
    return emails.map((email) => {
      const recipients = byEmail.get(email.id)!;
      return { email, recipients, suppressed: suppressedOf(email, recipients, suppressions) };
    });
  }

  /** Finds the suppressions of queued recipients, for all messages of a claim together. */
  private suppressionsOf(rows: RecipientRow[]): Promise<FoundSuppression[]> {
    const waiting = rows.filter(({ status }) => status === 'QUEUED');
    const tenantIds = [...new Set(waiting.map(({ tenantId }) => tenantId))];
    const addresses = waiting.map(({ address }) => address);
    return suppressionsOf(this.everyTenant, this.database.dialect, { tenantIds, addresses });
  }

  /** Extends the leases of messages being sent. Returns the ids still held. */
  async renew(ids: string[]): Promise<string[]> {
    const dueAt = new Date(Date.now() + LEASE_MS);
    const change = { where: this.held(ids), data: { dueAt }, select: { id: true } };
    return (await this.everyTenant.email.updateManyAndReturn(change)).map(({ id }) => id);
  }

  /** Releases the leases of messages without an attempt. */
  async release(ids: string[]): Promise<void> {
    const data = { dueAt: new Date(), leaseHolder: null, attempts: { decrement: 1 } };
    await this.everyTenant.email.updateMany({ where: this.held(ids), data });
  }

  /** Resolves once the outcome of the attempt is stored. */
  settle(settlement: Settlement): Promise<void> {
    return this.settlements.add(settlement);
  }

  backlog(): Promise<Backlog> {
    return backlogOf(this.database);
  }

  private held(ids: string[]) {
    return { id: { in: ids }, ...IS_QUEUED, leaseHolder: this.holder } as const;
  }

  private async write(group: Settlement[]): Promise<void> {
    const complete = group.filter(isSentToAll);
    const others = group.filter((one) => !isSentToAll(one));
    const abandoned = await this.everyTenant.$transaction(async (transaction) => {
      const ended = complete.length > 0 ? await this.finishAll(transaction, complete) : [];
      for (const one of others) if (await this.writeOne(transaction, one)) ended.push(one.email.id);
      await this.events.store(transaction, await mailEvents(transaction, ended));
      return this.unpinContents(transaction, group);
    });
    if (abandoned.length > 0) await this.contents.removeAbandoned(abandoned);
  }

  /**
   * Finishes messages received by every recipient, the usual outcome, in two statements. Returns the ids of those finished here with event
   * subscribers.
   */
  private async finishAll(transaction: AllTenantsTransaction, group: Settlement[]): Promise<string[]> {
    const ids = group.map(({ email }) => email.id);
    await this.keepContents(transaction, sql`e."id" IN (${this.database.dialect.texts(ids)})`);
    await transaction.emailRecipient.updateMany({
      where: { emailId: { in: ids }, status: 'QUEUED' },
      data: { status: 'SENT', lastError: null },
    });
    const change = { where: { id: { in: ids }, ...IS_QUEUED }, data: finished('SENT', null) } as const;
    if (group.some((one) => this.isWanted(one))) {
      return (await transaction.email.updateManyAndReturn({ ...change, select: { id: true } })).map(({ id }) => id);
    }
    await transaction.email.updateMany(change);
    return [];
  }

  /**
   * Stores an outcome. Stores success even after the lease has expired, but failure only for its holder. Returns true if the message
   * finished here and has event subscribers.
   */
  private async writeOne(transaction: AllTenantsTransaction, settlement: Settlement): Promise<boolean> {
    const { email, recipients, status, lastError, nextAt } = settlement;
    const where = { id: email.id, status: 'QUEUED', ...(status !== 'SENT' && { leaseHolder: this.holder }) } as const;
    if (status !== 'QUEUED') {
      const ours = status === 'SENT' ? sql`1 = 1` : sql`e."leaseHolder" = ${this.holder}`;
      await this.keepContents(transaction, sql`e."id" = ${email.id} AND ${ours}`);
    }
    const data = status === 'QUEUED' ? { lastError, dueAt: nextAt!, leaseHolder: null } : finished(status, lastError);
    const { count } = await transaction.email.updateMany({ where, data });
    for (const { position, ...change } of recipients) {
      if (count === 0 && change.status !== 'SENT') continue;
      await transaction.emailRecipient.updateMany({ where: { emailId: email.id, position, status: 'QUEUED' }, data: change });
    }
    await this.suppressGone(transaction, settlement);
    return count > 0 && status !== 'QUEUED' && this.isWanted(settlement);
  }

  /** Suppresses addresses that do not exist according to the mail server. */
  private async suppressGone(transaction: AllTenantsTransaction, { email, gone }: Settlement): Promise<void> {
    const { id: emailId, tenantId } = email;
    if (gone.length === 0 || tenantId === OWN_TENANT) return;
    const rows = gone.map(
      ({ address, message: diagnostic }) => ({ tenantId, address, reason: 'HARD_BOUNCE', emailId, diagnostic }) as const,
    );
    await storeSuppressions(transaction, this.database.dialect, rows);
  }

  private isWanted({ email }: Settlement): boolean {
    return wantsMailEvents(this.events, email.tenantId);
  }

  /** Stores the content of messages about to be finished. Excludes verification mails, whose links are secrets. */
  private keepContents(transaction: AllTenantsTransaction, condition: Sql): Promise<void> {
    const isOfCaller = sql`e."tenantId" <> ${OWN_TENANT}`;
    return keepContents(transaction, this.database.dialect, sql`${condition} AND ${isOfCaller}`);
  }

  /** Removes the pins of finished messages. Returns the keys of possibly unreferenced blobs. */
  private async unpinContents(transaction: AllTenantsTransaction, group: Settlement[]): Promise<string[]> {
    const ids = group.filter(({ email }) => email.hasAttachments).map(({ email }) => email.id);
    if (ids.length === 0) return [];
    // Query again: a message with a lost lease may still be QUEUED, and another node then needs its attachments.
    const rows = await transaction.email.findMany({
      where: { id: { in: ids }, status: { not: 'QUEUED' } },
      select: { id: true },
    });
    const done = rows.map(({ id }) => id);
    await transaction.emailAttachment.deleteMany({ where: { emailId: { in: done } } });
    return this.contents.unpin(transaction, done);
  }
}

function countByTenant(emails: ClaimedEmail[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { tenantId } of emails) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  return counts;
}

function isSentToAll({ recipients }: Settlement): boolean {
  return recipients.every(({ status }) => status === 'SENT');
}
