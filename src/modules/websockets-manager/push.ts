/** A message of a tenant that is on its way to sockets, in the form in which it travels between nodes. Times in milliseconds. */
interface Travelling {
  tenantId: string;
  message: string;
  topic: string | null;
  createdAt: number;
  /** Null: it does not wait for who is not connected. */
  expiresAt: number | null;
}

/** One text to several recipients, each with a message of its own. */
export interface Push extends Travelling {
  messages: { id: string; recipient: string }[];
}

/** One message to all. */
export interface GlobalPush extends Travelling {
  id: string;
}
