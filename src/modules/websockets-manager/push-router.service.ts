import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { Log } from '../../common/logging/log.js';
import { Bus, BusDown, type Envelope } from './bus/bus.js';
import { DeliveryService, receiptOf } from './delivery.service.js';
import { MessageRecordsService } from './message-records.service.js';
import { MessageStatus } from './message-states.js';
import { messagesOfIds } from './messages.queries.js';
import type { GlobalPush, Push } from './push.js';
import { isOnline, type Online, RecipientsOnlineService } from './recipients-online.service.js';
import type { Connection, Receipt } from './sockets/connection.js';
import { Connections } from './sockets/connections.js';

/** What is kept while the bus is down: so many pushes, and so many characters. */
const MAX_KEPT = 10_000;
const MAX_KEPT_LENGTH = 32 * 1024 * 1024;

type Kept = { push: Push; global?: undefined } | { global: GlobalPush; sentTo: Set<string>; push?: undefined };

/**
 * Brings what is recorded to this node's connections and to the nodes of others. What the bus could not take is sent when
 * it is back; what could not wait and finds nobody is settled.
 */
@Injectable()
export class PushRouterService {
  private kept: Kept[] = [];
  private keptLength = 0;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly bus: Bus,
    private readonly online: RecipientsOnlineService,
    private readonly delivery: DeliveryService,
    private readonly records: MessageRecordsService,
    private readonly connections: Connections,
    private readonly log: Log,
  ) {}

  /** `online` as it was before the messages were stored, or nothing when that is to be looked up. */
  async send(push: Push, online?: Online): Promise<void> {
    const names = push.messages.map(({ recipient }) => recipient);
    const known = online ?? (await this.online.of(push.tenantId, names, push.topic));
    const missed = this.delivery.deliver(push);
    const arrived = await this.toNodes(push, known);
    if (known.unknown || !arrived) this.keep({ push });
    else this.abandon(push, known, missed);
  }

  async sendGlobal(push: GlobalPush): Promise<void> {
    this.delivery.deliverGlobal(push);
    const sentTo = new Set<string>();
    const done = await this.globalToNodes(push, sentTo);
    if (!done || !this.bus.isComplete) this.keep({ global: push, sentTo });
  }

  /** What another node sent. */
  async receive(push: Push): Promise<void> {
    const missed = this.delivery.deliver(push);
    if (push.expiresAt !== null || missed.length === 0) return;
    const names = missed.map(({ recipient }) => recipient);
    this.abandon(push, await this.online.of(push.tenantId, names, push.topic), missed);
  }

  /** A connection has ended; what it did not confirm and cannot wait is given up, unless another may confirm it. */
  async ended(connection: Connection, unconfirmed: Receipt[]): Promise<void> {
    const fleeting = unconfirmed.filter(({ expiresAt }) => expiresAt === null);
    const { tenantId, recipient } = connection.presence;
    for (const topic of new Set(fleeting.map((receipt) => receipt.topic))) {
      const online = await this.online.of(tenantId, [recipient], topic);
      if (isOnline(online, recipient) || online.unknown) continue;
      const lost = fleeting.filter((receipt) => receipt.topic === topic);
      this.records.settle('allBroke', lost, recipient);
    }
  }

  /** The bus is back, and all nodes with it: what it did not take is sent now. */
  async sendKept(): Promise<void> {
    const kept = this.kept;
    this.kept = [];
    this.keptLength = 0;
    if (kept.length > 0) this.log.info({ count: kept.length }, 'sending what was pushed while the bus was down');
    for (const one of kept) {
      try {
        await (one.push ? this.sendAgain(one.push) : this.sendGlobalAgain(one));
      } catch (error) {
        this.log.error({ err: error }, 'a push could not be sent again; it waits, or is cancelled after 90 s');
      }
    }
  }

  /** To other nodes only: this one's connections had it at once. */
  private async sendAgain(push: Push): Promise<void> {
    const ids = push.messages.map(({ id }) => id);
    const rows = await messagesOfIds(this.prisma, this.config.isPostgres, push.tenantId, ids);
    const pending = new Set(rows.filter(({ status }) => status === MessageStatus.PENDING).map(({ pushId }) => pushId));
    const rest = { ...push, messages: push.messages.filter(({ id }) => pending.has(id)) };
    const names = rest.messages.map(({ recipient }) => recipient);
    const online = await this.online.of(push.tenantId, names, push.topic);
    const arrived = await this.toNodes(rest, online);
    if (online.unknown || !arrived) this.keep({ push: rest });
    else this.abandon(rest, online, rest.messages);
  }

  private async sendGlobalAgain({ global, sentTo }: { global: GlobalPush; sentTo: Set<string> }): Promise<void> {
    const { tenantId, id } = global;
    const row = await this.prisma.globalMessage.findUnique({
      where: { tenantId_id: { tenantId, id } },
      select: { cancelledAt: true },
    });
    if (row?.cancelledAt) return;
    if (!(await this.globalToNodes(global, sentTo))) this.keep({ global, sentTo });
  }

  /** Answers with whether the bus took it for every node. */
  private async toNodes(push: Push, { elsewhere }: Online): Promise<boolean> {
    const sends = [...elsewhere].map(([nodeId, names]) => {
      const messages = push.messages.filter(({ recipient }) => names.has(recipient));
      return this.toNode(nodeId, { kind: 'push', push: { ...push, messages } });
    });
    return (await Promise.all(sends)).every(Boolean);
  }

  private async globalToNodes(push: GlobalPush, sentTo: Set<string>): Promise<boolean> {
    try {
      const nodes = await this.bus.nodesWith(push.tenantId, push.topic);
      const fresh = nodes.filter((nodeId) => !sentTo.has(nodeId));
      for (const nodeId of fresh) if (await this.toNode(nodeId, { kind: 'globalPush', push })) sentTo.add(nodeId);
      return fresh.every((nodeId) => sentTo.has(nodeId));
    } catch (error) {
      if (error instanceof BusDown) return false;
      throw error;
    }
  }

  private async toNode(nodeId: string, envelope: Envelope): Promise<boolean> {
    try {
      await this.bus.send(nodeId, envelope);
      return true;
    } catch (error) {
      if (error instanceof BusDown) return false;
      throw error;
    }
  }

  /** Those for whom no connection was there, on no node; the others may still confirm. */
  private abandon(push: Push, online: Online, missed: Push['messages']): void {
    if (push.expiresAt !== null || online.unknown) return;
    for (const { id, recipient } of missed) {
      const elsewhere = [...online.elsewhere.values()].some((names) => names.has(recipient));
      const here = this.connections.ofRecipient(push.tenantId, recipient, push.topic).length > 0;
      if (!elsewhere && !here) this.records.settle('allBroke', [receiptOf(push, id, false)], recipient);
    }
  }

  private keep(kept: Kept): void {
    const { length } = (kept.push ?? kept.global!).message;
    if (this.kept.length >= MAX_KEPT || this.keptLength + length > MAX_KEPT_LENGTH) return;
    this.kept.push(kept);
    this.keptLength += length;
  }
}
