import { Injectable } from '@nestjs/common';
import { Bus, BusDown, type Presence } from './bus/bus.js';
import { Connections, isMeant } from './sockets/connections.js';

/** Who of some recipients is connected. */
export interface Online {
  /** On this node. */
  here: Set<string>;
  /** By other node. */
  elsewhere: Map<string, Set<string>>;
  /** The bus is down, or came back just now: others may be connected to other nodes. */
  unknown: boolean;
}

/** Knows who is connected, to this node or to another. */
@Injectable()
export class RecipientsOnlineService {
  constructor(
    private readonly connections: Connections,
    private readonly bus: Bus,
  ) {}

  async of(tenantId: string, recipients: string[], topic: string | null): Promise<Online> {
    const here = new Set(recipients.filter((recipient) => this.connections.ofRecipient(tenantId, recipient, topic).length > 0));
    try {
      const elsewhere = new Map<string, Set<string>>();
      for (const presence of await this.bus.elsewhere(tenantId, recipients)) {
        if (!isMeant(presence, topic)) continue;
        const there = elsewhere.get(presence.nodeId) ?? new Set();
        elsewhere.set(presence.nodeId, there.add(presence.recipient));
      }
      return { here, elsewhere, unknown: !this.bus.isComplete };
    } catch (error) {
      if (error instanceof BusDown) return { here, elsewhere: new Map(), unknown: true };
      throw error;
    }
  }

  /** All connections of a recipient. @throws BusDown */
  async connectionsOf(tenantId: string, recipient: string): Promise<Presence[]> {
    const here = this.connections.ofRecipient(tenantId, recipient, null).map(({ presence }) => presence);
    return [...here, ...(await this.bus.elsewhere(tenantId, [recipient]))];
  }
}

export function isOnline({ here, elsewhere }: Online, recipient: string): boolean {
  if (here.has(recipient)) return true;
  for (const recipients of elsewhere.values()) if (recipients.has(recipient)) return true;
  return false;
}
