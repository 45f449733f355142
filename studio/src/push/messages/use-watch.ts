import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MessagesFilter } from '../../../../clients/js/src/generated/push';
import { useApi } from '../../api/api-context';
import { keptLive } from '../../api/live';
import type { Message } from '../model/message';
import { readStates } from '../model/read';
import { bringUpToDate } from '../model/use-live-list';

const MOST = 1_000;

/** Polls visible pending messages, and updates their state. */
export function useWatch(filter: MessagesFilter, isEnabled: boolean): Map<string, Message> {
  const api = useApi();
  const queries = useQueryClient();
  const [watched] = useState(() => new Map<string, Message>());
  const { data } = useQuery({
    queryKey: ['push', 'watched', filter],
    queryFn: async ({ signal }) => {
      const times = [...watched.values()].map(({ createdAt }) => createdAt).sort();
      if (times.length === 0) return [];
      const { status: _, ...rest } = filter; // one that was delivered has another state
      const range = { createdAt: { from: times[0]!, to: times.at(-1)! } };
      const { items } = await readStates(api, { filter: { ...rest, ...range }, limit: MOST }, signal);
      return items.filter(({ id }) => watched.has(id));
    },
    enabled: isEnabled,
    meta: keptLive('websockets-manager', () => watched.size > 0),
  });
  useEffect(() => {
    if (data) bringUpToDate<Message>(queries, ['push', 'messages'], data);
  }, [queries, data]);
  return watched;
}
