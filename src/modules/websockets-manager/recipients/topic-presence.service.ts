import { Injectable } from '@nestjs/common';
import { Bus, BusDown, type TopicMove } from '../bus/bus.js';
import { Connections } from '../sockets/connections.js';
import { presenceFrame } from '../sockets/frame.js';

/** Connections of a topic on a node above which nobody is told who joins and leaves it: the frames grow with their square. */
export const MAX_OBSERVED = 1_000;

/** Tells connections that observe their topics who joins and leaves them, on all nodes. */
@Injectable()
export class TopicPresenceService {
  constructor(
    private readonly connections: Connections,
    private readonly bus: Bus,
  ) {}

  /** Tells observers on all nodes. Those on other nodes miss it while the bus is down. */
  async tell(move: TopicMove): Promise<void> {
    this.tellHere(move);
    try {
      const nodes = await this.bus.observers(move.tenantId);
      await Promise.all(nodes.map((nodeId) => this.bus.send(nodeId, { kind: 'moved', move })));
    } catch (error) {
      if (!(error instanceof BusDown)) throw error;
    }
  }

  tellHere({ tenantId, recipient, joined, left, at }: TopicMove): void {
    if (!this.connections.hasObserver(tenantId)) return;
    for (const [event, topics] of [['join', joined] as const, ['leave', left] as const]) {
      for (const topic of topics) this.send(tenantId, topic, () => presenceFrame(event, { topic, recipient, at }));
    }
  }

  private send(tenantId: string, topic: string, frameOf: () => Buffer): void {
    const there = this.connections.ofTopic(tenantId, topic);
    if (there.size > MAX_OBSERVED) return;
    const observers = [...there].filter(({ presence }) => presence.observes);
    if (observers.length === 0) return;
    const frame = frameOf();
    for (const connection of observers) connection.notify(frame);
  }
}
