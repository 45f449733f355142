import { useSyncExternalStore } from 'react';

const NAME = 'platform-services-key';

/**
 * Key, stored for the session of the tab and never in a URL. Shared with other tabs of Studio and the GraphQL consoles, which use the
 * same channel.
 */
class Session {
  private key = sessionStorage.getItem(NAME) ?? '';
  private readonly listeners = new Set<() => void>();
  private readonly others = new BroadcastChannel(NAME);

  constructor() {
    this.others.addEventListener('message', ({ data }: MessageEvent<{ key?: string }>) => {
      if (data.key !== undefined) this.take(data.key);
      else if (this.key) this.others.postMessage({ key: this.key });
    });
    if (!this.key) this.others.postMessage({});
  }

  readonly read = (): string => this.key;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Uses a key in all tabs; an empty one is removed from all. */
  enter(key: string): void {
    this.others.postMessage({ key });
    this.take(key);
  }

  private take(key: string): void {
    if (key === this.key) return;
    this.key = key;
    if (key) sessionStorage.setItem(NAME, key);
    else sessionStorage.removeItem(NAME);
    for (const listener of this.listeners) listener();
  }
}

export const session = new Session();
export const useKey = (): string => useSyncExternalStore(session.subscribe, session.read);
