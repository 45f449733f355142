import type { GlobalPush, Push } from '../push.js';

/** An open connection, as all nodes know it. */
export interface Presence {
  connectionId: string;
  nodeId: string;
  tenantId: string;
  recipient: string;
  topic: string | null;
  sourceIp: string;
  /** Milliseconds since 1970. */
  connectedAt: number;
}

/** Names from behind `after` on, or from the first. */
export interface NamesWanted {
  after: string | undefined;
  limit: number;
}

/** Some recipients in the order of their names, and how many there are in all. */
export interface RecipientNames {
  names: string[];
  count: number;
}

/** What one node tells another. */
export type Envelope =
  | { kind: 'push'; push: Push }
  | { kind: 'globalPush'; push: GlobalPush }
  | { kind: 'disconnect'; tenantId: string; recipient: string };

/** What a node does for the others, and when it learns that it may have missed something. */
export interface BusListener {
  receive(envelope: Envelope): void;
  /** The bus works again after it did not: what was sent since then did not arrive. */
  recovered(sinceMs: number): void;
  /** All nodes that were there before are back; who is found by none is connected to none. */
  complete(): void;
  /** All connections of this node. */
  presences(): Iterable<Presence>;
}

/** The bus does not answer. Who is connected elsewhere is unknown, and nothing reaches them. */
export class BusDown extends Error {}

/** Connects the nodes: who is connected where, and messages to those nodes. Also the injection token. */
export abstract class Bus {
  /** This node, since it started. */
  abstract readonly nodeId: string;

  /** False after a recovery, until other nodes told anew who is connected to them. */
  abstract readonly isComplete: boolean;

  abstract listen(listener: BusListener): void;

  /** Resolves once every node that looks finds the connection. @throws BusDown */
  abstract join(presence: Presence): Promise<void>;

  /** Resolves once no node finds it any more; after a failure it is forgotten with the next renewal. */
  abstract leave(presence: Presence): Promise<void>;

  /** The connections of recipients on other nodes that are alive. @throws BusDown */
  abstract elsewhere(tenantId: string, recipients: string[]): Promise<Presence[]>;

  /** Who of a tenant is connected to any node that is alive; nothing where there is but this one. @throws BusDown */
  abstract recipients(tenantId: string, wanted: NamesWanted): Promise<RecipientNames | undefined>;

  /** The other nodes that have connections of a tenant, with a topic if one is given. @throws BusDown */
  abstract nodesWith(tenantId: string, topic: string | null): Promise<string[]>;

  /** Resolves once the bus has taken it; what one node sends to another arrives in order. @throws BusDown */
  abstract send(nodeId: string, envelope: Envelope): Promise<void>;

  /** @throws BusDown when messages through the bus do not come back */
  abstract check(): Promise<void>;

  /** Leaves with all connections. */
  abstract close(): Promise<void>;
}
