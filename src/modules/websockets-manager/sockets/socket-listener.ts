// Room: Accepts connections, and writes frames and pings.
import type { Presence } from '../bus/bus.js';
import type { InboxMark } from '../models/inbox.js';
import type { Acknowledgement, TokenHolder } from '../models/acknowledgement.js';
import type { Closing } from './closing.js';
import type { Connection, Receipt } from './connection.js';
import type { RefusedStatus } from './upgrades/upgrade-answers.js';

/** Request to connect. */
export interface AdmissionRequest {
  token: string;
  /** IP address of the client. */
  source: string;
  /** Origin of the page in lower case, sent only by browsers. */
  origin: string | undefined;
}

/** Terms of an admitted connection. Times are in milliseconds since 1970. */
export interface Admission {
  presence: Presence;
  /** True if the client's application confirms messages, rather than its WebSocket. */
  acknowledges: boolean;
  /** Stored messages to send first. */
  rewind: Connection['rewind'];
  tokenIssuedAt: number;
  /** True if the client may mark messages in its inbox, and is told the number of unread ones. */
  readsInbox: boolean;
  /** Closing time; Infinity if the connection outlives its token. */
  endsAt: number;
}

/** HTTP response, or a close code for web pages, which cannot see why an upgrade was rejected. */
export type Refusal = { status: RefusedStatus; message: string } | Closing;

/** Application behind the sockets. Nest's `handleConnection` also notifies it of opened connections. */
export interface SocketListener {
  /** Accepts or rejects an upgrade by its token. */
  admit(request: AdmissionRequest): Promise<Admission | Refusal>;

  /** Announces a connection to all nodes before it opens. Returns a refusal if it must not open. */
  join(connection: Connection): Promise<Refusal | undefined>;

  /** Returns the holder of a genuine token, expired or not: an open connection can outlive its token. */
  holderOf(token: string): TokenHolder | undefined;

  /** Passes an acknowledgement to the node of its connection. Returns false if there is none. */
  passOn(acknowledgement: Acknowledgement): Promise<boolean>;

  confirmed(recipient: string, receipts: Receipt[]): void;

  /** Called with each mark of a client that reads its inbox. */
  marked(connection: Connection, mark: InboxMark): void;

  /** Called when a joined connection closes, to withdraw it from all nodes. */
  left(connection: Connection): Promise<void>;

  /** Called once a joined connection, opened or not, can no longer confirm messages. */
  ended(connection: Connection): Promise<void>;
}
