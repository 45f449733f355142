import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { isDatabaseUnavailable } from '../../common/database/database-faults.js';
import { GroupedWrites } from '../../common/database/grouped-writes.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { timeOfId } from '../../common/ids/ids.js';
import { AttachableContentService } from '../file-management/attachable-content.service.js';
import type { ClaimedMessage } from './delivery.service.js';
import type { RecipientRow } from './email-row.js';
import { type ClaimedEmail, claimEmails, tenantsInTurn } from './outbox.queries.js';
import type { Settlement } from './settlement.js';

export const LEASE_MS = 60_000;
const KEEP_FINISHED_MS = 30 * 24 * 3_600_000;
const MAX_GROUP = 200;
/** A look for them takes long when there are thousands whose messages are not due yet. */
const TURNS_TTL_MS = 1_000;
/** What was sent in this time, and not noted, is sent again after a crash. */
const GATHER_MS = 50;

type Transaction = Parameters<Parameters<PrismaService['$transaction']>[0]>[0];

/** What a node is given to send. */
interface Claimed {
  messages: ClaimedMessage[];
  mayBeMore: boolean;
}

/** What waits in the outbox, for all nodes together. */
export interface Backlog {
  count: number;
  oldestMs: number | null;
}

/** The outbox as those who send see it: messages are taken under a lease, and given back with what became of them. */
@Injectable()
export class OutboxService {
  private readonly holder = randomUUID();
  /** Tenants that have messages due, as far as this node knows, and until when it believes so. */
  private readonly turns = new Set<string>();
  private turnsUntilMs = 0;
  /** Where the next look for such tenants begins. */
  private lastTurn = '';
  private readonly settlements: GroupedWrites<Settlement>;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly contents: AttachableContentService,
  ) {
    this.settlements = new GroupedWrites((group) => this.write(group), {
      maxRunning: 1,
      gatherMs: GATHER_MS,
      maxLength: MAX_GROUP,
      tenantOf: ({ email }) => email.tenantId,
      lengthOf: () => 1,
      isCommonFault: isDatabaseUnavailable,
    });
  }

  /** Whether anything is due; much cheaper than to claim nothing. */
  async isDue(): Promise<boolean> {
    const where = { status: 'QUEUED', dueAt: { lte: new Date() } } as const;
    return (await this.prisma.email.findFirst({ where, select: { id: true } })) !== null;
  }

  /** Tenants take turns: each gets a like share, whatever the others have waiting. */
  async claim(limit: number): Promise<Claimed> {
    if (this.turns.size === 0 || Date.now() >= this.turnsUntilMs) await this.findTurns(limit);
    const tenantIds = [...this.turns].slice(0, limit);
    if (tenantIds.length === 0) return { messages: [], mayBeMore: false };
    const share = Math.ceil(limit / tenantIds.length);
    const claim = { holder: this.holder, leaseMs: LEASE_MS, tenantIds, share };
    const emails = await claimEmails(this.prisma, this.config.isPostgres, claim);
    const counts = countByTenant(emails);
    // Who had its turn makes room for others, and who had less waiting than its share has nothing more.
    for (const id of tenantIds) if (tenantIds.length === limit || (counts.get(id) ?? 0) < share) this.turns.delete(id);
    const mayBeMore = tenantIds.length === limit || this.turns.size > 0;
    return { messages: await this.withRecipients(emails), mayBeMore };
  }

  /** A message of the tenant was stored by this node, so that nobody has to look for it. */
  noteDue(tenantId: string): void {
    this.turns.add(tenantId);
  }

  private async findTurns(limit: number): Promise<void> {
    this.turnsUntilMs = Date.now() + TURNS_TTL_MS;
    const tenantIds = await tenantsInTurn(this.prisma, this.config.isPostgres, { after: this.lastTurn, limit });
    for (const id of tenantIds) this.turns.add(id);
    this.lastTurn = tenantIds.at(-1) ?? '';
  }

  private async withRecipients(emails: ClaimedEmail[]): Promise<ClaimedMessage[]> {
    if (emails.length === 0) return [];
    const rows = await this.prisma.emailRecipient.findMany({
      where: { emailId: { in: emails.map(({ id }) => id) } },
      orderBy: [{ emailId: 'asc' }, { position: 'asc' }],
    });
    const byEmail = new Map<string, RecipientRow[]>(emails.map(({ id }) => [id, []]));
    for (const row of rows) byEmail.get(row.emailId)!.push(row);
    return emails.map((email) => ({ email, recipients: byEmail.get(email.id)! }));
  }

  /** Keeps others from messages that this node is still busy with. */
  async renew(ids: string[]): Promise<void> {
    const dueAt = new Date(Date.now() + LEASE_MS);
    await this.prisma.email.updateMany({ where: this.held(ids), data: { dueAt } });
  }

  /** Gives back messages that were not tried. */
  async release(ids: string[]): Promise<void> {
    const data = { dueAt: new Date(), leaseHolder: null, attempts: { decrement: 1 } };
    await this.prisma.email.updateMany({ where: this.held(ids), data });
  }

  /** Resolves once it is stored what became of the message. */
  settle(settlement: Settlement): Promise<void> {
    return this.settlements.add(settlement);
  }

  async backlog(): Promise<Backlog> {
    const { _count: count, _min: min } = await this.prisma.email.aggregate({
      where: { status: 'QUEUED' },
      _count: true,
      _min: { id: true },
    });
    return { count, oldestMs: min.id === null ? null : timeOfId(min.id) };
  }

  private held(ids: string[]) {
    return { id: { in: ids }, status: 'QUEUED', leaseHolder: this.holder } as const;
  }

  private async write(group: Settlement[]): Promise<void> {
    const smooth = group.filter(isSmooth);
    const others = group.filter((one) => !isSmooth(one));
    const abandoned = await this.prisma.$transaction(async (transaction) => {
      if (smooth.length > 0) await this.finishAll(transaction, smooth);
      for (const one of others) await this.writeOne(transaction, one);
      return this.letGo(transaction, group);
    });
    if (abandoned.length > 0) await this.contents.removeAbandoned(abandoned);
  }

  /** What nearly all are: taken for everybody. */
  private async finishAll(transaction: Transaction, group: Settlement[]): Promise<void> {
    const ids = group.map(({ email }) => email.id);
    await transaction.emailRecipient.updateMany({
      where: { emailId: { in: ids }, status: 'QUEUED' },
      data: { status: 'SENT', lastError: null },
    });
    await transaction.email.updateMany({ where: { id: { in: ids }, status: 'QUEUED' }, data: finished('SENT', null) });
  }

  /** That somebody got it is written whoever has the lease by now; a failure is for the holder to tell. */
  private async writeOne(transaction: Transaction, { email, recipients, status, lastError, nextAt }: Settlement): Promise<void> {
    const where = { id: email.id, status: 'QUEUED', ...(status !== 'SENT' && { leaseHolder: this.holder }) } as const;
    const data = status === 'QUEUED' ? { lastError, dueAt: nextAt!, leaseHolder: null } : finished(status, lastError);
    const { count } = await transaction.email.updateMany({ where, data });
    for (const { position, ...change } of recipients) {
      if (count === 0 && change.status !== 'SENT') continue;
      await transaction.emailRecipient.updateMany({ where: { emailId: email.id, position, status: 'QUEUED' }, data: change });
    }
  }

  /** Answers with the keys that nobody may need any more. */
  private async letGo(transaction: Transaction, group: Settlement[]): Promise<string[]> {
    const ids = group.filter(({ email }) => email.hasAttachments).map(({ email }) => email.id);
    if (ids.length === 0) return [];
    // Asked anew: of a message whose lease was lost, another node may still need them.
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

function isSmooth({ recipients }: Settlement): boolean {
  return recipients.every(({ status }) => status === 'SENT');
}

/** The bodies have done their work, and are not kept. */
function finished(status: 'SENT' | 'FAILED', lastError: string | null) {
  const now = Date.now();
  const sentAt = status === 'SENT' ? new Date(now) : null;
  return { status, lastError, sentAt, dueAt: new Date(now + KEEP_FINISHED_MS), leaseHolder: null, html: null, text: null };
}
