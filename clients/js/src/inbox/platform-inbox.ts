import type { InboxMark } from '../frames.js';
import { InboxFeed, type InboxMessage, type InboxSource } from './inbox-feed.js';
import { type InboxTexts, STYLES, textOf } from './texts.js';

export { InboxFeed, type InboxMessage, type InboxPage, type InboxSource } from './inbox-feed.js';
export type { InboxTexts } from './texts.js';

/** Server code that only imports this module has no elements. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * Element that shows the inbox of one recipient (WAI-ARIA feed): Page Up and Page Down move between messages, Ctrl+Home and Ctrl+End
 * before and after them, Enter reads one. It begins once `load` and `connectionUri` are set. Events: `platform-unread` with the
 * number of unread messages, `platform-open` with the message that was chosen.
 */
export class PlatformInbox extends Base {
  load?: InboxSource['load'];
  connectionUri?: InboxSource['connectionUri'];
  /** Asks your server to mark all messages as read; without it there is no button. */
  markAll?: () => Promise<unknown>;
  /** Replaces how the text of a message is shown. */
  render: (message: InboxMessage) => string | Node = ({ message }) => message;

  private feed: InboxFeed | undefined;
  private told = -1;
  private readonly nodes = new Map<string, { shown: string; node: HTMLElement }>();
  private given: Partial<InboxTexts> = {};
  private seen: IntersectionObserver | undefined;

  /** Number of unread messages, at most 1,000. */
  get unread(): number {
    return this.feed?.unread ?? 0;
  }

  get texts(): Partial<InboxTexts> {
    return this.given;
  }

  set texts(texts: Partial<InboxTexts>) {
    this.given = texts;
    this.nodes.clear();
    if (this.shadowRoot) this.draw();
  }

  connectedCallback(): void {
    if (!this.shadowRoot) this.build();
    this.seen = new IntersectionObserver((entries) => this.noteSeen(entries), { root: this.partOf('feed'), threshold: 0.5 });
    this.draw();
    // Frameworks set properties after they insert the element.
    queueMicrotask(() => this.start());
  }

  disconnectedCallback(): void {
    this.feed?.close();
    this.feed = undefined;
    this.seen?.disconnect();
    this.nodes.clear();
  }

  /** Begins again, after `load` or `connectionUri` was set or changed. */
  start(): void {
    const { load, connectionUri } = this;
    if (!this.isConnected || !load || !connectionUri) return;
    this.feed?.close();
    this.feed = new InboxFeed({ load, connectionUri }, () => this.changed());
  }

  /** Marks a message. */
  mark(id: string, mark: InboxMark): void {
    const next = mark === 'archived' ? this.neighbour(id) : undefined;
    this.feed?.mark(id, mark);
    if (mark === 'archived') (next ? this.nodes.get(next)?.node : this.partOf('heading'))?.focus();
  }

  private changed(): void {
    this.draw();
    if (this.unread === this.told) return;
    this.told = this.unread;
    this.dispatchEvent(new CustomEvent('platform-unread', { detail: this.told, bubbles: true, composed: true }));
  }

  private build(): void {
    const root = this.attachShadow({ mode: 'open' });
    // Unlike a style element, not blocked by a content security policy.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    const header = element('header', 'header');
    const badge = element('span', 'badge');
    badge.setAttribute('role', 'status');
    const heading = element('h2', 'heading');
    heading.id = 'heading';
    heading.tabIndex = -1;
    header.append(
      heading,
      badge,
      this.button('mark-all', () => void this.markAll?.().then(() => this.feed?.refresh())),
    );
    const feed = element('div', 'feed');
    feed.setAttribute('role', 'feed');
    feed.setAttribute('aria-labelledby', 'heading');
    feed.addEventListener('keydown', (event) => this.keyed(event));
    const fault = element('p', 'fault');
    fault.setAttribute('role', 'alert');
    const more = element('div', 'more');
    more.append(
      this.button('more-button', () => void this.feed?.more()),
      this.button('retry', () => void this.feed?.refresh()),
    );
    root.append(header, fault, element('p', 'empty'), feed, more);
  }

  private draw(): void {
    const { messages = [], hasMore = false, hasFailed = false, isBusy = true, unread = 0 } = this.feed ?? {};
    const text = (name: keyof InboxTexts): string => textOf(this, this.given, name);
    this.partOf('heading').textContent = text('heading');
    const badge = unread > 0 ? text('unread').replace('{n}', new Intl.NumberFormat(this.language()).format(unread)) : '';
    if (this.partOf('badge').textContent !== badge) this.partOf('badge').textContent = badge;
    const show = (part: string, isShown: boolean, words: string): void => {
      const one = this.partOf(part);
      one.hidden = !isShown;
      one.textContent = isShown ? words : '';
    };
    show('mark-all', this.markAll !== undefined && unread > 0, text('markAll'));
    show('fault', hasFailed, text('failed'));
    show('retry', hasFailed, text('retry'));
    show('empty', messages.length === 0 && !isBusy && !hasFailed, text('empty'));
    show('more-button', hasMore && !hasFailed, text('more'));
    const ids = new Set(messages.map(({ id }) => id));
    for (const [id, { node }] of this.nodes) {
      if (!ids.has(id) && this.nodes.delete(id)) node.remove();
    }
    const shown = messages.map((message, index) => this.article(message, index, text));
    const feed = this.partOf('feed');
    feed.hidden = shown.length === 0;
    feed.ariaBusy = String(isBusy);
    // Moves only what is out of place, so that the focus stays.
    shown.forEach((node, index) => feed.children[index] === node || feed.insertBefore(node, feed.children[index] ?? null));
    while (feed.children.length > shown.length) feed.lastElementChild!.remove();
  }

  private article(message: InboxMessage, index: number, text: (name: keyof InboxTexts) => string): HTMLElement {
    const { id, readAt, seenAt } = message;
    const shown = JSON.stringify([message.message, Boolean(readAt)]);
    const known = this.nodes.get(id);
    const node = known?.node ?? element('article', '');
    if (known?.shown !== shown) {
      node.setAttribute('part', readAt ? 'message' : 'message unread');
      node.tabIndex = 0;
      node.dataset.id = id;
      const [label, time, actions] = [element('div', 'text'), element('time', 'time'), element('div', 'actions')];
      label.id = `text-${id}`;
      time.id = `time-${id}`;
      node.setAttribute('aria-labelledby', label.id);
      node.setAttribute('aria-describedby', time.id);
      label.append(...(readAt ? [] : [element('span', '', `${text('isUnread')}: `, 'hidden')]), this.render(message));
      const at = new Date(message.createdAt);
      time.setAttribute('datetime', message.createdAt);
      time.textContent = new Intl.DateTimeFormat(this.language(), { dateStyle: 'medium', timeStyle: 'short' }).format(at);
      const states = readAt ? (['unread', 'markUnread'] as const) : (['read', 'markRead'] as const);
      for (const [mark, name] of [states, ['archived', 'archive'] as const]) {
        const button = this.button('button', () => this.mark(id, mark), text(name));
        button.setAttribute('aria-describedby', label.id);
        actions.append(button);
      }
      const focused = [...node.querySelectorAll('button')].indexOf(this.shadowRoot!.activeElement as HTMLButtonElement);
      node.replaceChildren(label, time, actions);
      if (focused >= 0) node.querySelectorAll('button')[focused]?.focus();
      if (!known) label.addEventListener('click', () => this.choose(id));
      this.nodes.set(id, { shown, node });
      if (!known && !seenAt) this.seen?.observe(node);
    }
    node.ariaPosInSet = String(index + 1);
    node.ariaSetSize = this.feed!.hasMore ? '-1' : String(this.feed!.messages.length);
    return node;
  }

  private keyed(event: KeyboardEvent): void {
    const article = (event.target as Element).closest('article');
    const articles = [...this.partOf('feed').querySelectorAll('article')];
    const at = article ? articles.indexOf(article) : -1;
    const isControl = event.ctrlKey || event.metaKey;
    if (event.key === 'PageDown' && at === articles.length - 1) void this.feed?.more();
    const target = {
      PageDown: articles[at + 1],
      PageUp: articles[at - 1],
      Home: isControl ? this.partOf('mark-all') : undefined,
      End: isControl ? this.partOf('more-button') : undefined,
    }[event.key];
    if (event.key === 'Enter' && article === event.target) this.choose(article!.dataset.id!);
    else if (!target && !['PageDown', 'PageUp'].includes(event.key)) return;
    event.preventDefault();
    target?.focus();
  }

  /** Reads a message, unless the page prevents it. */
  private choose(id: string): void {
    const detail = this.feed?.messages.find((one) => one.id === id);
    const event = new CustomEvent('platform-open', { detail, bubbles: true, composed: true, cancelable: true });
    if (this.dispatchEvent(event) && !detail?.readAt) this.mark(id, 'read');
  }

  private noteSeen(entries: IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || document.visibilityState === 'hidden') continue;
      this.seen!.unobserve(target);
      this.mark((target as HTMLElement).dataset.id!, 'seen');
    }
  }

  private neighbour(id: string): string | undefined {
    const ids = this.feed!.messages.map((one) => one.id);
    return ids[ids.indexOf(id) + 1] ?? ids[ids.indexOf(id) - 1];
  }

  private language(): string | undefined {
    return this.closest<HTMLElement>('[lang]')?.lang || undefined;
  }

  private button(part: string, act: () => void, text = ''): HTMLButtonElement {
    const button = element('button', part, text) as HTMLButtonElement;
    button.type = 'button';
    button.addEventListener('click', act);
    return button;
  }

  private partOf(name: string): HTMLElement {
    return this.shadowRoot!.querySelector<HTMLElement>(`[part~="${name}"]`)!;
  }
}

function element(name: string, part: string, text = '', className = ''): HTMLElement {
  const made = document.createElement(name);
  if (part) made.setAttribute('part', part);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

/** Defines the element `<platform-inbox>`. */
export function defineInbox(name = 'platform-inbox'): void {
  if (!customElements.get(name)) customElements.define(name, PlatformInbox);
}
