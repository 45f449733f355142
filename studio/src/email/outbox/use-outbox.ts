import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { EmailMessagesOrder } from '../../../../clients/js/src/generated/email';
import type { Api } from '../../api/client';
import { useRead } from '../../api/use-read';
import { usePages } from '../../ui/use-pages';
import { apiFilter, isOnItsWay, type OutboxFilter, ROW, type Row } from '../mails';

const PAGE = 100;

interface Page {
  items: readonly Row[];
  nextToken: string | null;
}

/**
 * Reads the mails of a filter. States of the newest are updated in place; new mails are counted, and join the list on request, or at once
 * if it is empty. With the oldest first, new mails are at the end.
 */
export function useOutbox(filter: OutboxFilter, order: EmailMessagesOrder, isEnabled: boolean) {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['email', 'messages', filter, order], [filter, order]);
  const read = ({ email }: Api, nextToken: string | undefined, signal: AbortSignal) =>
    email.messages({ filter: apiFilter(filter), order, limit: PAGE, nextToken }, { items: ROW, nextToken: true }, { signal });
  const pages = usePages<Row>({ queryKey, read, isEnabled, isStill: order === 'NEWEST' });
  const head = useRead({
    queryKey: ['email', 'newest messages', filter],
    read: (api, signal) => read(api, undefined, signal),
    enabled: isEnabled && order === 'NEWEST' && !pages.isPending,
    live: 'email',
    isOnItsWay: ({ items }) => items.some(isOnItsWay),
  });
  const isHeadLater = head.dataUpdatedAt >= (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0);
  const { items, arrived } = useMemo(
    () => merge(pages.items, isEnabled && order === 'NEWEST' ? head.data : undefined, isHeadLater),
    [pages.items, head.data, isEnabled, order, isHeadLater],
  );
  const showNew = useCallback(() => {
    if (arrived.length >= PAGE) {
      // Between them and the list there may be more.
      void client.resetQueries({ queryKey });
      return;
    }
    client.setQueryData<InfiniteData<Page>>(queryKey, (known) => {
      const [first, ...others] = known?.pages ?? [];
      return known && first ? { ...known, pages: [{ ...first, items: [...arrived, ...first.items] }, ...others] } : known;
    });
  }, [arrived, client, queryKey]);
  return { ...pages, items, newCount: arrived.length, showNew };
}

/** Merges newly read mails into the list. */
function merge(
  items: readonly Row[],
  head: Page | undefined,
  isHeadLater: boolean,
): { items: readonly Row[]; arrived: readonly Row[] } {
  if (!head) return { items, arrived: [] };
  if (items.length === 0) return { items: isHeadLater ? head.items : items, arrived: [] };
  const now = new Map(head.items.map((item) => [item.id, item]));
  const newest = head.items[0]?.createdAt ?? (isHeadLater ? '9' : '');
  const oldest = head.nextToken === null ? '' : (head.items.at(-1)?.createdAt ?? newest);
  // A mail missing among the newest left the filter, such as a queued one that was sent.
  const isGone = ({ createdAt }: Row) => createdAt !== null && createdAt > oldest && createdAt < newest;
  const known = new Set(items.map(({ id }) => id));
  const latest = items[0]?.createdAt ?? '';
  return {
    items: items.flatMap((item) => now.get(item.id) ?? (isGone(item) ? [] : [item])),
    arrived: head.items.filter(({ id, createdAt }) => !known.has(id) && (createdAt ?? '') >= latest),
  };
}
