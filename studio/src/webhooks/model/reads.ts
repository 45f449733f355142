import { useQueries } from '@tanstack/react-query';
import { useApi, useDescription } from '../../api/api-context';
import { missingEntry } from '../../api/scope';
import { keptLive } from '../../api/live';
import { ALL_SOURCES } from './sources';
import { doorOf, type Hook, POLL, type Source } from './webhook';

/** Services in which the key may use webhooks. */
export function useSources(kind: 'query' | 'mutation', operation: string): Source[] {
  const { scope } = useDescription();
  return ALL_SOURCES.filter((source) => missingEntry(scope, [source, kind, operation]) === undefined);
}

/** The webhooks of all services that the key may read, newest first. A service has 20 at most. */
export function useHooks() {
  const api = useApi();
  const sources = useSources('query', 'webhooks');
  return useQueries({
    queries: sources.map((source) => ({
      queryKey: ['webhooks', source],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Hook[]> => {
        const { items } = await doorOf(api, source).webhooks({}, undefined, { signal });
        return items.map((webhook) => ({ ...webhook, source }));
      },
      meta: keptLive(source, (hooks: Hook[]) => hooks.some(({ url, waiting }) => url !== POLL && Boolean(waiting))),
    })),
    combine: (reads) => ({
      hooks: reads.flatMap(({ data }) => data ?? []).sort((a, b) => (b.createdAt ?? '').localeCompare(a.createdAt ?? '')),
      isLoading: reads.some(({ isPending, isError }) => isPending && !isError),
      faults: reads.flatMap(({ error, refetch }, at) =>
        error ? [{ source: sources[at]!, error, retry: () => void refetch() }] : [],
      ),
    }),
  });
}
