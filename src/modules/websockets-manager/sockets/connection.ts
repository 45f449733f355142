import type { Presence } from '../bus/bus.js';
import { CLOSE, type Closer, type Closing, type Output } from './closing.js';
import { joined, pingFrame } from './frame.js';

/** Unread bytes and frames after which a connection is closed as too slow. */
const MAX_BUFFERED = 1024 * 1024;
const MAX_UNCONFIRMED = 16_384;
/** Length of the header and mask of a client frame with a payload of up to 125 bytes. */
const PONG_HEAD_BYTES = 6;
/** Maximum time for a stored push to reach its connections. */
const PUSH_MS = 10_000;
/** Time for a client to answer a close frame. A slow reader must first read the earlier frames. */
const CLOSE_MS = 2_000;
const CLOSE_SLOW_MS = 10_000;

/** Age of the last pong below which a heartbeat is skipped. */
const RECENT_PONG_MS = 2_000;
/** Shared empty array: most connections have no queued or unconfirmed frames. */
const NONE: never[] = [];

/** Reference to the message of an unconfirmed frame. All connections share the receipt of a global message. */
export interface Receipt {
  /** Message id in the frame. */
  id: string;
  tenantId: string;
  global: boolean;
  topic: string | null;
  expiresAt: number | null;
  bytes: number;
  /** True if its confirmation changes nothing: the message was delivered before, or can no longer be. */
  isUnrecorded?: true;
  /** Trace of the delivery, if recorded. */
  trace?: DeliveryTrace;
}

/** Delivery of a push by this node, with confirmations in the same trace. */
export interface DeliveryTrace {
  context: string;
  beganAt: number;
  /** Confirmations left to record. One push may reach thousands of connections. */
  left: number;
}

/** Message held until the backlog is sent. */
interface Held {
  frame: Buffer;
  receipt: Receipt;
}

/**
 * WebSocket or event stream with queued frames and receipts of unconfirmed ones. The pong to a numbered ping confirms all frames up to it.
 */
export class Connection {
  /**
   * Messages pushed while a backlog is being sent, by id. The value is undefined for messages of the backlog. Without a backlog the map is
   * undefined, and messages are sent immediately.
   */
  held: Map<string, Held | undefined> | undefined = new Map();
  missedHeartbeats = 0;
  /** Time of the last pong, on the monotonic clock. */
  private lastPongAt = -Infinity;
  /** Heartbeat interval in seconds, and the second of it at which this connection is pinged. */
  beat = { seconds: Infinity, phase: 0 };
  /** Id of the last acknowledged message. */
  lastAcknowledged: string | undefined;
  /** Start of the current minute, and bytes received by then. */
  minute = { since: -Infinity, bytes: 0 };
  /** Received bytes of pongs to our own pings, exempt from the inbound limit. */
  pongBytes = 0;
  /** Number of unanswered pings. */
  private unanswered = 0;
  /** Time at which the expiry of the token closes the connection, in milliseconds since 1970. */
  endsAt = Infinity;
  /** Stored messages to send first: a number of each topic, and their maximum age. Undefined once they were sent. */
  rewind: { messages: number; seconds: number } | undefined;
  /** Issue time of the token, in milliseconds since 1970. */
  tokenIssuedAt = 0;
  /** True if the application confirms by message id. Pongs then prove only that the client is alive. */
  acknowledges = false;
  readsInbox = false;
  closed: Closing | undefined;
  /** Write time of the oldest frame not yet followed by a ping. */
  noPingSince: number | undefined;
  /** Numbers of the last queued frame, the last confirmed frame and the last ping. */
  private last = 0;
  private confirmed = 0;
  private pinged = 0;
  private closer: Closer | undefined;
  private queue: Buffer[] = NONE;
  private queuedBytes = 0;
  private heldBytes = 0;
  /** Ids of messages sent by the backlog that may still arrive as a push. */
  private recent: Set<string> | undefined;
  /** Receipts of unconfirmed frames, oldest first. */
  unconfirmed: Receipt[] = NONE;
  private onConfirmation: (() => void) | undefined;
  unconfirmedBytes = 0;

  constructor(
    readonly presence: Presence,
    private readonly output: Output,
    private readonly markDirty: (connection: Connection) => void,
    /** Called once when the connection starts to close. */
    private readonly onClosing: (connection: Connection) => void,
  ) {}

  /** Called after the handshake. */
  open(closer: Closer): void {
    this.closer = closer;
  }

  get hasOpened(): boolean {
    return this.closer !== undefined;
  }

  get isOpen(): boolean {
    return this.closed === undefined && this.output.writable;
  }

  /** Sends a message, or holds it until the end of the backlog being sent. */
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

  /** Sends a frame that is no message, once the connection has opened. Nothing confirms it. */
  notify(frame: Buffer): void {
    if (this.isOpen && this.hasOpened) this.enqueue(frame);
  }

  /** Sends a message of the backlog. A concurrent push of the same message is ignored. */
  writeBacklog(frame: Buffer, receipt: Receipt): void {
    this.held?.set(receipt.id, undefined);
    this.write(frame, receipt);
  }

  isSentFromBacklog(id: string): boolean {
    return this.held !== undefined && this.held.has(id) && this.held.get(id) === undefined;
  }

  private write(frame: Buffer, receipt: Receipt): void {
    if (!this.isOpen) return;
    this.last++;
    if (this.unconfirmed.length === 0) this.unconfirmed = [receipt];
    else this.unconfirmed.push(receipt);
    this.unconfirmedBytes += receipt.bytes;
    this.enqueue(frame);
  }

  private enqueue(frame: Buffer): void {
    if (this.queue.length === 0) this.queue = [frame];
    else this.queue.push(frame);
    this.queuedBytes += frame.length;
    const behind = this.queuedBytes + this.output.writableLength > MAX_BUFFERED || this.unconfirmed.length > MAX_UNCONFIRMED;
    if (behind) return this.close(CLOSE.tooSlow);
    if (this.queue.length === 1) this.markDirty(this);
  }

  /** Ends the backlog: sends the held messages, calling `onSend` for each. Later messages are sent immediately. */
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
    // The push of a message just read from the database may still arrive.
    this.recent = new Set(held.keys());
    setTimeout(() => (this.recent = undefined), PUSH_MS).unref();
  }

  /** Drops held messages that the connection no longer receives. */
  dropHeld(isWanted: (receipt: Receipt) => boolean): void {
    for (const [id, held] of this.held ?? []) if (held && !isWanted(held.receipt)) this.held!.delete(id);
  }

  /** Holds newly pushed messages until a backlog is sent. */
  hold(): void {
    this.held ??= new Map();
  }

  /** Number of frames queued since the last ping. */
  get framesSincePing(): number {
    return this.acknowledges ? 0 : this.last - this.pinged;
  }

  /** True if a caller awaits the next confirmation. */
  get isAwaited(): boolean {
    return this.onConfirmation !== undefined;
  }

  /** Writes the queued frames in one buffer built by `join`, followed by a ping if `asks` is true. */
  flush(join: (frames: Buffer[], ping: Buffer | undefined) => Buffer, asks: boolean): void {
    if (!this.isOpen || (this.queue.length === 0 && !asks)) return;
    const frames = this.queue;
    this.queue = NONE;
    this.queuedBytes = 0;
    this.output.write(join(frames, asks ? this.nextPing() : undefined));
  }

  /** Pings the client to check that it is alive, unless a pong has just arrived. The pong also confirms frames. */
  heartbeat(now: number): void {
    if (now - this.lastPongAt < RECENT_PONG_MS) return;
    this.missedHeartbeats++;
    this.flush(joined, true);
  }

  /** Exempts one pong per ping, with header and mask, from the inbound limit. */
  creditPong(payloadBytes: number): void {
    if (this.unanswered === 0) return;
    this.unanswered--;
    this.pongBytes += PONG_HEAD_BYTES + payloadBytes;
  }

  /** Handles an acknowledgement. Returns the receipts of its frame and of all earlier frames. */
  acknowledge(id: string): Receipt[] {
    const index = this.unconfirmed.findIndex((receipt) => receipt.id === id);
    if (index < 0) return [];
    this.lastAcknowledged = id;
    return this.confirmFirst(index + 1);
  }

  /** Handles a pong. Returns the confirmed receipts. */
  confirm(sequence: number): Receipt[] {
    this.missedHeartbeats = 0;
    this.lastPongAt = performance.now();
    // Limited to the last ping: a client cannot confirm more by guessing a number.
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

  /** Returns true if an unconfirmed frame of the message was sent on this connection. */
  isOnItsWay(id: string): boolean {
    return this.unconfirmed.some((receipt) => receipt.id === id);
  }

  unconfirmedIds(): Set<string> {
    return new Set(this.unconfirmed.map(({ id }) => id));
  }

  /** Returns the receipts of messages that can no longer be confirmed. Called after the connection has ended. */
  takeUnconfirmed(): Receipt[] {
    const receipts = [...this.unconfirmed, ...[...(this.held?.values() ?? [])].flatMap((held) => held?.receipt ?? [])];
    this.unconfirmed = NONE;
    this.held = undefined;
    this.onConfirmation?.();
    return receipts;
  }

  /** Sends the queued frames and a close frame, then closes the connection even without an answer. */
  close(closing: Closing): void {
    if (this.closed) return;
    if (closing !== CLOSE.tooSlow) this.flush(joined, this.framesSincePing > 0);
    this.closed = closing;
    this.queue = NONE;
    this.closer?.close(closing.code, closing.reason);
    this.onConfirmation?.();
    this.onClosing(this);
    setTimeout(() => this.output.destroy(), closing === CLOSE.tooSlow ? CLOSE_SLOW_MS : CLOSE_MS).unref();
  }

  private nextPing(): Buffer {
    this.pinged = this.last;
    this.noPingSince = undefined;
    this.unanswered++;
    return pingFrame(this.pinged);
  }
}
