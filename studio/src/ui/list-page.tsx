import type { UseQueryResult } from '@tanstack/react-query';
import { PlusIcon } from '@radix-ui/react-icons';
import { type ReactNode, useMemo, useState } from 'react';
import { useCommands } from '../shell/commands';
import { Button } from './controls';
import { Split } from './page';
import { Records, type RecordsProps } from './records';
import { useShortcut } from './shortcuts';
import { ErrorNotice, NoPermission } from './states';

/** What a list is read from. */
export interface Listing<T> {
  items: readonly T[];
  error: unknown;
  hasMore: boolean;
  isLoading: boolean;
  readMore: () => void;
  readAgain: () => void;
  newCount?: number;
  showNew?: () => void;
  /** Why news could not be asked for; they are asked for again by themselves. */
  liveError?: Error | null;
}

/** A list that is read at once, with those of it that match. */
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
  'label' | 'keyOf' | 'hrefOf' | 'openKey' | 'columns' | 'choice' | 'actionsOf' | 'empty'
> & {
  list: Listing<T>;
  /** The reading of the list in words, such as "list the emails". */
  tried: string;
  /** Why the key may not read it. */
  refusal?: string | undefined;
  /** The head of the page, where the room does not have it already. */
  head?: ReactNode;
  /** Between head and list: a chart, filters. */
  filters?: ReactNode;
  detail?: ReactNode;
};

/** Every page that is a list, and beside it what is chosen in it: filters, the list with its states, the detail. */
export function ListPage<T>({ list, tried, refusal, head, filters, detail, ...records }: ListPageProps<T>) {
  const body = refusal ? (
    <NoPermission what={tried} refusal={refusal} />
  ) : (
    <>
      {filters}
      <Split list={<List list={list} tried={tried} {...records} />} detail={detail} />
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

/** A list with its states. A page that could not be read is said below those that were, and waits until it is asked for again. */
function List<T>({ list, tried, ...records }: Omit<ListPageProps<T>, 'refusal' | 'head' | 'filters' | 'detail'>) {
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
  /** On the button, such as `New domain`. */
  word: string;
  /** Id of its command in the palette. */
  id: string;
  refusal: string | undefined;
  /** False where the key C is for something else of the page. */
  hasKey?: boolean;
}

/** The main action of a list, which makes something new: its button, the key C, and its command. */
export function useCreate({ word, id, refusal, hasKey = true }: Creating) {
  const [isOpen, setOpen] = useState(false);
  const begin = refusal ? undefined : () => setOpen(true);
  useShortcut('c', hasKey ? begin : undefined);
  useCommands(useMemo(() => (refusal ? [] : [{ id, group: 'Create', word, run: () => setOpen(true) }]), [refusal, id, word]));
  const button = (
    <Button look="primary" refusal={refusal} onClick={() => setOpen(true)}>
      <PlusIcon aria-hidden />
      {word}
    </Button>
  );
  return { button, isOpen, begin, close: () => setOpen(false) };
}
