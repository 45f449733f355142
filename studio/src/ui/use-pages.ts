import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';

interface Page<T> {
  items: readonly T[];
  nextToken: string | null;
}

interface PagesOptions<T> {
  /** Begins with the service, so that a change there can invalidate it. */
  queryKey: QueryKey;
  read: (nextToken: string | undefined, signal: AbortSignal) => Promise<Page<T>>;
  /** False while the key may not read it. */
  isEnabled?: boolean;
  /** Reads the pages again after so long, for what is live, or as long as its items are. Not in a hidden tab. */
  everyMs?: number | false | ((items: readonly T[]) => number | false);
}

/** A list that is read page by page, as far as it is scrolled. */
export function usePages<T>({ queryKey, read, isEnabled = true, everyMs = false }: PagesOptions<T>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextToken }) => nextToken ?? undefined,
    enabled: isEnabled,
    refetchInterval: ({ state }) =>
      typeof everyMs === 'function' ? everyMs(state.data?.pages.flatMap(({ items }) => items) ?? []) : everyMs,
  });
  const { data, fetchNextPage } = query;
  const isEmpty = data?.pages.every((page) => page.items.length === 0) ?? true;
  const isSought = isEnabled && isEmpty && query.hasNextPage && !query.isFetching && !query.isError;
  useEffect(() => {
    // A page of a search can end before anything was found.
    if (isSought) void fetchNextPage();
  }, [isSought, fetchNextPage]);
  // A query that is switched off keeps what was read before, which is not what is asked for now.
  const items = useMemo(() => (isEnabled ? (data?.pages.flatMap((page) => page.items) ?? []) : []), [data, isEnabled]);
  return {
    items,
    error: isEnabled ? query.error : null,
    hasMore: isEnabled && query.hasNextPage,
    isLoading: isEnabled && query.isFetching,
    isPending: isEnabled && query.isPending,
    readMore: () => void (query.isFetching || fetchNextPage()),
    readAgain: () => void query.refetch(),
  };
}
