import { Bus, type BusListener, type LocalConnections, type Presence } from './bus.js';

/** Bus of a deployment with a single node. */
export class LocalBus extends Bus {
  readonly nodeId = 'local';
  readonly isComplete = true;
  private here: LocalConnections;
  private listener: BusListener;
  /** Topics in which each recipient is present, by tenant and name. */
  private readonly present = new Map<string, string[]>();

  listen(listener: BusListener, here: LocalConnections): void {
    this.listener = listener;
    this.here = here;
  }

  /**
   * Reports a recipient online if this is its only connection. The connection was added in this turn of the event loop, so exactly one of
   * two concurrent ones qualifies.
   */
  async join(presence: Presence): Promise<void> {
    const { tenantId, recipient } = presence;
    this.move(presence);
    if (this.presenceListener.wants(tenantId) && this.here.isOnly(presence))
      this.presenceListener.cameOnline(tenantId, [recipient]);
  }

  async leave(presence: Presence): Promise<void> {
    const { tenantId, recipient } = presence;
    this.move(presence);
    const isLast = this.presenceListener.wants(tenantId) && !this.here.hasRecipient(tenantId, recipient);
    if (isLast) this.presenceListener.wentOffline(tenantId, [recipient]);
  }

  async changeTopics(presence: Presence): Promise<void> {
    this.move(presence);
  }

  /** Compares the topics of a recipient with those before, and reports what it joined and left. */
  private move({ tenantId, recipient }: Presence): void {
    const key = JSON.stringify([tenantId, recipient]);
    const before = this.present.get(key) ?? [];
    const after = this.here.topicsOf(tenantId, recipient);
    if (after.length > 0) this.present.set(key, after);
    else this.present.delete(key);
    const joined = after.filter((topic) => !before.includes(topic));
    const left = before.filter((topic) => !after.includes(topic));
    if (joined.length + left.length > 0) this.listener.moved({ tenantId, recipient, joined, left, at: Date.now() });
  }

  async elsewhere(): Promise<never[]> {
    return [];
  }
  async recipients(): Promise<undefined> {}
  async topicRecipients(): Promise<undefined> {}
  async observers(): Promise<never[]> {
    return [];
  }
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
