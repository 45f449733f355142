import type { GlobalPush, Push } from '../models/push.js';

/** A connection, as it is known to all nodes. */
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

/** Selects names after `after`, or from the first name if it is undefined. */
export interface NamesWanted {
  after: string | undefined;
  limit: number;
}

/** A page of recipients in the order of their names, and the number of all recipients. */
export interface RecipientNames {
  names: string[];
  count: number;
}

/** A message from one node to another. */
export type Envelope =
  | { kind: 'push'; push: Push }
  | { kind: 'globalPush'; push: GlobalPush }
  | { kind: 'disconnect'; tenantId: string; recipient: string };

/** Handles messages from other nodes, and the recovery of the bus. */
export interface BusListener {
  receive(envelope: Envelope): void;
  /** Called when the bus works again: messages sent since `sinceMs` may be lost. */
  recovered(sinceMs: number): void;
  /** Called when all nodes from before the outage have reconnected: a recipient found on none of them is not connected. */
  complete(): void;
}

/** Hears which recipients come and go, over all nodes. The bus asks for it, since it costs more than to connect them. */
export interface PresenceListener {
  /** Returns whether to tell of recipients of a tenant. */
  wants(tenantId: string): boolean;
  /** Called when the first connections of recipients have joined. */
  cameOnline(tenantId: string, recipients: string[]): void;
  /** Called when the last connections of recipients have left. */
  wentOffline(tenantId: string, recipients: string[]): void;
}

/** The connections of this node, which the bus reads. A connection is included from before it joins until before it leaves. */
export interface LocalConnections {
  presences(): Iterable<Presence>;
  has(presence: Presence): boolean;
  hasRecipient(tenantId: string, recipient: string): boolean;
  /** Whether the recipient has no other connection to this node than this one. */
  isOnly(presence: Presence): boolean;
  /** Whether a connection of the tenant has this topic; for null, whether the tenant has any connection. */
  hasTopic(tenantId: string, topic: string | null): boolean;
}

/** The bus does not respond, so other nodes cannot be queried or reached. */
export class BusDown extends Error {}

/**
 * Connects the nodes: knows which recipients are connected to which node, and carries messages between nodes. Also the injection
 * token. Each node listens on one channel, so a push to 1,000 recipients is sent once to each node; a channel for each recipient
 * would need a subscription for each connection.
 */
export abstract class Bus {
  /** Hears which recipients come and go. Set before the node listens. */
  comings: PresenceListener;

  /** Identifies this node until it stops. */
  abstract readonly nodeId: string;

  /**
   * False after an outage, until other nodes have registered their connections again: an empty registry does not mean that nobody
   * is connected if Redis has lost its data. Until then messages stay PENDING instead of being cancelled.
   */
  abstract readonly isComplete: boolean;

  abstract listen(listener: BusListener, here: LocalConnections): void;

  /** Adds a connection. Resolves once all nodes can find it. @throws BusDown */
  abstract join(presence: Presence): Promise<void>;

  /** Removes a connection. Resolves once no node can find it; after a failure the next renewal removes it. */
  abstract leave(presence: Presence): Promise<void>;

  /** Returns the connections of recipients on other live nodes. @throws BusDown */
  abstract elsewhere(tenantId: string, recipients: string[]): Promise<Presence[]>;

  /** Returns the recipients of a tenant connected to any live node, or undefined if this node is the only one. @throws BusDown */
  abstract recipients(tenantId: string, wanted: NamesWanted): Promise<RecipientNames | undefined>;

  /**
   * Returns recipients of a tenant that are offline since their node died, each once. A node that was only late has some seconds
   * to come back before its recipients are among them. @throws BusDown
   */
  abstract lostRecipients(tenantId: string): Promise<string[]>;

  /**
   * Returns the other nodes that have connections of a tenant with this topic; for null, with any topic or none.
   * @throws BusDown
   */
  abstract nodesWith(tenantId: string, topic: string | null): Promise<string[]>;

  /**
   * Sends a message to a node. Resolves once the bus has accepted it; messages between two nodes arrive in order.
   * @throws BusDown
   */
  abstract send(nodeId: string, envelope: Envelope): Promise<void>;

  /** Checks the bus. @throws BusDown if this node does not receive its own messages */
  abstract check(): Promise<void>;

  /** Disconnects from the bus, and removes all connections of this node. */
  abstract close(): Promise<void>;
}
