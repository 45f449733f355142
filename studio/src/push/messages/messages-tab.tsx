import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { Split } from '../../ui/page';
import { NoPermission } from '../../ui/states';
import { useFilters } from '../../ui/use-search';
import { LastDay } from '../activity/last-day';
import { FirstPush } from './first-push';
import { readMessages, readStates } from '../model/read';
import { useLiveList } from '../model/use-live-list';
import { MessageDetail } from './message-detail';
import { messagesFilterOf } from '../model/filters';
import { MessageFilters } from './message-filters';
import { MessageRow } from './message-row';
import { LiveRecords } from '../parts/live-records';
import { NoMatch } from '../parts/no-match';
import { useWatch } from './use-watch';
import { WaitingList } from '../activity/waiting-list';

const PAGE = 200;

/** Messages to named recipients, newest first, live. */
export function MessagesTab({ openId }: { openId: string | undefined }) {
  const refusal = useRefusal(['websockets-manager', 'query', 'messages']);
  const dayRefusal = useRefusal(['websockets-manager', 'query', 'messageActivity']);
  const [filters, change] = useFilters();
  const [, navigate] = useLocation();
  const search = useSearch();
  if (refusal) return <NoPermission what="see messages" refusal={refusal} />;
  const query = search && `?${search}`;
  return (
    <>
      <MessageFilters filters={filters} change={change} />
      {filters['day'] && !dayRefusal && <LastDay />}
      <Split
        list={
          filters['status'] === 'PENDING' && filters['by'] === 'recipient' ? (
            <WaitingList filters={filters} />
          ) : (
            <MessageList openId={openId} query={query} />
          )
        }
        detail={openId && <MessageDetail key={openId} id={openId} onClose={() => navigate(`/${query}`)} />}
      />
    </>
  );
}

function MessageList({ openId, query }: { openId: string | undefined; query: string }) {
  const api = useApi();
  const [filters, change] = useFilters();
  const filter = useMemo(() => messagesFilterOf(filters), [filters]);
  const queryKey = useMemo(() => ['push', 'messages', filter] as const, [filter]);
  const list = useLiveList({
    queryKey,
    read: (nextToken, signal) => readMessages(api, { filter, nextToken, limit: PAGE }, signal),
    readNewest: (limit, signal) => readStates(api, { filter, limit }, signal),
  });
  const watched = useWatch(filter, list.items.length > 0);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <LiveRecords
      list={list}
      label="Messages"
      tried="list the messages"
      hrefOf={(id) => `/${id}${query}`}
      openId={openId}
      empty={isFiltered ? <NoMatch what="message" filters={filters} change={change} /> : <FirstPush />}
    >
      {(message) => <MessageRow message={message} watched={watched} />}
    </LiveRecords>
  );
}
