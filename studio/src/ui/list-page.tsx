import type { UseQueryResult } from '@tanstack/react-query';
import { PlusIcon } from '@radix-ui/react-icons';
import { type ReactNode, useMemo, useState } from 'react';
import { useCommands } from '../shell/commands';
import { Button } from './controls';
import { Split } from './page';
import { Records, type RecordsProps } from './records';
import { useListTools } from './list-tools';
import { useShortcut } from './shortcuts';
import { ErrorNotice, NoPermission } from './states';
import type { ReadAll } from './use-pages';

/** Source of a list. */
export interface Listing<T> {
  items: readonly T[];
  error: unknown;
  hasMore: boolean;
  isLoading: boolean;
  readMore: () => void;
  readAgain: () => void;
  newCount?: number;
  showNew?: () => void;
  /** Reads the data of all items, beyond the loaded ones; by default the list is loaded as a whole. */
  readAll?: ReadAll<unknown> | undefined;
  /** Error of the last poll for news, which is retried. */
  liveError?: Error | null;
}

/** A list that is loaded as a whole, with its matching items. */
export const listingOf = <T,>({ data, error, isPending, refetch }: UseQueryResult<readonly T[]>, items = data): Listing<T> => ({
  items: items ?? [],
  error: data ? null : error,
  hasMore: false,
  isLoading: isPending,
  readMore: () => undefined,
  readAgain: () => void refetch(),
});

type ListPageProps<T> = Pick<
  RecordsProps<T>,
  'label' | 'keyOf' | 'hrefOf' | 'openKey' | 'columns' | 'choice' | 'actionsOf' | 'drag' | 'empty'
> & {
  list: Listing<T>;
  /** Name of the read operation, such as "list the emails". */
  tried: string;
  /** Reason why the key may not read it. */
  refusal?: string | undefined;
  /** Header of the page, if the room has none. */
  head?: ReactNode;
  /** Content between header and list: a chart, filters. */
  filters?: ReactNode;
  detail?: ReactNode;
  /** Content beside the list in a wide window, such as a tree. */
  aside?: ReactNode;
  /** Exports the list, instead of reading it as CSV. */
  onExport?: () => void;
};

/** A list page with its detail: filters, the list with its states, the chosen item. */
export function ListPage<T>(props: ListPageProps<T>) {
  const { list, tried, refusal, head, filters, detail, aside, columns: all, onExport, ...records } = props;
  const readAll: ReadAll<unknown> = list.readAll ?? (async () => ({ items: list.items, hasMore: list.hasMore }));
  const { columns, provide } = useListTools({ label: records.label, columns: all, readAll, onExport });
  const body = refusal ? (
    <NoPermission what={tried} refusal={refusal} />
  ) : (
    <>
      {provide(filters)}
      <Split list={<List list={list} tried={tried} columns={columns} {...records} />} detail={detail} aside={aside} />
    </>
  );
  if (!head) return body;
  return (
    <div className="page">
      {head}
      {body}
    </div>
  );
}

/** A list with its states. A failed page is reported below the loaded ones, and retried on request. */
function List<T>({
  list,
  tried,
  ...records
}: Omit<ListPageProps<T>, 'refusal' | 'head' | 'filters' | 'detail' | 'aside' | 'onExport'>) {
  const { items, error, hasMore, isLoading, readMore, readAgain, newCount, showNew, liveError } = list;
  if (error && items.length === 0) {
    return (
      <div className="page-body">
        <ErrorNotice error={error} tried={tried} onRetry={readAgain} />
      </div>
    );
  }
  const fault = (error ?? liveError) as Error | null | undefined;
  return (
    <div className="list-page">
      <Records
        {...records}
        items={items}
        hasMore={hasMore && !error}
        onMore={readMore}
        isLoading={isLoading}
        newCount={newCount ?? 0}
        onShowNew={showNew ?? readAgain}
      />
      {fault && (
        <div className="list-fault small" role="status">
          <span className="grow">
            {error ? 'Couldn’t load more' : 'Couldn’t check for new items'}: {fault.message}
          </span>
          {Boolean(error) && (
            <Button size="small" onClick={readMore}>
              Try again
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

interface Creating {
  /** Label of the button, such as `New domain`. */
  word: string;
  /** Id of its command in the palette. */
  id: string;
  refusal: string | undefined;
}

/** Main action of a list, which creates an item: its button, the key C, and its command. */
export function useCreate({ word, id, refusal }: Creating) {
  const [isOpen, setOpen] = useState(false);
  const begin = refusal ? undefined : () => setOpen(true);
  useShortcut('c', begin);
  useCommands(useMemo(() => (refusal ? [] : [{ id, group: 'Create', word, run: () => setOpen(true) }]), [refusal, id, word]));
  const button = (
    <Button look="primary" refusal={refusal} onClick={() => setOpen(true)}>
      <PlusIcon aria-hidden />
      {word}
    </Button>
  );
  return { button, isOpen, begin, close: () => setOpen(false) };
}
