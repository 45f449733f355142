/** The text of a push, as it travels between nodes. Times in milliseconds since 1970. */
interface PushContent {
  tenantId: string;
  message: string;
  topic: string | null;
  createdAt: number;
  /** Null: the message cannot wait for recipients that are not connected. */
  expiresAt: number | null;
  /** The span that accepted it, where that is recorded. */
  traceContext?: string;
}

/** One text to several recipients, each with a message of its own. */
export interface Push extends PushContent {
  messages: { id: string; recipient: string }[];
  /** Set where it may be on its way already: connections with an unconfirmed frame of it get no other. */
  isRepeated?: true;
}

/** One message to all recipients. */
export interface GlobalPush extends PushContent {
  id: string;
}
