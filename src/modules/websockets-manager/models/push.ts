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
}

/** One message to all recipients. */
export interface GlobalPush extends PushContent {
  id: string;
}
