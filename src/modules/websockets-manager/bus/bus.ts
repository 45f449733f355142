import type { GlobalPush, Push } from '../models/push.js';

/** A connection as all nodes know it. */
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

/** Asks for names behind `after`, or from the first. */
export interface NamesWanted {
  after: string | undefined;
  limit: number;
}

/** A page of recipients in the order of their names, and how many there are in all. */
export interface RecipientNames {
  names: string[];
  count: number;
}

/** A message from one node to another. */
export type Envelope =
  | { kind: 'push'; push: Push }
  | { kind: 'globalPush'; push: GlobalPush }
  | { kind: 'disconnect'; tenantId: string; recipient: string };

/** Handles messages from other nodes, and the return of the bus. */
export interface BusListener {
  receive(envelope: Envelope): void;
  /** The bus works again: messages sent since then may be lost. */
  recovered(sinceMs: number): void;
  /** All nodes from before the outage are back: a recipient found on none of them is not connected. */
  complete(): void;
}

/** The connections of this node, as the bus asks for them. One is among them from before it joins until before it leaves. */
export interface LocalConnections {
  presences(): Iterable<Presence>;
  has(presence: Presence): boolean;
  hasRecipient(tenantId: string, recipient: string): boolean;
  /** Whether there is a connection of the tenant with this topic, or any if it is null. */
  hasTopic(tenantId: string, topic: string | null): boolean;
}

/** The bus does not respond, so other nodes cannot be asked or reached. */
export class BusDown extends Error {}

/** Connects the nodes: knows who is connected where, and carries messages between nodes. Also the injection token. */
export abstract class Bus {
  /** Identifies this node until it stops. */
  abstract readonly nodeId: string;

  /** False after an outage, until other nodes have registered their connections again. */
  abstract readonly isComplete: boolean;

  abstract listen(listener: BusListener, here: LocalConnections): void;

  /** Resolves once all nodes can find the connection. @throws BusDown */
  abstract join(presence: Presence): Promise<void>;

  /** Resolves once no node can find the connection; after a failure the next renewal removes it. */
  abstract leave(presence: Presence): Promise<void>;

  /** Returns the connections of recipients on other live nodes. @throws BusDown */
  abstract elsewhere(tenantId: string, recipients: string[]): Promise<Presence[]>;

  /** Returns the recipients of a tenant connected to any live node, or undefined if this is the only node. @throws BusDown */
  abstract recipients(tenantId: string, wanted: NamesWanted): Promise<RecipientNames | undefined>;

  /** Returns the other nodes with connections of a tenant, with the topic unless it is null. @throws BusDown */
  abstract nodesWith(tenantId: string, topic: string | null): Promise<string[]>;

  /** Resolves once the bus has taken the message; messages between two nodes arrive in order. @throws BusDown */
  abstract send(nodeId: string, envelope: Envelope): Promise<void>;

  /** @throws BusDown if messages do not come back through the bus */
  abstract check(): Promise<void>;

  /** Leaves the bus with all connections. */
  abstract close(): Promise<void>;
}
