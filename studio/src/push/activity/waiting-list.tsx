import { useEffect, useMemo } from 'react';
import { useApi } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { plural } from '../../ui/format';
import { Records } from '../../ui/records';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { usePages } from '../../ui/use-pages';
import { type Filters, messagesFilterOf } from '../model/filters';
import { NoMatch } from '../parts/no-match';

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
/** So many are counted without being asked to. */
const COUNTED_PAGES = 10;
const REFRESH_MS = 10_000;

/** How many messages wait for whom, the longest line first. */
export function WaitingList({ filters }: { filters: Filters }) {
  const { push } = useApi();
  const [, change] = useFilters();
  const filter = useMemo(() => messagesFilterOf(filters), [filters]);
  const selection = { items: { recipient: true, createdAt: true, expiresAt: true }, nextToken: true } as const;
  const { items, error, hasMore, isLoading, readMore, readAgain } = usePages<Pending>({
    queryKey: ['push', 'waiting', filter],
    read: (nextToken, signal) =>
      push.messages({ filter, limit: AT_ONCE, ...(nextToken && { nextToken }) }, selection, { signal }),
    everyMs: REFRESH_MS,
  });
  const countsOn = hasMore && items.length < AT_ONCE * COUNTED_PAGES;
  const mayRead = countsOn && !isLoading && !error;
  useEffect(() => {
    if (mayRead) readMore();
  });
  const waiting = useMemo(() => waitingOf(items), [items]);
  if (error && items.length === 0) {
    return (
      <div className="page-body">
        <ErrorNotice error={error} tried="count the waiting messages" onRetry={readAgain} />
      </div>
    );
  }
  return (
    <div className="push-list">
      <div className="push-bar small">
        <span className="grow muted" role="status">
          {plural(items.length, 'message')} for {plural(waiting.length, 'recipient')}
          {hasMore && ', and older ones that are not counted yet'}
        </span>
        {hasMore && !countsOn && (
          <Button size="small" disabled={isLoading} onClick={readMore}>
            Count on
          </Button>
        )}
      </div>
      <Records
        label="Waiting messages by recipient"
        items={countsOn ? [] : waiting}
        keyOf={({ recipient }) => recipient}
        hrefOf={({ recipient }) => `/?${new URLSearchParams({ recipient, status: 'PENDING' }).toString()}`}
        rowHeight={48}
        hasMore={countsOn}
        empty={<NoMatch what="waiting message" filters={filters} change={change} />}
      >
        {({ recipient, count, oldest, nextEnd }) => (
          <span className="push-row waiting">
            <strong className="name truncate">{recipient}</strong>
            <span className="text muted">{plural(count, 'message')}</span>
            <span className="topic muted">
              {nextEnd && (
                <>
                  first expires <Time at={nextEnd} />
                </>
              )}
            </span>
            <span className="at muted small">
              oldest <Time at={oldest} />
            </span>
          </span>
        )}
      </Records>
    </div>
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
