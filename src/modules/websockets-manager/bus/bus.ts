import type { Acknowledgement } from '../models/acknowledgement.js';
import type { GlobalPush, Push } from '../models/push.js';
import type { Topics } from '../models/topics.js';

/** Connection as known to all nodes. */
export interface Presence extends Topics {
  connectionId: string;
  nodeId: string;
  tenantId: string;
  recipient: string;
  sourceIp: string;
  /** Milliseconds since 1970. */
  connectedAt: number;
  /** Latest change of topics that was applied, in milliseconds since 1970. */
  topicsAt?: number;
  /** True if it receives frames of recipients that join and leave its topics. */
  observes?: true;
}

/** Topics that a recipient joined with its first connection, or left with its last, over all nodes. */
export interface TopicMove {
  tenantId: string;
  recipient: string;
  joined: string[];
  left: string[];
  /** Milliseconds since 1970. */
  at: number;
}

/** Selects names after `after`, or from the first name if it is undefined. */
export interface NamesWanted {
  after: string | undefined;
  limit: number;
}

/** Page of recipients in name order, and the total number of recipients. */
export interface RecipientNames {
  names: string[];
  count: number;
}

/** Message between nodes. */
export type Envelope =
  | { kind: 'push'; push: Push }
  | { kind: 'globalPush'; push: GlobalPush }
  | { kind: 'disconnect'; tenantId: string; recipient: string }
  | { kind: 'topics'; tenantId: string; recipient: string }
  | { kind: 'inbox'; tenantId: string; recipients: string[] }
  | { kind: 'acknowledged'; acknowledgement: Acknowledgement }
  | { kind: 'moved'; move: TopicMove };

/** Handles messages from other nodes, and the recovery of the bus. */
export interface BusListener {
  receive(envelope: Envelope): void;
  /** Called on recovery of the bus. Messages sent since `sinceMs` may be lost. */
  recovered(sinceMs: number): void;
  /** Called once all nodes from before the outage have reconnected. A recipient found on none of them is offline. */
  complete(): void;
  /** Called once per change, on the node that caused it or that noticed the end of another node. */
  moved(move: TopicMove): void;
}

/** Listener to recipients going online and offline on any node. The bus asks `wants` first, as tracking costs more than connecting. */
export interface PresenceListener {
  /** Returns true to be called for recipients of a tenant. */
  wants(tenantId: string): boolean;
  /** Called after the first connection of each recipient has joined. */
  cameOnline(tenantId: string, recipients: string[]): void;
  /** Called after the last connection of each recipient has left. */
  wentOffline(tenantId: string, recipients: string[]): void;
}

/** Connections of this node, read by the bus. Contains a connection from before it joins until before it leaves. */
export interface LocalConnections {
  presences(): Iterable<Presence>;
  has(presence: Presence): boolean;
  hasRecipient(tenantId: string, recipient: string): boolean;
  /** Returns true if this is the recipient's only connection to this node. */
  isOnly(presence: Presence): boolean;
  /** Returns true if a connection of the tenant has this topic, not by a pattern. For null, returns true if the tenant has any connection. */
  hasTopic(tenantId: string, topic: string | null): boolean;
  hasPattern(tenantId: string, pattern: string): boolean;
  /** Returns true if a connection of the tenant observes its topics. */
  hasObserver(tenantId: string): boolean;
  /** Returns the topics in which a recipient is present. */
  topicsOf(tenantId: string, recipient: string): string[];
}

/** Thrown while the bus does not respond: other nodes cannot be queried or reached. */
export class BusDown extends Error {}

/**
 * Connects the nodes: locates recipients and carries messages. Also the injection token. Each node listens on one channel, so a push to
 * 1,000 recipients is sent once per node; a channel per recipient would need a subscription per connection.
 */
export abstract class Bus {
  /** Presence listener, set before the node listens. */
  presenceListener: PresenceListener;

  /** Identifies this node until it stops. */
  abstract readonly nodeId: string;

  /**
   * False after an outage until the other nodes have registered their connections again. Until then, messages stay PENDING instead of being
   * cancelled: the registry may be empty only because Redis lost its data.
   */
  abstract readonly isComplete: boolean;

  abstract listen(listener: BusListener, here: LocalConnections): void;

  /** Adds a connection. Resolves once all nodes can find it. @throws BusDown */
  abstract join(presence: Presence): Promise<void>;

  /** Removes a connection. Resolves once no node can find it; after a failure the next renewal removes it. */
  abstract leave(presence: Presence): Promise<void>;

  /** Announces the changed topics of a connection that has joined. Resolves once all nodes can find it by them. @throws BusDown */
  abstract changeTopics(presence: Presence, before: Topics): Promise<void>;

  /** Returns the connections of recipients on other live nodes. @throws BusDown */
  abstract elsewhere(tenantId: string, recipients: string[]): Promise<Presence[]>;

  /** Returns the recipients of a tenant connected to any live node, or undefined if this node is the only one. @throws BusDown */
  abstract recipients(tenantId: string, wanted: NamesWanted): Promise<RecipientNames | undefined>;

  /** Returns the recipients present in a topic on any node, or undefined if this node is the only one. @throws BusDown */
  abstract topicRecipients(tenantId: string, topic: string, wanted: NamesWanted): Promise<RecipientNames | undefined>;

  /** Returns the other nodes with connections of a tenant that observe their topics. @throws BusDown */
  abstract observers(tenantId: string): Promise<string[]>;

  /**
   * Returns, once each, recipients of a tenant that went offline with their node. Allows some seconds for a late node to come back.
   * @throws BusDown
   */
  abstract lostRecipients(tenantId: string): Promise<string[]>;

  /** Returns the other nodes with connections of a tenant that receive this topic, or any connection if the topic is null. @throws BusDown */
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
