import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Presence } from '../bus/bus.js';
import { pingFrame } from './frame.js';

/** What a reader may leave unread before it counts as too slow. */
const MAX_BUFFERED = 1024 * 1024;
const MAX_UNCONFIRMED = 16_384;
/** Of a frame with up to 125 bytes from a client: two bytes, and the mask. */
const PONG_HEAD_BYTES = 6;
const ON_ITS_WAY_MS = 10_000;
/** How long a peer has to answer a close frame; a slow reader has to read what lies before it. */
const CLOSE_MS = 2_000;
const CLOSE_SLOW_MS = 10_000;

export const CLOSE = {
  goingAway: { code: 1001, reason: 'server going away, reconnect' },
  tooMuch: { code: 1008, reason: 'too much was sent' },
  badToken: { code: 4401, reason: 'bad or expired token' },
  disconnected: { code: 4403, reason: 'disconnected by the application' },
  heartbeat: { code: 4408, reason: 'heartbeat lost' },
  tooSlow: { code: 4413, reason: 'too slow a reader' },
} as const;

export type Closing = (typeof CLOSE)[keyof typeof CLOSE];

/** What a frame carried, to be confirmed: a message of one recipient, or a global one, then shared by all connections. */
export interface Receipt {
  /** The id in the frame. */
  id: string;
  tenantId: string;
  global: boolean;
  topic: string | null;
  expiresAt: number | null;
  bytes: number;
}

interface Held {
  frame: Buffer;
  receipt: Receipt;
}

/**
 * One open WebSocket: the frames that wait for the end of this turn of the event loop, and those that were written and not
 * confirmed. Frames are numbered; the pong to a ping with a number confirms all frames up to it.
 */
export class Connection {
  /** Messages that arrive while a backlog goes out wait here, by their id; undefined: they go out at once. */
  held: Map<string, Held | undefined> | undefined = new Map();
  missedHeartbeats = 0;
  /** In which second of the heartbeat its turn is. */
  phase = 0;
  /** Of what was received: the start of the present minute, and the bytes until then. */
  minute = { since: 0, bytes: 0 };
  /** Of what was received: the pongs that were asked for, which are ours to answer for. */
  pongBytes = 0;
  /** Pings that have had no pong. */
  private unanswered = 0;
  /** When it ends with its token, in milliseconds since 1970. */
  endsAt = Infinity;
  /** The application confirms by the ids of frames, and pongs only tell that its peer is there. */
  acknowledges = false;
  closed: Closing | undefined;
  /** The numbers of the last frame that was queued, of the last written, and of the last confirmed. */
  private last = 0;
  private written = 0;
  private confirmed = 0;
  /** The number in the ping that is under way; 0: none is. */
  private pinged = 0;
  private webSocket: WebSocket | undefined;
  private queue: Buffer[] = [];
  private queuedBytes = 0;
  private heldBytes = 0;
  private recent: Set<string> | undefined;
  private unconfirmed: Receipt[] = [];
  private onConfirmation: (() => void) | undefined;
  unconfirmedBytes = 0;

  constructor(
    readonly presence: Presence,
    private readonly socket: Socket,
    private readonly markDirty: (connection: Connection) => void,
    /** Called once, when the connection begins to close. */
    private readonly onClosing: (connection: Connection) => void,
  ) {}

  /** The handshake is done. */
  open(webSocket: WebSocket): void {
    this.webSocket = webSocket;
  }

  get hasOpened(): boolean {
    return this.webSocket !== undefined;
  }

  get isOpen(): boolean {
    return this.closed === undefined && this.socket.writable;
  }

  /** Sends a message, after what the backlog still holds. */
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

  /** Sends a message of the backlog, which need not be sent again when it is pushed right now. */
  writeBacklog(frame: Buffer, receipt: Receipt): void {
    this.held?.set(receipt.id, undefined);
    this.write(frame, receipt);
  }

  isSentOfBacklog(id: string): boolean {
    return this.held !== undefined && this.held.has(id) && this.held.get(id) === undefined;
  }

  private write(frame: Buffer, receipt: Receipt): void {
    if (!this.isOpen) return;
    this.queue.push(frame);
    this.queuedBytes += frame.length;
    this.last++;
    this.unconfirmed.push(receipt);
    this.unconfirmedBytes += receipt.bytes;
    const behind = this.queuedBytes + this.socket.writableLength > MAX_BUFFERED || this.unconfirmed.length > MAX_UNCONFIRMED;
    if (behind) return this.close(CLOSE.tooSlow);
    if (this.queue.length === 1) this.markDirty(this);
  }

  /** What was held is sent, but for what the backlog brought; from now on messages go out at once. Tells what is sent. */
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
    // What was read from the database may have been pushed a moment before, and be on its way here.
    this.recent = new Set(held.keys());
    setTimeout(() => (this.recent = undefined), ON_ITS_WAY_MS).unref();
  }

  /** Keeps what arrives from now on behind a backlog. */
  hold(): void {
    this.held ??= new Map();
  }

  /** Queued frames, and a ping unless one is under way, in one write. `join` makes one buffer of those frames. */
  flush(join: (frames: Buffer[], ping: Buffer | undefined) => Buffer): void {
    if (this.queue.length === 0 || !this.isOpen) return;
    const frames = this.queue;
    this.queue = [];
    this.queuedBytes = 0;
    this.written = this.last;
    this.socket.write(join(frames, this.nextPing()));
  }

  /** A ping that asks whether the peer is there; it confirms too. */
  heartbeat(): void {
    this.missedHeartbeats++;
    this.ping();
  }

  /** Takes the bytes of a pong, header and mask included, off what the peer may send: one pong for each ping. */
  creditPong(payloadBytes: number): void {
    if (this.unanswered === 0) return;
    this.unanswered--;
    this.pongBytes += PONG_HEAD_BYTES + payloadBytes;
  }

  /** Takes the acknowledgement of a frame. Answers with what it confirms: that frame, and all that went out before it. */
  acknowledge(id: string): Receipt[] {
    const index = this.unconfirmed.findIndex((receipt) => receipt.id === id);
    return index < 0 ? [] : this.confirmFirst(index + 1);
  }

  /** Takes a pong. Answers with what it confirms. */
  confirm(sequence: number): Receipt[] {
    this.missedHeartbeats = 0;
    if (this.acknowledges) {
      this.pinged = 0;
      return [];
    }
    // Nobody confirms what was not pinged for yet: a peer that guesses numbers confirms nothing ahead.
    const upTo = Math.min(sequence, this.pinged);
    if (upTo < this.confirmed) return [];
    const receipts = this.confirmFirst(upTo - this.confirmed);
    if (sequence >= this.pinged) this.pinged = 0;
    // For frames that were written while that ping was under way. Queued ones bring a ping of their own.
    if (this.pinged === 0 && this.written > this.confirmed && this.queue.length === 0 && this.isOpen) this.ping();
    return receipts;
  }

  private confirmFirst(count: number): Receipt[] {
    const receipts = this.unconfirmed.splice(0, count);
    this.confirmed += receipts.length;
    for (const { bytes } of receipts) this.unconfirmedBytes -= bytes;
    this.onConfirmation?.();
    return receipts;
  }

  /** Resolves at the next confirmation, or when the connection ends. */
  confirmation(): Promise<void> {
    return new Promise((resolve) => {
      this.onConfirmation = () => {
        this.onConfirmation = undefined;
        resolve();
      };
      if (!this.isOpen) this.onConfirmation();
    });
  }

  /** The ids of frames that may still be confirmed. */
  underWay(): Set<string> {
    return new Set(this.unconfirmed.map(({ id }) => id));
  }

  /** What was sent in vain, once the connection has ended. */
  takeUnconfirmed(): Receipt[] {
    const receipts = [...this.unconfirmed, ...[...(this.held?.values() ?? [])].flatMap((held) => held?.receipt ?? [])];
    this.unconfirmed = [];
    this.held = undefined;
    this.onConfirmation?.();
    return receipts;
  }

  /** Says why, then ends, whether or not the peer answers. What is queued is sent before. */
  close(closing: Closing): void {
    if (this.closed) return;
    if (closing !== CLOSE.tooSlow) this.flush((frames, ping) => Buffer.concat(ping ? [...frames, ping] : frames));
    this.closed = closing;
    this.queue = [];
    this.webSocket?.close(closing.code, closing.reason);
    this.onConfirmation?.();
    this.onClosing(this);
    setTimeout(() => this.socket.destroy(), closing === CLOSE.tooSlow ? CLOSE_SLOW_MS : CLOSE_MS).unref();
  }

  private nextPing(): Buffer | undefined {
    if (this.pinged !== 0 || this.acknowledges) return undefined;
    this.pinged = this.written;
    this.unanswered++;
    return pingFrame(this.written);
  }

  private ping(): void {
    this.pinged = this.written;
    this.unanswered++;
    this.socket.write(pingFrame(this.written));
  }
}
