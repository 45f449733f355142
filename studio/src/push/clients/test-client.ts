import { connect, type Connection, type State } from '../../../../clients/js/src/connect';
import type { Message } from '../../../../clients/js/src/frames';

export interface ClientSettings {
  recipient: string;
  topic: string;
  /** Way to confirm messages: by the WebSocket, by this page at once, or by hand. */
  confirm: 'socket' | 'itself' | 'hand';
}

/** An entry in the log of a test client. */
export type Entry =
  | { kind: 'state'; key: number; at: string; state: State }
  | { kind: 'message'; key: number; at: string; message: Message; acknowledgedAt?: string; times: number };

export interface View {
  state: State;
  /** Newest first. */
  entries: readonly Entry[];
}

const KEPT = 500;

/** A simulated recipient. */
export class TestClient {
  private view: View = { state: { name: 'connecting' }, entries: [] };
  private readonly listeners = new Set<() => void>();
  private readonly connection: Connection;
  /** Resolves the message to be acknowledged by hand. */
  private release: { id: string; resolve: () => void } | undefined;
  private readonly acknowledged = new Set<string>();
  private count = 0;

  constructor(
    readonly key: number,
    readonly settings: ClientSettings,
    getConnectionUri: () => Promise<string>,
  ) {
    const arrive = (message: Message) => this.arrive(message);
    // The connection delivers one message after another; this one shows each on arrival.
    class Listening extends WebSocket {
      constructor(address: string) {
        super(address);
        this.addEventListener('message', ({ data }: MessageEvent) => arrive(JSON.parse(String(data)) as Message));
      }
    }
    this.connection = connect(getConnectionUri, {
      acknowledge: settings.confirm !== 'socket',
      WebSocket: Listening,
      onState: (state) => this.note({ kind: 'state', key: this.count++, at: new Date().toISOString(), state }, state),
      onMessage: (message) => this.handle(message),
    });
  }

  readonly read = (): View => this.view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  close(): void {
    this.connection.close();
    this.release?.resolve();
  }

  /** Acknowledges a message by hand, and with it all earlier ones, as the protocol defines. */
  acknowledge(id: string): void {
    const from = this.view.entries.findIndex((entry) => entry.kind === 'message' && entry.message.id === id);
    const older = this.view.entries.slice(from).flatMap((entry) => (isOpen(entry) ? entry.message.id : []));
    for (const one of older) this.acknowledged.add(one);
    this.markAcknowledged(new Set(older));
    if (this.release && this.acknowledged.has(this.release.id)) this.release.resolve();
  }

  private handle({ id }: Message): Promise<void> | void {
    if (this.settings.confirm === 'socket') return undefined;
    if (this.settings.confirm === 'itself') return this.markAcknowledged(new Set([id]));
    if (this.acknowledged.has(id)) return undefined;
    return new Promise((resolve) => {
      this.release = { id, resolve };
    });
  }

  private arrive(message: Message): void {
    const isSame = (entry: Entry) => entry.kind === 'message' && entry.message.id === message.id;
    if (this.view.entries.some(isSame)) {
      this.become({
        entries: this.view.entries.map((entry) =>
          entry.kind === 'message' && isSame(entry) ? { ...entry, times: entry.times + 1 } : entry,
        ),
      });
      return;
    }
    this.note({ kind: 'message', key: this.count++, at: new Date().toISOString(), message, times: 1 });
  }

  private markAcknowledged(ids: ReadonlySet<string>): void {
    const acknowledgedAt = new Date().toISOString();
    this.become({
      entries: this.view.entries.map((entry) =>
        isOpen(entry) && ids.has(entry.message.id) ? { ...entry, acknowledgedAt } : entry,
      ),
    });
  }

  private note(entry: Entry, state = this.view.state): void {
    this.become({ state, entries: [entry, ...this.view.entries].slice(0, KEPT) });
  }

  private become(change: Partial<View>): void {
    this.view = { ...this.view, ...change };
    for (const listener of this.listeners) listener();
  }
}

/** Returns whether an entry is an unacknowledged message. */
export const isOpen = (entry: Entry): entry is Extract<Entry, { kind: 'message' }> =>
  entry.kind === 'message' && !entry.acknowledgedAt;
