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
  /** The client's application confirms messages, not its WebSocket. */
  acknowledges: boolean;
  tokenIssuedAt: number;
  /** Infinity: the connection outlives its token. */
  endsAt: number;
}

/** An HTTP response; or a close code, since a page cannot see why an upgrade was refused. */
export type Refusal = { status: RefusedStatus; message: string } | Closing;

/** The application behind the sockets. It also learns of opened connections, by Nest's `handleConnection`. */
export interface SocketListener {
  /** Judges an upgrade by its token. */
  admit(request: AdmissionRequest): Promise<Admission | Refusal>;

  /** Makes a connection known to all nodes, before it opens. Returns a refusal if it must not open after all. */
  join(admission: Admission): Promise<Refusal | undefined>;

  confirmed(connection: Connection, receipts: Receipt[]): void;

  /** A joined connection closes: from now on nobody should find it. */
  left(connection: Connection): Promise<void>;

  /** A joined connection, whether or not it ever opened, confirms nothing more. */
  ended(connection: Connection): Promise<void>;
}
