import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Presence } from '../bus/bus.js';
import { joined, pingFrame } from './frame.js';

/** How many bytes and frames a client may leave unread before it counts as too slow. */
const MAX_BUFFERED = 1024 * 1024;
const MAX_UNCONFIRMED = 16_384;
/** The header and mask of a frame with up to 125 bytes from a client. */
const PONG_HEAD_BYTES = 6;
/** How long a push can take to reach its connections after it was stored. */
const PUSH_MS = 10_000;
/** How long a client has to answer a close frame; a slow reader must first read what was sent before it. */
const CLOSE_MS = 2_000;
const CLOSE_SLOW_MS = 10_000;

/** How recently a client that pongs needs no heartbeat. */
const HEARD_MS = 2_000;
/** Most connections have nothing queued or unconfirmed most of the time; an array of their own would cost memory. */
const NONE: never[] = [];

export const CLOSE = {
  goingAway: { code: 1001, reason: 'server going away, reconnect' },
  tooMuch: { code: 1008, reason: 'too much was sent' },
  badToken: { code: 4401, reason: 'bad or expired token' },
  disconnected: { code: 4403, reason: 'disconnected by the application' },
  suspended: { code: 4403, reason: 'the tenant is suspended' },
  heartbeat: { code: 4408, reason: 'heartbeat lost' },
  tooSlow: { code: 4413, reason: 'too slow a reader' },
} as const;

export type Closing = (typeof CLOSE)[keyof typeof CLOSE];

/** Names the message that a frame carries, until it is confirmed. All connections share the receipt of a global message. */
export interface Receipt {
  /** The id in the frame. */
  id: string;
  tenantId: string;
  global: boolean;
  topic: string | null;
  expiresAt: number | null;
  bytes: number;
  /** Set where the delivery is recorded. */
  trace?: DeliveryTrace;
}

/** The delivery of a push by this node, whose confirmations are part of the same trace. */
export interface DeliveryTrace {
  context: string;
  beganAt: number;
  /** Confirmations that are still recorded: one push may reach thousands of connections. */
  left: number;
}

/** A message that must wait until the backlog is sent. */
interface Held {
  frame: Buffer;
  receipt: Receipt;
}

/**
 * An open WebSocket, with the frames queued in this turn of the event loop and the receipts of frames not yet confirmed.
 * Frames are numbered: the pong to a ping with a number confirms all frames up to it.
 */
export class Connection {
  /**
   * Messages pushed while a backlog is being sent, by id; those that the backlog itself brought are undefined. Without a
   * backlog there is no map, and messages are sent at once.
   */
  held: Map<string, Held | undefined> | undefined = new Map();
  missedHeartbeats = 0;
  /** When the last pong came, in milliseconds since 1970. */
  private heardAt = -Infinity;
  /** The second of the heartbeat interval in which this connection has its turn. */
  phase = 0;
  /** When the present minute began, and how many bytes had been received until then. */
  minute = { since: -Infinity, bytes: 0 };
  /** Received bytes of pongs to our own pings, which do not count against the client. */
  pongBytes = 0;
  /** How many pings have had no pong yet. */
  private unanswered = 0;
  /** When the connection ends with its token, in milliseconds since 1970. */
  endsAt = Infinity;
  /** The application confirms by message id; pongs only show that the client is there. */
  acknowledges = false;
  closed: Closing | undefined;
  /** When the oldest frame without a ping behind it was written. */
  noPingSince: number | undefined;
  /** The numbers of the frames last queued and last confirmed, and the number in the last ping. */
  private last = 0;
  private confirmed = 0;
  private pinged = 0;
  private webSocket: WebSocket | undefined;
  private queue: Buffer[] = NONE;
  private queuedBytes = 0;
  private heldBytes = 0;
  /** Ids of messages that the backlog brought and that may be pushed once more. */
  private recent: Set<string> | undefined;
  private unconfirmed: Receipt[] = NONE;
  private onConfirmation: (() => void) | undefined;
  unconfirmedBytes = 0;

  constructor(
    readonly presence: Presence,
    private readonly socket: Socket,
    private readonly markDirty: (connection: Connection) => void,
    /** Called once, when the connection begins to close. */
    private readonly onClosing: (connection: Connection) => void,
  ) {}

  /** To be called after the handshake. */
  open(webSocket: WebSocket): void {
    this.webSocket = webSocket;
  }

  get hasOpened(): boolean {
    return this.webSocket !== undefined;
  }

  get isOpen(): boolean {
    return this.closed === undefined && this.socket.writable;
  }

  /** Sends a message, behind the backlog if there is one. */
  send(frame: Buffer, receipt: Receipt): void {
    if (this.held === undefined) {
      if (!this.recent?.has(receipt.id)) this.write(frame, receipt);
      return;
    }
    if (this.held.has(receipt.id)) return;
    this.heldBytes += frame.length;
    if (this.heldBytes > MAX_BUFFERED) return this.close(CLOSE.tooSlow);
    this.held.set(receipt.id, { frame, receipt });
  }

  /** Sends a message of the backlog, and ignores it if it is pushed meanwhile. */
  writeBacklog(frame: Buffer, receipt: Receipt): void {
    this.held?.set(receipt.id, undefined);
    this.write(frame, receipt);
  }

  isSentFromBacklog(id: string): boolean {
    return this.held !== undefined && this.held.has(id) && this.held.get(id) === undefined;
  }

  private write(frame: Buffer, receipt: Receipt): void {
    if (!this.isOpen) return;
    if (this.queue.length === 0) this.queue = [frame];
    else this.queue.push(frame);
    this.queuedBytes += frame.length;
    this.last++;
    if (this.unconfirmed.length === 0) this.unconfirmed = [receipt];
    else this.unconfirmed.push(receipt);
    this.unconfirmedBytes += receipt.bytes;
    const behind = this.queuedBytes + this.socket.writableLength > MAX_BUFFERED || this.unconfirmed.length > MAX_UNCONFIRMED;
    if (behind) return this.close(CLOSE.tooSlow);
    if (this.queue.length === 1) this.markDirty(this);
  }

  /** Ends the backlog: sends the held messages, and calls `onSend` with each; from now on messages are sent at once. */
  release(onSend: (receipt: Receipt) => void): void {
    const { held } = this;
    this.held = undefined;
    this.heldBytes = 0;
    for (const one of held?.values() ?? []) {
      if (!one) continue;
      this.write(one.frame, one.receipt);
      onSend(one.receipt);
    }
    if (!held?.size) return;
    // A message read from the database may have been pushed a moment before, and still be on its way here.
    this.recent = new Set(held.keys());
    setTimeout(() => (this.recent = undefined), PUSH_MS).unref();
  }

  /** Holds messages pushed from now on, until a backlog is sent. */
  hold(): void {
    this.held ??= new Map();
  }

  /** How many frames have no ping behind them. */
  get framesSincePing(): number {
    return this.acknowledges ? 0 : this.last - this.pinged;
  }

  /** Whether something waits for the next confirmation. */
  get isAwaited(): boolean {
    return this.onConfirmation !== undefined;
  }

  /** Writes the queued frames at once, and a ping behind them if the client is asked. `join` makes them one buffer. */
  flush(join: (frames: Buffer[], ping: Buffer | undefined) => Buffer, asks: boolean): void {
    if (!this.isOpen || (this.queue.length === 0 && !asks)) return;
    const frames = this.queue;
    this.queue = NONE;
    this.queuedBytes = 0;
    this.socket.write(join(frames, asks ? this.nextPing() : undefined));
  }

  /** Pings to see whether the client is there, unless it just ponged. The pong confirms frames too. */
  heartbeat(now: number): void {
    if (now - this.heardAt < HEARD_MS) return;
    this.missedHeartbeats++;
    this.flush(joined, true);
  }

  /** Does not count the bytes of a pong, header and mask included, against the client: one pong for each ping. */
  creditPong(payloadBytes: number): void {
    if (this.unanswered === 0) return;
    this.unanswered--;
    this.pongBytes += PONG_HEAD_BYTES + payloadBytes;
  }

  /** Takes an acknowledgement. Returns the receipts that it confirms: that of its frame, and of all frames before. */
  acknowledge(id: string): Receipt[] {
    const index = this.unconfirmed.findIndex((receipt) => receipt.id === id);
    return index < 0 ? [] : this.confirmFirst(index + 1);
  }

  /** Takes a pong. Returns the receipts that it confirms. */
  confirm(sequence: number): Receipt[] {
    this.missedHeartbeats = 0;
    this.heardAt = performance.now();
    // A client that guesses numbers confirms nothing beyond the last ping.
    const upTo = Math.min(sequence, this.pinged);
    return this.acknowledges || upTo < this.confirmed ? [] : this.confirmFirst(upTo - this.confirmed);
  }

  private confirmFirst(count: number): Receipt[] {
    const isAll = count === this.unconfirmed.length;
    const receipts = isAll ? this.unconfirmed : this.unconfirmed.splice(0, count);
    if (isAll) this.unconfirmed = NONE;
    this.confirmed += receipts.length;
    for (const { bytes } of receipts) this.unconfirmedBytes -= bytes;
    this.onConfirmation?.();
    return receipts;
  }

  /** Asks for a confirmation, and resolves with the next one or when the connection ends. */
  nextConfirmation(): Promise<void> {
    return new Promise((resolve) => {
      this.onConfirmation = () => {
        this.onConfirmation = undefined;
        resolve();
      };
      if (!this.isOpen) this.onConfirmation();
      else if (this.queue.length === 0) this.markDirty(this);
    });
  }

  /** Whether a frame of the message was sent on this connection, and not confirmed yet. */
  isOnItsWay(id: string): boolean {
    return this.unconfirmed.some((receipt) => receipt.id === id);
  }

  unconfirmedIds(): Set<string> {
    return new Set(this.unconfirmed.map(({ id }) => id));
  }

  /** Returns the receipts of messages that nothing will confirm, once the connection has ended. */
  takeUnconfirmed(): Receipt[] {
    const receipts = [...this.unconfirmed, ...[...(this.held?.values() ?? [])].flatMap((held) => held?.receipt ?? [])];
    this.unconfirmed = NONE;
    this.held = undefined;
    this.onConfirmation?.();
    return receipts;
  }

  /** Sends the queued frames and a close frame, then ends, whether or not the client answers. */
  close(closing: Closing): void {
    if (this.closed) return;
    if (closing !== CLOSE.tooSlow) this.flush(joined, this.framesSincePing > 0);
    this.closed = closing;
    this.queue = NONE;
    this.webSocket?.close(closing.code, closing.reason);
    this.onConfirmation?.();
    this.onClosing(this);
    setTimeout(() => this.socket.destroy(), closing === CLOSE.tooSlow ? CLOSE_SLOW_MS : CLOSE_MS).unref();
  }

  private nextPing(): Buffer {
    this.pinged = this.last;
    this.noPingSince = undefined;
    this.unanswered++;
    return pingFrame(this.pinged);
  }
}
