import type { Connection } from './connection.js';

const LOOK_EVERY_MS = 250;

/**
 * Decides when a connection is asked to confirm its frames: at once while few connections receive any, since a pong costs as
 * much as a frame. On a busy node, with a frame that comes later, or by itself after a second. One timer serves all connections.
 */
export class AskPace {
  /** Others in tests. */
  readonly limits = {
    /** To how many connections frames go in a second before confirmations are asked for later. */
    promptPerSecond: 500,
    /** How old the oldest unasked frame is when the next frame brings a ping, and when a ping is sent by itself. */
    withFrameMs: 900,
    aloneMs: 1_000,
    /** How many frames are sent to a connection before one brings a ping. */
    unasked: 32,
  };
  private second = { since: -Infinity, flushes: 0 };
  /** Connections with unasked frames, those that have waited longest first, and some that were asked meanwhile. */
  private readonly waiting = new Set<Connection>();
  private timer: NodeJS.Timeout | undefined;

  /** `ask` has to flush the connection soon. */
  constructor(private readonly ask: (connection: Connection) => void) {}

  /** Returns whether a connection is asked now. If it has unasked frames, it is asked later otherwise. */
  isDue(connection: Connection, now: number): boolean {
    if (connection.unasked === 0) return false;
    const isFirst = connection.unaskedSince === undefined;
    if (isFirst && this.hasFew(now)) return true;
    if (connection.unasked >= this.limits.unasked || connection.isAwaited) return true;
    if (!isFirst) return now - connection.unaskedSince! >= this.limits.withFrameMs;
    connection.unaskedSince = now;
    this.waiting.delete(connection);
    this.waiting.add(connection);
    this.timer ??= setTimeout(() => this.look(), LOOK_EVERY_MS).unref();
    return false;
  }

  private hasFew(now: number): boolean {
    if (now - this.second.since >= 1_000) this.second = { since: now, flushes: 0 };
    return ++this.second.flushes <= this.limits.promptPerSecond;
  }

  private look(): void {
    const before = performance.now() - this.limits.aloneMs;
    for (const connection of this.waiting) {
      const { unaskedSince } = connection;
      if (unaskedSince !== undefined && unaskedSince > before) break;
      this.waiting.delete(connection);
      if (unaskedSince !== undefined) this.ask(connection);
    }
    this.timer = this.waiting.size > 0 ? setTimeout(() => this.look(), LOOK_EVERY_MS).unref() : undefined;
  }
}
