import { connect, type Connection, type State } from '../connect.js';
import type { InboxMark, Message } from '../frames.js';

/** Message in an inbox, as `inbox` returns it. */
export interface InboxMessage {
  id: string;
  message: string;
  createdAt: string;
  seenAt?: string | null;
  readAt?: string | null;
}

/** Page of `inbox`. */
export interface InboxPage {
  items: readonly InboxMessage[];
  nextToken?: string | null;
  unread: number;
}

export interface InboxSource {
  /** Asks your server for a page of `inbox`, after the `nextToken` of the page before. */
  load: (nextToken: string | null) => Promise<InboxPage>;
  /** Asks your server for the connectionUri of `registerRecipient` with `inbox: true`. */
  connectionUri: () => string | Promise<string>;
}

/** Time after a change in which further ones share a request. */
const REFRESH_MS = 100;

/** Inbox of one recipient, up to date while it is open: pages of your server, pushed messages, and what other tabs mark. */
export class InboxFeed {
  /** Loaded messages, newest first. */
  messages: readonly InboxMessage[] = [];
  /** Number of unread messages on all pages, at most 1,000. */
  unread = 0;
  state: State = { name: 'connecting' };
  isBusy = false;
  hasFailed = false;
  /** Undefined until the first page is loaded. */
  private nextToken: string | null | undefined;
  private readonly connection: Connection;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Latest request for a page. */
  private loading = Promise.resolve();
  private isClosed = false;

  constructor(
    private readonly source: InboxSource,
    private readonly onChange: () => void,
  ) {
    this.connection = connect(source.connectionUri, {
      onMessage: (message) => message.inbox && this.receive(message),
      onUnread: (unread) => {
        this.unread = unread;
        this.refreshSoon();
        this.changed();
      },
      onState: (state) => {
        this.state = state;
        if (this.connection) this.changed();
      },
    });
    void this.fetch(null);
  }

  get hasMore(): boolean {
    return Boolean(this.nextToken);
  }

  /** Loads the next page, after a page that is being loaded. */
  async more(): Promise<void> {
    await this.loading;
    if (this.nextToken && !this.isBusy) await this.fetch(this.nextToken);
  }

  /** Loads the first page again. */
  async refresh(): Promise<void> {
    if (this.isBusy) this.refreshSoon();
    else await this.fetch(null);
  }

  /** Marks a message, and shows it before the server has answered. */
  mark(id: string, mark: InboxMark): void {
    this.connection.mark(id, mark);
    const now = new Date().toISOString();
    if (mark === 'archived') this.messages = this.messages.filter((one) => one.id !== id);
    const changes = { seen: { seenAt: now }, read: { seenAt: now, readAt: now }, unread: { readAt: null }, archived: {} }[mark];
    this.messages = this.messages.map((one) => (one.id === id ? { ...one, ...changes } : one));
    this.changed();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.connection.close();
  }

  private changed(): void {
    if (!this.isClosed) this.onChange();
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), REFRESH_MS);
  }

  private fetch(after: string | null): Promise<void> {
    return (this.loading = this.read(after));
  }

  private async read(after: string | null): Promise<void> {
    this.isBusy = true;
    this.changed();
    try {
      const page = await this.source.load(after);
      if (after === null) this.replace(page);
      else this.extend(page);
      this.unread = page.unread;
      this.hasFailed = false;
    } catch {
      this.hasFailed = true;
    }
    this.isBusy = false;
    this.changed();
  }

  /** Replaces what the first page covers: other tabs may have marked or archived any of it. */
  private replace({ items, nextToken }: InboxPage): void {
    const last = items.at(-1)?.id;
    const older = last !== undefined && nextToken ? this.messages.filter(({ id }) => id < last) : [];
    if (older.length === 0) this.nextToken = nextToken ?? null;
    this.messages = [...items, ...older];
  }

  private extend({ items, nextToken }: InboxPage): void {
    const known = new Set(this.messages.map(({ id }) => id));
    this.messages = [...this.messages, ...items.filter(({ id }) => !known.has(id))];
    this.nextToken = nextToken ?? null;
  }

  /** Shows a pushed message. A number of unread messages follows, and with it what the server knows of the message. */
  private receive({ id, message, createdAt }: Message): void {
    if (this.nextToken === undefined) return this.refreshSoon();
    const last = this.messages.at(-1);
    const isOnLaterPage = this.hasMore && last !== undefined && id < last.id;
    if (isOnLaterPage || this.messages.some((one) => one.id === id)) return;
    this.messages = [...this.messages, { id, message, createdAt }].sort((a, b) => (a.id < b.id ? 1 : -1));
    this.refreshSoon();
    this.changed();
  }
}
