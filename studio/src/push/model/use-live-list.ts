import { type InfiniteData, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Api } from '../../api/client';
import { useRead } from '../../api/use-read';
import { usePages } from '../../ui/use-pages';
import type { Page } from './read';

interface Made {
  readonly id: string;
  readonly createdAt: string;
}

interface LiveListOptions<T> {
  /** Query key: the name of the list; the filter follows. */
  queryKey: readonly [string, string, object];
  read: (api: Api, nextToken: string | undefined, signal: AbortSignal) => Promise<Page<T>>;
  /** Reads the changeable fields of the newest records. It is polled, so it leaves out long texts. */
  readNewest: (api: Api, limit: number, signal: AbortSignal) => Promise<Page<Change<T>>>;
  isEnabled?: boolean;
}

/** A record, or its changeable fields. */
export type Change<T> = Partial<T> & Made;

const NEWEST = 50;

/** Lists that stay in place: records are updated where they are, and new ones are counted. */
export const KEPT_LISTS: readonly (readonly [string, string])[] = [
  ['push', 'messages'],
  ['push', 'globals'],
];

/** Updates records in every list that has them. Lists preserve their order. */
export function bringUpToDate<T extends Made>(queries: QueryClient, listKey: QueryKey, records: readonly Change<T>[]): void {
  if (records.length === 0) return;
  const latest = new Map(records.map((record) => [record.id, record]));
  const isOld = (item: T) => {
    const record = latest.get(item.id);
    return record !== undefined && (Object.keys(record) as (keyof T)[]).some((name) => record[name] !== item[name]);
  };
  queries.setQueriesData<InfiniteData<Page<T>>>({ queryKey: listKey }, (data) => {
    if (!data?.pages.some(({ items }) => items.some(isOld))) return data;
    const pages = data.pages.map((page) =>
      page.items.some(isOld) ? { ...page, items: page.items.map((item) => ({ ...item, ...latest.get(item.id) })) } : page,
    );
    return { ...data, pages };
  });
}

/** A list, newest first, that counts new records and updates visible ones in place. */
export function useLiveList<T extends Made>({ queryKey, read, readNewest, isEnabled = true }: LiveListOptions<T>) {
  const queries = useQueryClient();
  const [generation, setGeneration] = useState(0);
  const [service, name] = queryKey;
  const list = usePages<T>({ queryKey, isEnabled, read });
  const { items, isPending } = list;
  const newest = useRead({
    queryKey: [service, `newest ${name}`, queryKey[2]],
    read: (api, signal) => readNewest(api, NEWEST, signal),
    enabled: isEnabled && !isPending,
    live: 'websockets-manager',
    isOnItsWay: () => true,
  });
  const read50 = newest.data?.items;
  const ids = useMemo(() => new Set(items.map(({ id }) => id)), [items]);
  const first = items[0];
  const last = items.at(-1);
  const newCount = last && read50 ? read50.filter(({ id, createdAt }) => !ids.has(id) && createdAt >= last.createdAt).length : 0;
  useEffect(() => {
    if (read50) bringUpToDate<T>(queries, [service, name], read50);
  }, [queries, service, name, read50]);
  useEffect(() => {
    // An empty list, in which nothing can move.
    if (!first && read50?.length) void queries.refetchQueries({ queryKey }, { cancelRefetch: false });
  }, [queries, queryKey, first, read50]);
  const showNew = useCallback(() => {
    queries.setQueryData<InfiniteData<Page<T>>>(queryKey, (data) =>
      data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
    );
    setGeneration((now) => now + 1);
    void queries.refetchQueries({ queryKey });
  }, [queries, queryKey]);
  return { ...list, newCount, showNew, generation, liveError: newest.error };
}
