import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useApi, useRefusal } from './api-context';
import type { Api } from './client';
import { keptLive, type Source } from './live';
import type { Right } from './scope';

type ReadOptions<T> = Omit<UseQueryOptions<T>, 'queryFn' | 'meta' | 'enabled'> & {
  read: (api: Api, signal: AbortSignal) => T | Promise<T>;
  enabled?: boolean;
  /** Operation that it needs: a key without it reads nothing. */
  right?: Right;
  /** Source of live data. */
  live?: Source | undefined;
  /** Whether the data changes soon, so it is read again soon after a change made here. */
  isOnItsWay?: (data: T) => boolean;
};

/** Data of the API, shared by all that read it under one key. */
export function useRead<T>({ read, right, enabled = true, live, isOnItsWay, ...options }: ReadOptions<T>) {
  const api = useApi();
  const refusal = useRefusal(...(right ? [right] : []));
  return useQuery({
    ...options,
    queryFn: ({ signal }) => read(api, signal),
    enabled: enabled && !refusal,
    meta: keptLive(live, isOnItsWay),
  });
}
