import type { Connection } from './connection.js';

const POLL_MS = 250;

/**
 * Decides when a connection gets a ping, whose pong confirms all frames before it: at once while few connections receive frames,
 * since a pong costs as much as a frame. On a busy node, together with a later frame, or alone after a second. One timer serves
 * all connections.
 */
export class PingScheduler {
  /** Overridden in tests. */
  readonly limits = {
    /** Connections that receive frames within a second, up to which each ping follows its frame at once. */
    promptPerSecond: 500,
    /** Age of the oldest frame without a ping from which the next frame brings one. */
    piggybackAfterMs: 900,
    /** Age of the oldest frame without a ping from which a ping is sent alone. */
    maxPingDelayMs: 1_000,
    /** Frames without a ping, from which the next one brings it. */
    framesPerPing: 32,
  };
  private second = { since: -Infinity, flushes: 0 };
  /** Connections with frames since their last ping, those that have waited longest first, and some that got a ping meanwhile. */
  private readonly waiting = new Set<Connection>();
  private timer: NodeJS.Timeout | undefined;

  /** @param flush flushes the connection soon */
  constructor(private readonly flush: (connection: Connection) => void) {}

  /** Returns whether a connection gets a ping now. One that has frames since its last ping gets it later otherwise. */
  isDue(connection: Connection, now: number): boolean {
    if (connection.framesSincePing === 0) return false;
    const isFirst = connection.noPingSince === undefined;
    if (isFirst && this.underPromptLimit(now)) return true;
    if (connection.framesSincePing >= this.limits.framesPerPing || connection.isAwaited) return true;
    if (!isFirst) return now - connection.noPingSince! >= this.limits.piggybackAfterMs;
    connection.noPingSince = now;
    this.waiting.delete(connection);
    this.waiting.add(connection);
    this.schedulePoll();
    return false;
  }

  private underPromptLimit(now: number): boolean {
    if (now - this.second.since >= 1_000) this.second = { since: now, flushes: 0 };
    return ++this.second.flushes <= this.limits.promptPerSecond;
  }

  private schedulePoll(): void {
    this.timer ??= setTimeout(() => this.poll(), POLL_MS).unref();
  }

  private poll(): void {
    this.timer = undefined;
    const before = performance.now() - this.limits.maxPingDelayMs;
    for (const connection of this.waiting) {
      const { noPingSince } = connection;
      if (noPingSince !== undefined && noPingSince > before) break;
      this.waiting.delete(connection);
      if (noPingSince !== undefined) this.flush(connection);
    }
    if (this.waiting.size > 0) this.schedulePoll();
  }
}
