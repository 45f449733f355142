/** The text of a push, as nodes send it to each other. Times in milliseconds since 1970. */
interface PushContent {
  tenantId: string;
  message: string;
  topic: string | null;
  createdAt: number;
  /** Null if the message cannot wait for recipients that are not connected. */
  expiresAt: number | null;
  /** The span that accepted the push, if it is recorded. */
  traceContext?: string;
  /** Set if the push may be sent more than once. A connection that was sent a message then gets no second frame of it. */
  isRepeated?: true;
}

/** One text to several recipients, with a message for each of them. */
export interface Push extends PushContent {
  messages: { id: string; recipient: string }[];
}

/** One message to all recipients. */
export interface GlobalPush extends PushContent {
  id: string;
}
