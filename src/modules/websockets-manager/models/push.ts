/** Push as sent between nodes. Times are in milliseconds since 1970. */
interface PushContent {
  tenantId: string;
  message: string;
  topic: string | null;
  createdAt: number;
  /** Null if the message cannot wait for offline recipients. */
  expiresAt: number | null;
  /** Recorded span that accepted the push, if any. */
  traceContext?: string;
  /** True if the push may be sent more than once. A connection then receives no second frame of a message. */
  isRepeated?: true;
}

/** Text to several recipients, with a message for each. */
export interface Push extends PushContent {
  messages: { id: string; recipient: string }[];
}

/** Message to all recipients. */
export interface GlobalPush extends PushContent {
  id: string;
}
