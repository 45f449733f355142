/** A pushed message. */
export interface Message {
  /** Identifies the message; a global message has the same id for all recipients. */
  id: string;
  /** Null for a global message. */
  recipient: string | null;
  message: string;
  topic: string | null;
  globalMessageId: string | null;
  createdAt: string;
  expiresAt: string | null;
  /** True if the URL was registered with `rewind`, and this message was stored before the connection opened. */
  replayed?: true;
  /** True if the message is in the inbox of the recipient. */
  inbox?: true;
}

/** A recipient that joined a topic with its first connection, or left it with its last. */
export interface Presence {
  presence: 'join' | 'leave';
  topic: string;
  recipient: string;
  at: string;
}

/** Number of unread messages in the inbox of the recipient. */
interface Unread {
  inbox: { unread: number };
}

/** Mark of a recipient on a message in its inbox. */
export type InboxMark = 'seen' | 'read' | 'unread' | 'archived';

/** Frame of a connection. Only a message has an id. */
export type Frame = (Message & { presence?: undefined }) | Presence | (Unread & { id?: undefined; presence?: undefined });
