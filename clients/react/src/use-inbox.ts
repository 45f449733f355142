import { InboxFeed, type InboxMessage, type InboxSource } from '@platform-services/client/inbox';
import type { InboxMark, State } from '@platform-services/client/browser';
import { useEffect, useMemo, useRef, useState } from 'react';

export interface Inbox {
  /** Loaded messages, newest first. */
  messages: readonly InboxMessage[];
  /** Number of unread messages on all pages, at most 1,000. */
  unread: number;
  state: State;
  /** True while a page is loaded. */
  isLoading: boolean;
  /** True if the last page could not be loaded; `refresh` tries again. */
  hasFailed: boolean;
  hasMore: boolean;
  /** Loads the next page. */
  more: () => Promise<void>;
  refresh: () => Promise<void>;
  mark: (id: string, mark: InboxMark) => void;
}

const CONNECTING: State = { name: 'connecting' };

/** Keeps the inbox of a recipient up to date while the component is mounted. Another `recipient` opens another inbox. */
export function useInbox(source: InboxSource, { recipient }: { recipient?: string } = {}): Inbox {
  const latest = useRef(source);
  useEffect(() => {
    latest.current = source;
  });
  const [feed, setFeed] = useState<InboxFeed>();
  const [, redraw] = useState(0);
  useEffect(() => {
    const opened = new InboxFeed(
      { load: (nextToken) => latest.current.load(nextToken), connectionUri: () => latest.current.connectionUri() },
      () => redraw((count) => count + 1),
    );
    setFeed(opened);
    return () => {
      opened.close();
      setFeed(undefined);
    };
  }, [recipient]);
  const actions = useMemo(
    () => ({
      more: async () => feed?.more(),
      refresh: async () => feed?.refresh(),
      mark: (id: string, mark: InboxMark) => feed?.mark(id, mark),
    }),
    [feed],
  );
  const { messages = [], unread = 0, state = CONNECTING, isBusy = true, hasFailed = false, hasMore = false } = feed ?? {};
  return { messages, unread, state, isLoading: isBusy, hasFailed, hasMore, ...actions };
}
