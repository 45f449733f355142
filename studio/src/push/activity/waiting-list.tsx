import { type ReactNode, useEffect, useMemo } from 'react';
import { timeColumn } from '../../ui/columns';
import { Button } from '../../ui/controls';
import { FilterBar } from '../../ui/filter-bar';
import { plural } from '../../ui/format';
import { ListPage } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { messagesFilterOf } from '../model/filters';
import { messageFilters, NoExactMatch } from '../parts/push-filters';
import { useRecipientSearch } from '../parts/recipient-search';

interface Waiting {
  recipient: string;
  count: number;
  oldest: string;
  nextEnd: string | null;
}

interface Pending {
  recipient: string | null;
  createdAt: string | null;
  expiresAt: string | null;
}

const AT_ONCE = 1_000;
/** Number of messages counted without asking. */
const COUNTED_PAGES = 10;

const COLUMNS: readonly Column<Waiting>[] = [
  {
    word: 'Recipient',
    sortBy: ({ recipient }) => recipient,
    cell: ({ recipient }) => <strong className="truncate">{recipient}</strong>,
  },
  { word: 'Waiting', width: 112, sortBy: ({ count }) => count, cell: ({ count }) => plural(count, 'message') },
  timeColumn('First expires', ({ nextEnd }) => nextEnd, { width: 120, room: 'medium', none: 'Never' }),
  timeColumn('Oldest', ({ oldest }) => oldest),
];

/** Queued messages by recipient, the longest queue first. */
export function WaitingList({ detail }: { detail: ReactNode }) {
  const [filters] = useFilters();
  const filter = useMemo(() => messagesFilterOf(filters), [filters]);
  const selection = { items: { recipient: true, createdAt: true, expiresAt: true }, nextToken: true } as const;
  const pages = usePages<Pending>({
    queryKey: ['push', 'waiting', filter],
    read: ({ push }, nextToken, signal) =>
      push.messages({ filter, limit: AT_ONCE, ...(nextToken && { nextToken }) }, selection, { signal }),
    live: 'websockets-manager',
  });
  const { items, error, hasMore, isLoading, readMore } = pages;
  const countsOn = hasMore && items.length < AT_ONCE * COUNTED_PAGES;
  const mayRead = countsOn && !isLoading && !error;
  useEffect(() => {
    if (mayRead) readMore();
  });
  const waiting = useMemo(() => waitingOf(items), [items]);
  const search = useRecipientSearch();
  return (
    <ListPage
      tried="load waiting messages"
      label="Waiting messages by recipient"
      list={{ ...pages, items: countsOn ? [] : waiting, hasMore: countsOn }}
      keyOf={({ recipient }) => recipient}
      hrefOf={({ recipient }) => `/?${new URLSearchParams({ recipient, status: 'PENDING' }).toString()}`}
      openKey={undefined}
      columns={COLUMNS}
      filters={
        <FilterBar search={search} filters={messageFilters(true)}>
          <span className="muted small" role="status">
            {plural(items.length, 'message')} for {plural(waiting.length, 'recipient')}
            {hasMore && ' so far'}
          </span>
          {hasMore && !countsOn && (
            <Button size="small" disabled={isLoading} onClick={readMore}>
              Load more
            </Button>
          )}
        </FilterBar>
      }
      empty={<NoExactMatch what="waiting messages" />}
      detail={detail}
    />
  );
}

function waitingOf(items: readonly Pending[]): readonly Waiting[] {
  const lines = new Map<string, Waiting>();
  for (const { recipient, createdAt, expiresAt } of items) {
    const name = recipient ?? '';
    const at = createdAt ?? '';
    const line = lines.get(name);
    if (!line) lines.set(name, { recipient: name, count: 1, oldest: at, nextEnd: expiresAt });
    else {
      line.count += 1;
      if (at < line.oldest) line.oldest = at;
      if (expiresAt && (!line.nextEnd || expiresAt < line.nextEnd)) line.nextEnd = expiresAt;
    }
  }
  return [...lines.values()].sort((a, b) => b.count - a.count || (a.oldest < b.oldest ? -1 : 1));
}
