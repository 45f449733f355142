import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Presence } from '../bus/bus.js';
import { joined, pingFrame } from './frame.js';

/** How many bytes and frames a client may leave unread before its connection is closed as too slow. */
const MAX_BUFFERED = 1024 * 1024;
const MAX_UNCONFIRMED = 16_384;
/** The length of the header and mask of a client's frame with a payload of up to 125 bytes. */
const PONG_HEAD_BYTES = 6;
/** How long a push can take to reach its connections after it was stored. */
const PUSH_MS = 10_000;
/** How long a client has to answer a close frame; a slow reader must first read what was sent before it. */
const CLOSE_MS = 2_000;
const CLOSE_SLOW_MS = 10_000;

/** How recent the last pong must be for a heartbeat to be skipped. */
const RECENT_PONG_MS = 2_000;
/**
 * Shared by connections without queued or unconfirmed frames, which are most of them: separate empty arrays would cost memory.
 */
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

/**
 * Names the message that a frame carries, until the frame is confirmed. All connections share the receipt of a global message.
 */
export interface Receipt {
  /** The message id in the frame. */
  id: string;
  tenantId: string;
  global: boolean;
  topic: string | null;
  expiresAt: number | null;
  bytes: number;
  /** Set if the delivery is recorded in a trace. */
  trace?: DeliveryTrace;
}

/** The delivery of a push by this node, whose confirmations are part of the same trace. */
export interface DeliveryTrace {
  context: string;
  beganAt: number;
  /** How many more confirmations are recorded. One push may reach thousands of connections. */
  left: number;
}

/** A message that must wait until the backlog is sent. */
interface Held {
  frame: Buffer;
  receipt: Receipt;
}

/**
 * An open WebSocket, with the frames queued in this turn of the event loop and the receipts of unconfirmed frames. Frames are
 * numbered: the pong to a ping with a number confirms all frames up to this number.
 */
export class Connection {
  /**
   * Messages pushed while a backlog is being sent, by id. The value is undefined for messages that the backlog has sent. If no
   * backlog is being sent, there is no map, and messages are sent at once.
   */
  held: Map<string, Held | undefined> | undefined = new Map();
  missedHeartbeats = 0;
  /** When the last pong came, on the monotonic clock. */
  private lastPongAt = -Infinity;
  /** The second of the heartbeat interval in which this connection is pinged. */
  phase = 0;
  /** When the current minute began, and how many bytes had been received by then. */
  minute = { since: -Infinity, bytes: 0 };
  /** Received bytes of pongs to our own pings, which do not count against the client. */
  pongBytes = 0;
  /** How many pings have not been answered yet. */
  private unanswered = 0;
  /** When the connection ends because its token expires, in milliseconds since 1970. */
  endsAt = Infinity;
  /** Whether the application confirms by message id. Pongs then only show that the client is alive. */
  acknowledges = false;
  closed: Closing | undefined;
  /** When the oldest frame that no ping has followed was written. */
  noPingSince: number | undefined;
  /** The numbers of the frames last queued and last confirmed, and the number in the last ping. */
  private last = 0;
  private confirmed = 0;
  private pinged = 0;
  private webSocket: WebSocket | undefined;
  private queue: Buffer[] = NONE;
  private queuedBytes = 0;
  private heldBytes = 0;
  /** Ids of messages that the backlog has sent and that may still arrive as a push. */
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

  /** Called after the handshake. */
  open(webSocket: WebSocket): void {
    this.webSocket = webSocket;
  }

  get hasOpened(): boolean {
    return this.webSocket !== undefined;
  }

  get isOpen(): boolean {
    return this.closed === undefined && this.socket.writable;
  }

  /** Sends a message. While a backlog is being sent, holds the message until the end of the backlog. */
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

  /** Sends a message of the backlog. If the same message is pushed in the meantime, the push is ignored. */
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

  /** Ends the backlog: sends the held messages, and calls `onSend` for each. After this, messages are sent at once. */
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
    // A message read from the database may have been pushed a moment before, and this push may still arrive.
    this.recent = new Set(held.keys());
    setTimeout(() => (this.recent = undefined), PUSH_MS).unref();
  }

  /** Holds messages pushed from now on, until a backlog is sent. */
  hold(): void {
    this.held ??= new Map();
  }

  /** How many frames were queued since the last ping. */
  get framesSincePing(): number {
    return this.acknowledges ? 0 : this.last - this.pinged;
  }

  /** Whether a caller waits for the next confirmation. */
  get isAwaited(): boolean {
    return this.onConfirmation !== undefined;
  }

  /** Writes the queued frames at once, followed by a ping if `asks` is true. `join` makes all of them one buffer. */
  flush(join: (frames: Buffer[], ping: Buffer | undefined) => Buffer, asks: boolean): void {
    if (!this.isOpen || (this.queue.length === 0 && !asks)) return;
    const frames = this.queue;
    this.queue = NONE;
    this.queuedBytes = 0;
    this.socket.write(join(frames, asks ? this.nextPing() : undefined));
  }

  /** Pings the client to check that it is alive, unless a pong has just come. The pong also confirms frames. */
  heartbeat(now: number): void {
    if (now - this.lastPongAt < RECENT_PONG_MS) return;
    this.missedHeartbeats++;
    this.flush(joined, true);
  }

  /** Excludes the bytes of one pong for each ping, with header and mask, from the limit of what a client may send. */
  creditPong(payloadBytes: number): void {
    if (this.unanswered === 0) return;
    this.unanswered--;
    this.pongBytes += PONG_HEAD_BYTES + payloadBytes;
  }

  /** Handles an acknowledgement. Returns the receipts that it confirms: that of its frame, and those of all frames before it. */
  acknowledge(id: string): Receipt[] {
    const index = this.unconfirmed.findIndex((receipt) => receipt.id === id);
    return index < 0 ? [] : this.confirmFirst(index + 1);
  }

  /** Handles a pong. Returns the receipts that it confirms. */
  confirm(sequence: number): Receipt[] {
    this.missedHeartbeats = 0;
    this.lastPongAt = performance.now();
    // Limited to the last ping, so that a client cannot confirm more by guessing a number.
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

  /** Requests a confirmation, and resolves with the next one or at the end of the connection. */
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

  /** Whether a frame of the message was sent on this connection and is not confirmed yet. */
  isOnItsWay(id: string): boolean {
    return this.unconfirmed.some((receipt) => receipt.id === id);
  }

  unconfirmedIds(): Set<string> {
    return new Set(this.unconfirmed.map(({ id }) => id));
  }

  /** Called after the connection has ended. Returns the receipts of messages that can no longer be confirmed. */
  takeUnconfirmed(): Receipt[] {
    const receipts = [...this.unconfirmed, ...[...(this.held?.values() ?? [])].flatMap((held) => held?.receipt ?? [])];
    this.unconfirmed = NONE;
    this.held = undefined;
    this.onConfirmation?.();
    return receipts;
  }

  /** Sends the queued frames and a close frame, then ends the connection even if the client does not answer. */
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
