import { FINAL, REASONS, VOID_TOKEN } from './close-codes.js';
import { EventSocket } from './event-socket.js';
import type { Frame, InboxMark, Message, Presence } from './frames.js';
import { pauseMs } from './retry.js';

/** State of a connection. */
export type State =
  | { name: 'connecting' }
  /** Open by a WebSocket, or by an event stream where the network blocks WebSockets. */
  | { name: 'open'; transport?: 'events' }
  /** Broken, and reopened after the given time. `code` is the WebSocket close code, if there was one. */
  | { name: 'waiting'; reason: string; code?: number; retryInMs: number }
  /** Closed because the page is hidden; reopened when it is shown. */
  | { name: 'hidden' }
  /** Closed for good: by `close()`, by the application (4403), or because the client broke a rule. */
  | { name: 'closed'; reason: string; code?: number };

export interface ConnectOptions {
  /**
   * Receives each message once. With `acknowledge` messages are handled one after another, each acknowledged when the returned promise
   * resolves. If it rejects, the connection is reopened, and the message arrives again if it can wait.
   */
  onMessage: (message: Message) => unknown;
  /** Called for each recipient that joins or leaves a topic of the connection, if the URL was registered with `presence: true`. */
  onPresence?: (presence: Presence) => void;
  /** Called with the number of unread messages, when the connection opens and after each change, if the URL was registered with `inbox: true`. */
  onUnread?: (unread: number) => void;
  /** Called with every state of the connection. */
  onState?: (state: State) => void;
  /** Whether the URL was registered with `acknowledge: true`. */
  acknowledge?: boolean;
  /** Number of message ids remembered to drop duplicates; 10,000 by default. */
  remember?: number;
  /** Replaces the global WebSocket, which Node has since version 22; the class of the package `ws` works. */
  WebSocket?: new (address: string) => WebSocket;
}

/** A connection that reopens automatically. */
export interface Connection {
  readonly state: State;
  /** Marks a message in the inbox, once the connection is open, if the URL was registered with `inbox: true`. `onUnread` follows. */
  mark(id: string, mark: InboxMark): void;
  /** Closes the connection for good. */
  close(): void;
}

const OPENING_MS = 30_000;
/** Failed openings in succession after which a client whose WebSockets have opened before tries an event stream. */
const FAILED_OPENINGS = 3;
/** Time after which a connection counts as stable, which resets the reconnect pause. */
const GOOD_MS = 10_000;
const LONGEST_PAUSE_MS = 30_000;
/** Detects a silently broken network; the server ignores the content. */
const SIGN_OF_LIFE_MS = 30_000;
/** Maximum number of messages confirmed by one acknowledgement. */
const ACKNOWLEDGE_EVERY = 64;
const OPEN = 1;

/**
 * Connects to the URL that `getConnectionUri` returns, and stays connected: with growing random pauses, at once when the network is back,
 * and with a new URL after 4401 or a failed attempt. Where no WebSocket opens, it tries server-sent events alternately. The function asks
 * your server, which calls registerRecipient.
 */
export function connect(getConnectionUri: () => string | Promise<string>, options: ConnectOptions): Connection {
  const link = new Link(getConnectionUri, options);
  link.start();
  return link;
}

class Link implements Connection {
  state: State = { name: 'connecting' };
  private readonly seen = new Set<string>();
  private readonly remember: number;
  private uri: string | undefined;
  private socket: WebSocket | EventSocket | undefined;
  private usesEvents = false;
  private hadWebSocket = false;
  private failedOpenings = 0;
  private lastId: string | undefined;
  private failures = 0;
  /** Marks to send once the connection is open. */
  private marks: string[] = [];
  /** Stops the timers and listeners of the current attempt. */
  private attempt = new AbortController();

  constructor(
    private readonly getConnectionUri: () => string | Promise<string>,
    private readonly options: ConnectOptions,
  ) {
    this.remember = options.remember ?? 10_000;
    if (!(this.remember >= 1)) throw new RangeError('remember must be at least 1');
  }

  start(): void {
    globalThis.addEventListener?.('pagehide', this.hide);
    globalThis.addEventListener?.('pageshow', this.show);
    globalThis.addEventListener?.('online', this.hurry);
    void this.open();
  }

  mark(id: string, mark: InboxMark): void {
    const frame = JSON.stringify({ [mark]: id });
    if (this.state.name === 'open') this.socket!.send(frame);
    else this.marks = [...this.marks.slice(1 - this.remember), frame];
  }

  close(): void {
    this.end({ name: 'closed', reason: 'close() was called' });
  }

  private readonly hide = () => {
    if (this.state.name === 'closed') return;
    this.drop();
    this.become({ name: 'hidden' });
  };

  private readonly show = () => {
    if (this.state.name === 'hidden') void this.open();
  };

  private readonly hurry = () => {
    if (this.state.name === 'waiting') void this.open();
  };

  private become(state: State): void {
    this.state = state;
    this.options.onState?.(state);
  }

  private end(state: State): void {
    if (this.state.name === 'closed') return;
    globalThis.removeEventListener?.('pagehide', this.hide);
    globalThis.removeEventListener?.('pageshow', this.show);
    globalThis.removeEventListener?.('online', this.hurry);
    this.drop();
    this.become(state);
  }

  /** Leaves the current attempt and ignores its events. */
  private drop(): void {
    this.attempt.abort();
    this.socket?.close();
    this.socket = undefined;
  }

  /** Changes the transport after failed openings. A client that WebSockets have worked for returns to them after each event stream. */
  private chooseTransport(code: number | undefined): void {
    const isBlocked = this.socket !== undefined && this.state.name === 'connecting' && code !== VOID_TOKEN;
    const hasFailed = isBlocked && ++this.failedOpenings >= (this.hadWebSocket ? FAILED_OPENINGS : 1);
    if (!hasFailed && !(this.usesEvents && this.hadWebSocket)) return;
    this.usesEvents = !this.usesEvents;
    this.failedOpenings = 0;
  }

  private later(reason: string, code?: number): void {
    this.chooseTransport(code);
    this.drop();
    const retryInMs = Math.round(pauseMs(this.failures++, LONGEST_PAUSE_MS));
    const attempt = (this.attempt = new AbortController());
    const timer = setTimeout(() => void this.open(), retryInMs);
    attempt.signal.addEventListener('abort', () => clearTimeout(timer));
    this.become({ name: 'waiting', reason, retryInMs, ...(code !== undefined && { code }) });
  }

  private async open(): Promise<void> {
    this.attempt.abort();
    const { signal } = (this.attempt = new AbortController());
    this.become({ name: 'connecting' });
    const late = setTimeout(() => this.later(`it did not open within ${OPENING_MS / 1_000} s`), OPENING_MS);
    signal.addEventListener('abort', () => clearTimeout(late));
    try {
      const uri = this.uri ?? (await this.getConnectionUri());
      if (signal.aborted) return;
      this.uri = undefined; // kept only once it opened a connection
      const socket = (this.socket = this.newSocket(uri));
      this.listen(socket, uri, signal, () => clearTimeout(late));
    } catch (error) {
      if (!signal.aborted) this.later(`no address: ${messageOf(error)}`);
    }
  }

  private newSocket(uri: string): WebSocket | EventSocket {
    if (this.usesEvents) return new EventSocket(uri, !this.options.acknowledge, this.lastId);
    return new (this.options.WebSocket ?? WebSocket)(uri);
  }

  private listen(socket: WebSocket | EventSocket, uri: string, signal: AbortSignal, onOpen: () => void): void {
    let openedAt: number | undefined;
    const queue = new Queue(
      socket,
      signal,
      this.options,
      (id) => this.isNew(id),
      (reason) => this.later(reason),
    );
    socket.addEventListener('open', () => {
      if (signal.aborted) return socket.close();
      onOpen();
      openedAt = Date.now();
      this.uri = uri;
      const beat = setInterval(() => socket.readyState === OPEN && socket.send('{}'), SIGN_OF_LIFE_MS);
      signal.addEventListener('abort', () => clearInterval(beat));
      this.failedOpenings = 0;
      this.hadWebSocket ||= !this.usesEvents;
      for (const mark of this.marks.splice(0)) socket.send(mark);
      this.become({ name: 'open', ...(this.usesEvents && { transport: 'events' }) });
    });
    (socket as WebSocket).addEventListener('message', ({ data }: MessageEvent) => {
      if (signal.aborted) return;
      const frame = JSON.parse(String(data)) as Frame;
      if (frame.presence) this.options.onPresence?.(frame);
      else if (frame.id === undefined) this.options.onUnread?.(frame.inbox.unread);
      else queue.take(frame);
    });
    socket.addEventListener('error', () => {
      // Node 22 may emit no close after this error. Once open, a close follows and says more.
      if (!signal.aborted && openedAt === undefined) this.later('it could not be opened');
    });
    (socket as WebSocket).addEventListener('close', ({ code }) => {
      if (signal.aborted) return;
      if (openedAt !== undefined && Date.now() - openedAt >= GOOD_MS) this.failures = 0;
      if (code === VOID_TOKEN) this.uri = undefined;
      const final = FINAL[code];
      if (final) this.end({ name: 'closed', reason: final, code });
      else this.later(REASONS[code] ?? (openedAt === undefined ? 'it could not be opened' : 'the connection broke'), code);
    });
  }

  /** Returns whether the message is new, as far as remembered; `note` remembers it. */
  private isNew(id: string): { isNew: boolean; note: () => void } {
    const note = () => {
      this.lastId = id;
      this.seen.delete(id);
      this.seen.add(id);
      if (this.seen.size > this.remember) this.seen.delete(this.seen.values().next().value!);
    };
    return { isNew: !this.seen.has(id), note };
  }
}

const messageOf = (error: unknown) => (error as Partial<Error> | undefined)?.message ?? String(error);

/** Delivers the messages of one connection, in order. */
class Queue {
  private readonly waiting: Message[] = [];
  private readonly handled: string[] = [];
  private isBusy = false;

  constructor(
    private readonly socket: { readonly readyState: number; send(text: string): void },
    private readonly signal: AbortSignal,
    private readonly options: ConnectOptions,
    private readonly look: (id: string) => { isNew: boolean; note: () => void },
    private readonly fail: (reason: string) => void,
  ) {}

  take(message: Message): void {
    if (this.options.acknowledge) {
      this.waiting.push(message); // at most 16,384 wait: the server closes with 4413
      if (!this.isBusy) void this.handle();
      return;
    }
    const { isNew, note } = this.look(message.id);
    note();
    if (isNew) this.options.onMessage(message);
  }

  private async handle(): Promise<void> {
    this.isBusy = true;
    for (let message; (message = this.waiting.shift());) {
      const { isNew, note } = this.look(message.id);
      try {
        if (isNew) await this.options.onMessage(message);
      } catch (error) {
        this.acknowledge();
        if (!this.signal.aborted) this.fail(`onMessage failed: ${messageOf(error)}`);
        return;
      }
      note();
      if (this.signal.aborted) return;
      this.handled.push(message.id);
      if (this.handled.length >= ACKNOWLEDGE_EVERY || this.waiting.length === 0) this.acknowledge();
    }
    this.isBusy = false;
  }

  /** Acknowledges the last handled message, and with it all earlier ones. */
  private acknowledge(): void {
    const id = this.handled.at(-1);
    this.handled.length = 0;
    if (id !== undefined && this.socket.readyState === OPEN) this.socket.send(JSON.stringify({ ack: id }));
  }
}
