import { Bus, type BusListener, type LocalConnections, type Presence } from './bus.js';

/** Bus of a deployment with a single node. */
export class LocalBus extends Bus {
  readonly nodeId = 'local';
  readonly isComplete = true;
  private here: LocalConnections;

  listen(_: BusListener, here: LocalConnections): void {
    this.here = here;
  }

  /**
   * Reports a recipient online if this is its only connection. The connection was added in this turn of the event loop, so exactly one of
   * two concurrent ones qualifies.
   */
  async join(presence: Presence): Promise<void> {
    const { tenantId, recipient } = presence;
    if (this.presenceListener.wants(tenantId) && this.here.isOnly(presence))
      this.presenceListener.cameOnline(tenantId, [recipient]);
  }

  async leave({ tenantId, recipient }: Presence): Promise<void> {
    const isLast = this.presenceListener.wants(tenantId) && !this.here.hasRecipient(tenantId, recipient);
    if (isLast) this.presenceListener.wentOffline(tenantId, [recipient]);
  }

  async changeTopics(): Promise<void> {}
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
