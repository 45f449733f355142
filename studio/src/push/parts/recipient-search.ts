import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useRead } from '../../api/use-read';
import type { Message } from '../model/message';

const ASKED = 1_000;

/** Names of the recipients online. */
export function useOnlineNames(): readonly string[] {
  const { data } = useRead({
    queryKey: ['push', 'suggestions'],
    read: ({ push }, signal) => push.onlineRecipients({ limit: ASKED }, { items: { recipient: true } }, { signal }),
    right: ['websockets-manager', 'query', 'onlineRecipients'],
  });
  return useMemo(() => data?.items.flatMap(({ recipient }) => recipient ?? []) ?? [], [data]);
}

/** Search by recipient. The service finds whole names only, so those online or of loaded messages are suggested. */
export function useRecipientSearch() {
  const online = useOnlineNames();
  const lists = useQueryClient().getQueriesData<{ pages: { items: Message[] }[] }>({ queryKey: ['push', 'messages'] });
  const loaded = lists.flatMap(([, list]) => list?.pages ?? []).flatMap(({ items }) => items.map(({ recipient }) => recipient));
  return { name: 'recipient', label: 'Exact recipient', known: [...new Set([...loaded, ...online])].sort() };
}
