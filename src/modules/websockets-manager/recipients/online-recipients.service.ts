import { Injectable } from '@nestjs/common';
import { Bus, BusDown, type NamesWanted, type Presence, type RecipientNames } from '../bus/bus.js';
import { presentIn, receivesTopic } from '../models/topics.js';
import { Connections } from '../sockets/connections.js';

/** Connected ones of the requested recipients, with their nodes. */
export interface Online {
  /** Recipients connected to this node. */
  here: Set<string>;
  /** Recipients connected to other nodes, by node. */
  elsewhere: Map<string, Set<string>>;
  /** True if the bus is down or has just recovered: other nodes may have further connections. */
  unknown: boolean;
}

export interface OnlinePage {
  names: string[];
  /** Connections by recipient; none for a recipient that has just disconnected. */
  presences: Map<string, Presence[]>;
  count: number;
  more: boolean;
}

/** Finds connected recipients on any node. */
@Injectable()
export class OnlineRecipientsService {
  constructor(
    private readonly connections: Connections,
    private readonly bus: Bus,
  ) {}

  /** Finds recipients with a connection that receives messages of a topic. */
  async find(tenantId: string, recipients: string[], topic: string | null): Promise<Online> {
    const here = new Set(recipients.filter((recipient) => this.connections.ofRecipient(tenantId, recipient, topic).length > 0));
    try {
      const elsewhere = new Map<string, Set<string>>();
      for (const presence of await this.bus.elsewhere(tenantId, recipients)) {
        if (!receivesTopic(presence, topic)) continue;
        const there = elsewhere.get(presence.nodeId) ?? new Set();
        elsewhere.set(presence.nodeId, there.add(presence.recipient));
      }
      return { here, elsewhere, unknown: !this.bus.isComplete };
    } catch (error) {
      if (error instanceof BusDown) return { here, elsewhere: new Map(), unknown: true };
      throw error;
    }
  }

  /** Returns all connections of recipients. @throws BusDown */
  async connectionsOf(tenantId: string, recipients: string[]): Promise<Presence[]> {
    const here = recipients.flatMap((recipient) => this.connections.ofRecipient(tenantId, recipient, null));
    return [...here.map(({ presence }) => presence), ...(await this.bus.elsewhere(tenantId, recipients))];
  }

  /** Returns a page of a tenant's connected recipients, or of those present in a topic, in name order. @throws BusDown */
  async page(tenantId: string, { after, limit }: NamesWanted, topic: string | null): Promise<OnlinePage> {
    const { names, count } = await this.names(tenantId, { after, limit: limit + 1 }, topic);
    const onPage = names.slice(0, limit);
    const presences = new Map<string, Presence[]>();
    for (const presence of await this.connectionsOf(tenantId, onPage)) {
      if (topic !== null && !presentIn(presence).includes(topic)) continue;
      const others = presences.get(presence.recipient);
      if (others) others.push(presence);
      else presences.set(presence.recipient, [presence]);
    }
    return { names: onPage, presences, count, more: names.length > limit };
  }

  private async names(tenantId: string, wanted: NamesWanted, topic: string | null): Promise<RecipientNames> {
    if (topic === null) return (await this.bus.recipients(tenantId, wanted)) ?? this.connections.recipients(tenantId, wanted);
    const names = await this.bus.topicRecipients(tenantId, topic, wanted);
    return names ?? this.connections.topicRecipients(tenantId, topic, wanted);
  }
}

export function isOnline({ here, elsewhere }: Online, recipient: string): boolean {
  if (here.has(recipient)) return true;
  for (const recipients of elsewhere.values()) if (recipients.has(recipient)) return true;
  return false;
}
