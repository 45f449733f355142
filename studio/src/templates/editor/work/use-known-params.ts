import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi, useRefusal } from '../../../api/api-context';
import type { KnownParam } from '../../code/completion';
import { type Params, pathsIn } from '../../model/samples';

/** Number of other templates whose parameters are read. */
const OTHERS = 8;

/** Returns parameter suggestions: from the sample data, the saved template, and other saved ones. */
export function useKnownParams(name: string, params: Params, isWanted: boolean): readonly KnownParam[] {
  const api = useApi();
  const refusal = useRefusal(['document-rendering', 'query', 'templateParams'], ['document-rendering', 'query', 'templates']);
  const { data } = useQuery({
    queryKey: ['rendering', 'known-params', name],
    enabled: isWanted && refusal === undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<KnownParam[]> => {
      const { items } = await api.rendering.templates({ limit: OTHERS }, { items: { name: true }, nextToken: true }, { signal });
      const names = [...new Set([name, ...items.map((item) => item.name ?? '')])].slice(0, OTHERS);
      const read = async (templateName: string) => {
        const found = await api.rendering.templateParams({ templateName }, undefined, { signal });
        return found.map((one) => ({ name: one, seen: templateName === name ? 'as saved' : `in ${templateName}` }));
      };
      const found = await Promise.allSettled(names.map(read));
      signal.throwIfAborted();
      return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    },
  });
  return useMemo(
    () => [...pathsIn(params).map((path) => ({ name: path, seen: 'sample data' })), ...(data ?? [])],
    [params, data],
  );
}
