import type { ReactNode } from 'react';
import { Records } from '../../ui/records';
import { ErrorNotice } from '../../ui/states';
import type { useLiveList } from '../model/use-live-list';
import { NotLive } from './not-live';

interface LiveRecordsProps<T extends { id: string; createdAt: string }> {
  list: ReturnType<typeof useLiveList<T>>;
  label: string;
  /** The reading of records in words, such as "list the messages". */
  tried: string;
  hrefOf: (id: string) => string;
  openId: string | undefined;
  empty: ReactNode;
  children: (record: T) => ReactNode;
}

const ROW_HEIGHT = 48;

/** The records of a live list: why there are none, the count of new ones, and below them why the list is not all there. */
export function LiveRecords<T extends { id: string; createdAt: string }>({
  list,
  label,
  tried,
  hrefOf,
  openId,
  empty,
  children,
}: LiveRecordsProps<T>) {
  const { items, error, hasMore, isLoading, readMore, readAgain, newCount, showNew, generation, liveError } = list;
  if (error && items.length === 0) {
    return (
      <div className="page-body">
        <ErrorNotice error={error} tried={tried} onRetry={readAgain} />
      </div>
    );
  }
  return (
    <div className="push-list">
      <Records
        key={generation}
        label={label}
        items={items}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf(id)}
        openKey={openId}
        rowHeight={ROW_HEIGHT}
        hasMore={hasMore && !error}
        onMore={readMore}
        isLoading={isLoading}
        newCount={newCount}
        onShowNew={showNew}
        empty={empty}
      >
        {children}
      </Records>
      <NotLive news={liveError} more={error} onRetry={readMore} />
    </div>
  );
}
