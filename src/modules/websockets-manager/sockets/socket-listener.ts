// Room: Accepts connections, and writes frames and pings.
import type { Presence } from '../bus/bus.js';
import type { Closing, Connection, Receipt } from './connection.js';
import type { RefusedStatus } from './upgrades/upgrade-answers.js';

/** A request to connect. */
export interface AdmissionRequest {
  token: string;
  /** The address of the client. */
  source: string;
  /** The origin of the page, in lower case; only browsers send it. */
  origin: string | undefined;
}

/** The terms of an admitted connection. Times in milliseconds since 1970. */
export interface Admission {
  presence: Presence;
  /** Whether the client's application confirms messages, instead of its WebSocket. */
  acknowledges: boolean;
  tokenIssuedAt: number;
  /** Infinity if the connection outlives its token. */
  endsAt: number;
}

/** An HTTP response, or a close code for clients in web pages, which cannot see why an upgrade was refused. */
export type Refusal = { status: RefusedStatus; message: string } | Closing;

/** The application behind the sockets. It is also notified of opened connections, by Nest's `handleConnection`. */
export interface SocketListener {
  /** Admits or refuses an upgrade by its token. */
  admit(request: AdmissionRequest): Promise<Admission | Refusal>;

  /** Makes a connection known to all nodes before it opens. Returns a refusal if it must not open. */
  join(admission: Admission): Promise<Refusal | undefined>;

  confirmed(connection: Connection, receipts: Receipt[]): void;

  /** Called when a joined connection closes. After this, no node should find the connection. */
  left(connection: Connection): Promise<void>;

  /** Called when a joined connection, opened or not, can confirm nothing any more. */
  ended(connection: Connection): Promise<void>;
}
