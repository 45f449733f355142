import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { Logger } from '../../../common/logging/logger.js';
import { Bus, BusDown, type Envelope } from '../bus/bus.js';
import { LocalDeliveryService, receiptOf } from './local-delivery.service.js';
import { MessageRecordsService } from './message-records.service.js';
import { MessageStatus } from './message-states.js';
import { messagesWithIds } from './messages.queries.js';
import type { GlobalPush, Push } from '../models/push.js';
import { isOnline, type Online, OnlineRecipientsService } from '../recipients/online-recipients.service.js';
import { UnreadNoticesService } from '../recipients/unread-notices.service.js';
import type { Connection, Receipt } from '../sockets/connection.js';
import { Connections } from '../sockets/connections.js';

/** Pushes, and their characters, queued while the bus is down. */
const MAX_UNSENT = 10_000;
const MAX_UNSENT_LENGTH = 32 * 1024 * 1024;

/** Push that the bus has not yet accepted for every node. */
type UnsentPush = { push: Push; global?: undefined } | { global: GlobalPush; sentTo: Set<string>; push?: undefined };

/**
 * Routes stored pushes to the connections of this node, and to other nodes with connections of their recipients. Queues pushes while the
 * bus is down. Cancels messages that cannot wait and reach no connection.
 */
@Injectable()
export class PushRouterService {
  private unsent: UnsentPush[] = [];
  private unsentLength = 0;

  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
    private readonly online: OnlineRecipientsService,
    private readonly delivery: LocalDeliveryService,
    private readonly records: MessageRecordsService,
    private readonly connections: Connections,
    private readonly notices: UnreadNoticesService,
    private readonly logger: Logger,
  ) {}

  /**
   * Sends a push, and the number of unread messages after one to inboxes.
   * @param online recipients connected before the messages were stored; queried now if omitted
   */
  async send(push: Push, online?: Online): Promise<void> {
    const names = push.messages.map(({ recipient }) => recipient);
    const connected = online ?? (await this.online.find(push.tenantId, names, push.topic));
    const missed = this.delivery.deliver(push);
    const arrived = await this.sendToNodes(push, connected);
    if (connected.unknown || !arrived) this.keep({ push });
    else this.cancelMissed(push, connected, missed);
    if (push.inbox) await this.notices.tell(push.tenantId, names);
  }

  async sendGlobal(push: GlobalPush): Promise<void> {
    this.delivery.deliverGlobal(push);
    const sentTo = new Set<string>();
    const done = await this.sendGlobalToNodes(push, sentTo);
    if (!done || !this.bus.isComplete) this.keep({ global: push, sentTo });
  }

  /** Delivers a push from another node. */
  async receive(push: Push): Promise<void> {
    const missed = this.delivery.deliver(push);
    if (push.expiresAt !== null || missed.length === 0) return;
    const names = missed.map(({ recipient }) => recipient);
    this.cancelMissed(push, await this.online.find(push.tenantId, names, push.topic), missed);
  }

  /**
   * Cancels messages that cannot wait and were left unconfirmed by a closed connection, unless another connection may still confirm them.
   */
  async ended(connection: Connection, unconfirmed: Receipt[]): Promise<void> {
    const fleeting = unconfirmed.filter(({ expiresAt, isUnrecorded }) => expiresAt === null && !isUnrecorded);
    const { tenantId, recipient } = connection.presence;
    for (const topic of new Set(fleeting.map((receipt) => receipt.topic))) {
      const online = await this.online.find(tenantId, [recipient], topic);
      if (isOnline(online, recipient) || online.unknown) continue;
      const lost = fleeting.filter((receipt) => receipt.topic === topic);
      this.records.settle('allBroke', lost, recipient);
    }
  }

  /** Resends queued pushes, once the bus has recovered and all nodes have reconnected. */
  async sendUnsent(): Promise<void> {
    const { unsent } = this;
    this.unsent = [];
    this.unsentLength = 0;
    if (unsent.length > 0) this.logger.info({ count: unsent.length }, 'resending pushes queued during the bus outage');
    for (const one of unsent) {
      try {
        await (one.push ? this.resend(one.push) : this.resendGlobal(one));
      } catch (error) {
        this.logger.error({ err: error }, 'a push could not be resent; its messages wait, or are cancelled after 90 s');
      }
    }
  }

  /** Sends a queued push to other nodes. This node delivered it immediately. */
  private async resend(push: Push): Promise<void> {
    const ids = push.messages.map(({ id }) => id);
    const rows = await messagesWithIds(this.database, push.tenantId, ids);
    const pending = new Set(rows.filter(({ status }) => status === MessageStatus.PENDING).map(({ pushId }) => pushId));
    const rest: Push = { ...push, isRepeated: true, messages: push.messages.filter(({ id }) => pending.has(id)) };
    const names = rest.messages.map(({ recipient }) => recipient);
    const online = await this.online.find(push.tenantId, names, push.topic);
    const arrived = await this.sendToNodes(rest, online);
    if (online.unknown || !arrived) this.keep({ push: rest });
    else this.cancelMissed(rest, online, rest.messages);
  }

  private async resendGlobal({ global, sentTo }: { global: GlobalPush; sentTo: Set<string> }): Promise<void> {
    const { tenantId, id } = global;
    const row = await this.database.of(tenantId).globalMessage.findUnique({
      where: { tenantId_id: { tenantId, id } },
      select: { cancelledAt: true },
    });
    if (row?.cancelledAt) return;
    if (!(await this.sendGlobalToNodes({ ...global, isRepeated: true }, sentTo))) this.keep({ global, sentTo });
  }

  /** Sends a push to other nodes. Returns true if the bus accepted it for each of them. */
  private async sendToNodes(push: Push, { elsewhere }: Online): Promise<boolean> {
    const sends = [...elsewhere].map(([nodeId, names]) => {
      const messages = push.messages.filter(({ recipient }) => names.has(recipient));
      return this.sendToNode(nodeId, { kind: 'push', push: { ...push, messages } });
    });
    return (await Promise.all(sends)).every(Boolean);
  }

  private async sendGlobalToNodes(push: GlobalPush, sentTo: Set<string>): Promise<boolean> {
    try {
      const nodes = await this.bus.nodesWith(push.tenantId, push.topic);
      const fresh = nodes.filter((nodeId) => !sentTo.has(nodeId));
      for (const nodeId of fresh) if (await this.sendToNode(nodeId, { kind: 'globalPush', push })) sentTo.add(nodeId);
      return fresh.every((nodeId) => sentTo.has(nodeId));
    } catch (error) {
      if (error instanceof BusDown) return false;
      throw error;
    }
  }

  private async sendToNode(nodeId: string, envelope: Envelope): Promise<boolean> {
    try {
      await this.bus.send(nodeId, envelope);
      return true;
    } catch (error) {
      if (error instanceof BusDown) return false;
      throw error;
    }
  }

  /** Cancels messages that cannot wait and have no connected recipient. */
  private cancelMissed(push: Push, online: Online, missed: Push['messages']): void {
    if (push.expiresAt !== null || online.unknown) return;
    for (const { id, recipient } of missed) {
      const elsewhere = [...online.elsewhere.values()].some((names) => names.has(recipient));
      const here = this.connections.ofRecipient(push.tenantId, recipient, push.topic).length > 0;
      if (!elsewhere && !here) this.records.settle('nobodyConnected', [receiptOf(push, id, false)], recipient);
    }
  }

  private keep(unsent: UnsentPush): void {
    const { length } = (unsent.push ?? unsent.global!).message;
    if (this.unsent.length >= MAX_UNSENT || this.unsentLength + length > MAX_UNSENT_LENGTH) return;
    this.unsent.push(unsent);
    this.unsentLength += length;
  }
}
