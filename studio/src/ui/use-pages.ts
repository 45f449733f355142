import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useApi, useRefusal } from '../api/api-context';
import type { Api } from '../api/client';
import { type Source, keptLive } from '../api/live';
import type { Right } from '../api/scope';

interface Page<T> {
  items: readonly T[];
  nextToken: string | null;
}

interface PagesOptions<T> {
  /** Starts with the service, so that a change there can invalidate it. */
  queryKey: QueryKey;
  read: (api: Api, nextToken: string | undefined, signal: AbortSignal) => Promise<Page<T>>;
  /** Operation that it needs: a key without it reads nothing. */
  right?: Right;
  isEnabled?: boolean;
  /** Whether new items join it on request only, not when its tab is shown again. */
  isStill?: boolean;
  /** Source of a live list. */
  live?: Source;
  /** Whether an item changes soon, so it is read again soon after a change made here. */
  isOnItsWay?: (item: T) => boolean;
}

/**
 * Reads all items from the first page on, at most 10,000, without storing them. Calls `onCount` after each page, and waits for `turn`
 * before each.
 */
export type ReadAll<T> = (
  signal: AbortSignal,
  onCount: (count: number) => void,
  turn?: () => Promise<void>,
) => Promise<{ items: readonly T[]; hasMore: boolean }>;

export const MOST_READ = 10_000;

const readerOf =
  <T>(api: Api, read: PagesOptions<T>['read']): ReadAll<T> =>
  async (signal, onCount, turn) => {
    const items: T[] = [];
    for (let nextToken: string | undefined; ;) {
      await turn?.();
      signal.throwIfAborted();
      const page = await read(api, nextToken, signal);
      items.push(...page.items);
      onCount(Math.min(items.length, MOST_READ));
      const hasMore = page.nextToken !== null;
      if (!hasMore || items.length >= MOST_READ)
        return { items: items.slice(0, MOST_READ), hasMore: hasMore || items.length > MOST_READ };
      nextToken = page.nextToken!;
    }
  };

/** A paged list, loaded as far as it is scrolled. */
export function usePages<T>({ queryKey, read, right, isStill = false, live, isOnItsWay, ...options }: PagesOptions<T>) {
  const refusal = useRefusal(...(right ? [right] : []));
  const isEnabled = (options.isEnabled ?? true) && !refusal;
  const api = useApi();
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(api, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextToken }) => nextToken ?? undefined,
    enabled: isEnabled,
    refetchOnWindowFocus: !isStill,
    meta: keptLive(
      live,
      ({ pages }: InfiniteData<Page<T>>) => isOnItsWay !== undefined && pages.some(({ items }) => items.some(isOnItsWay)),
    ),
  });
  const { data, fetchNextPage } = query;
  const isEmpty = data?.pages.every((page) => page.items.length === 0) ?? true;
  const isSought = isEnabled && isEmpty && query.hasNextPage && !query.isFetching && !query.isError;
  useEffect(() => {
    // A page of a search can be empty before the end.
    if (isSought) void fetchNextPage();
  }, [isSought, fetchNextPage]);
  // A disabled query retains earlier data, which is not what is requested now.
  const items = useMemo(() => (isEnabled ? (data?.pages.flatMap((page) => page.items) ?? []) : []), [data, isEnabled]);
  return {
    items,
    error: isEnabled ? query.error : null,
    hasMore: isEnabled && query.hasNextPage,
    isLoading: isEnabled && query.isFetching,
    isPending: isEnabled && query.isPending,
    readMore: () => void (query.isFetching || fetchNextPage()),
    readAgain: () => void query.refetch(),
    readAll: readerOf(api, read),
  };
}
