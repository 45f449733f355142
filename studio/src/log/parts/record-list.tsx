import type { ReactNode } from 'react';
import { Records } from '../../ui/records';
import { ErrorNotice } from '../../ui/states';
import type { usePages } from '../../ui/use-pages';

interface RecordListProps<T> {
  label: string;
  items: readonly T[];
  list: Pick<ReturnType<typeof usePages>, 'error' | 'hasMore' | 'isLoading' | 'readMore' | 'readAgain'>;
  hrefOf: (item: T) => string;
  openId?: string | undefined;
  rowHeight: number;
  newCount?: number;
  empty: ReactNode;
  children: (item: T) => ReactNode;
}

/** A list of records. A page that could not be read is said below those that were, and waits until it is asked for again. */
export function RecordList<T extends { id: string }>({ items, list, openId, ...rest }: RecordListProps<T>) {
  const { error, hasMore, isLoading, readMore, readAgain } = list;
  if (error && items.length === 0) {
    return (
      <div className="page-body">
        <ErrorNotice error={error} tried="read the records" onRetry={readAgain} />
      </div>
    );
  }
  return (
    <div className="log-list">
      <Records<T>
        {...rest}
        items={items}
        keyOf={({ id }) => id}
        openKey={openId}
        hasMore={hasMore && !error}
        onMore={readMore}
        isLoading={isLoading}
        onShowNew={readAgain}
      />
      {error && (
        <div className="log-fault">
          <ErrorNotice error={error} tried="read more records" onRetry={readMore} />
        </div>
      )}
    </div>
  );
}
