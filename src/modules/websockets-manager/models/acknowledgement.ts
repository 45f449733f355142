import type { InboxMark } from './inbox.js';

/** Holder of a token, expired or not. */
export interface TokenHolder {
  tenantId: string;
  recipient: string;
  tokenIssuedAt: number;
}

/** Frame of a client, sent by POST for an event stream that was opened with the token of its holder. */
export interface Acknowledgement extends TokenHolder {
  connectionId: string;
  /** Id of the message that it acknowledges, with all before it. */
  id?: string;
  /** Mark of a message in the inbox. */
  mark?: InboxMark;
  /** Bytes of the request, for the inbound limit. */
  bytes: number;
}
