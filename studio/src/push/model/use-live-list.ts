import { type InfiniteData, type QueryClient, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { usePages } from '../../ui/use-pages';
import type { Page } from './read';

interface Made {
  readonly id: string;
  readonly createdAt: string;
}

interface LiveListOptions<T> {
  /** Begins with the name of the list; the filter follows. */
  queryKey: readonly [string, string, object];
  read: (nextToken: string | undefined, signal: AbortSignal) => Promise<Page<T>>;
  /** Reads what can change of the newest records. It is asked for all the time, so it leaves out long texts. */
  readNewest: (limit: number, signal: AbortSignal) => Promise<Page<Change<T>>>;
  isEnabled?: boolean;
}

/** A record, or what can change of it. */
export type Change<T> = Partial<T> & Made;

const LIVE_MS = 2_000;
const AFTER_FAULT_MS = 10_000;
const IDLE_AFTER_MS = 60_000;
const IDLE_MS = 30_000;
const NEWEST = 50;

/** Lists that keep their place: what a list shows changes only where a record changed, and new records are counted. */
export const KEPT_LISTS: readonly (readonly [string, string])[] = [
  ['push', 'messages'],
  ['push', 'globals'],
];

interface Asked {
  state: { status: string; data?: unknown };
}

/** When the answer of a query last changed, and to what. */
const changes = new WeakMap<Asked, { data: unknown; at: number }>();
let usedAt = Date.now();
for (const name of ['pointermove', 'keydown']) addEventListener(name, () => (usedAt = Date.now()), { passive: true });

/**
 * How often something live is asked again: every two seconds while it changes or somebody is there, less often in a tab that was left
 * alone for a minute, and while the answer is an error.
 */
export const liveInterval = (query: Asked): number => {
  if (query.state.status === 'error') return AFTER_FAULT_MS;
  const { data } = query.state;
  if (changes.get(query)?.data !== data) changes.set(query, { data, at: Date.now() });
  return Date.now() - Math.max(usedAt, changes.get(query)?.at ?? 0) < IDLE_AFTER_MS ? LIVE_MS : IDLE_MS;
};

/** Puts the present state of records into every list that has them. Lists keep their order. */
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

/** A list, newest first, that hears of new and changed records every two seconds and does not move. */
export function useLiveList<T extends Made>({ queryKey, read, readNewest, isEnabled = true }: LiveListOptions<T>) {
  const queries = useQueryClient();
  const [generation, setGeneration] = useState(0);
  const [service, name] = queryKey;
  const list = usePages<T>({ queryKey, isEnabled, read });
  const { items, isPending } = list;
  const newest = useQuery({
    queryKey: [service, `newest ${name}`, queryKey[2]],
    queryFn: ({ signal }) => readNewest(NEWEST, signal),
    enabled: isEnabled && !isPending,
    refetchInterval: liveInterval,
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
    // There is nothing that could move.
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
