/** Close codes that the server sends. */
export const CLOSE = {
  goingAway: { code: 1001, reason: 'server going away, reconnect' },
  tooMuch: { code: 1008, reason: 'too much was sent' },
  badToken: { code: 4401, reason: 'bad or expired token' },
  disconnected: { code: 4403, reason: 'disconnected by the application' },
  suspended: { code: 4403, reason: 'the tenant is suspended' },
  heartbeat: { code: 4408, reason: 'heartbeat lost' },
  tooSlow: { code: 4413, reason: 'too slow a reader' },
  noRoom: { code: 4413, reason: 'the node has no room for more topics' },
} as const;

export type Closing = (typeof CLOSE)[keyof typeof CLOSE];

/** Writable end of a connection: its TCP socket, or an event stream that translates the frames. */
export interface Output {
  readonly writable: boolean;
  /** Bytes written but not yet passed to the operating system. */
  readonly writableLength: number;
  write(frames: Buffer): unknown;
  destroy(): unknown;
}

/** Tells the client of an open connection that it closes. */
export interface Closer {
  close(code: number, reason: string): void;
}
