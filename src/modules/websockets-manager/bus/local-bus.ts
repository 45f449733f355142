import { Bus, type BusListener, type LocalConnections, type Presence } from './bus.js';

/** The bus of a single node, where no other nodes exist. */
export class LocalBus extends Bus {
  readonly nodeId = 'local';
  readonly isComplete = true;
  private here: LocalConnections;

  listen(_: BusListener, here: LocalConnections): void {
    this.here = here;
  }

  /** A connection was added in this turn of the event loop, so of two that are added, one is the only one. */
  async join(presence: Presence): Promise<void> {
    const { tenantId, recipient } = presence;
    if (this.comings.wants(tenantId) && this.here.isOnly(presence)) this.comings.cameOnline(tenantId, [recipient]);
  }

  async leave({ tenantId, recipient }: Presence): Promise<void> {
    const isLast = this.comings.wants(tenantId) && !this.here.hasRecipient(tenantId, recipient);
    if (isLast) this.comings.wentOffline(tenantId, [recipient]);
  }

  async elsewhere(): Promise<never[]> {
    return [];
  }
  async recipients(): Promise<undefined> {}
  async lostRecipients(): Promise<never[]> {
    return [];
  }
  async nodesWith(): Promise<never[]> {
    return [];
  }
  async send(): Promise<void> {}
  async check(): Promise<void> {}
  async close(): Promise<void> {}
}
