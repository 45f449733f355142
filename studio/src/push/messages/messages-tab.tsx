import { type ReactNode, useEffect, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { FilterBar } from '../../ui/filter-bar';
import { ListPage } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { NoPermission } from '../../ui/states';
import { Reason, Status, Time } from '../../ui/status';
import { useChoice } from '../../ui/use-choice';
import { useFilters } from '../../ui/use-search';
import { LastDay } from '../activity/last-day';
import { WaitingList } from '../activity/waiting-list';
import { messagesFilterOf } from '../model/filters';
import { firstLine, isFinal, type Message, reasonOf, stateOf } from '../model/message';
import { readMessages, readStates } from '../model/read';
import { useLiveList } from '../model/use-live-list';
import { NoMatch } from '../parts/no-match';
import { messageFilters } from '../parts/push-filters';
import { FirstPush } from './first-push';
import { MessageDetail } from './message-detail';
import { useMessageChoice } from './use-message-choice';
import { useWatch } from './use-watch';

const PAGE = 100;
const SEARCH = { name: 'recipient', label: 'Exact recipient' };

/** Messages to named recipients, newest first, live. */
export function MessagesTab({ openId }: { openId: string | undefined }) {
  const refusal = useRefusal(['websockets-manager', 'query', 'messages']);
  const [filters] = useFilters();
  const [, navigate] = useLocation();
  const search = useSearch();
  if (refusal) return <NoPermission what="list messages" refusal={refusal} />;
  const query = search && `?${search}`;
  const detail = openId && <MessageDetail key={openId} id={openId} onClose={() => navigate(`/${query}`)} />;
  return filters['status'] === 'PENDING' && filters['by'] ? (
    <WaitingList detail={detail} />
  ) : (
    <MessageList openId={openId} query={query} detail={detail} />
  );
}

interface ListProps {
  openId: string | undefined;
  query: string;
  detail: ReactNode;
}

function MessageList({ openId, query, detail }: ListProps) {
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
  const columns = useMemo(() => columnsOf(watched), [watched]);
  const isFiltered = Object.keys(filter).length > 0;
  const chosen = useChoice<Message>({
    items: list.items,
    keyOf: ({ id }) => id,
    item: 'message',
    list: JSON.stringify(filter),
    hasMore: list.hasMore,
    readAll: list.readAll,
  });
  const actions = useMessageChoice(chosen);
  return (
    <ListPage
      key={list.generation}
      tried="list messages"
      label="Messages"
      list={list}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/${id}${query}`}
      openKey={openId}
      columns={columns}
      choice={{ ...chosen, mayChoose: () => true, actions }}
      filters={
        <>
          {!isFiltered && <LastDay />}
          <FilterBar
            search={SEARCH}
            filters={messageFilters(filters['status'] === 'PENDING')}
            list={list}
            counted={['message', 'messages']}
          />
        </>
      }
      empty={isFiltered ? <NoMatch what="messages" filters={filters} change={change} /> : <FirstPush />}
      detail={detail}
    />
  );
}

const columnsOf = (watched: Map<string, Message>): readonly Column<Message>[] => [
  { word: 'Status', width: 136, line: 'state', cell: (message) => <Watched message={message} watched={watched} /> },
  { word: 'Recipient', share: 2, line: 'who', cell: ({ recipient }) => <strong className="truncate">{recipient}</strong> },
  {
    word: 'Message',
    share: 4,
    line: 'what',
    cell: (row) => (
      <>
        <span className="truncate muted">{firstLine(row.message)}</span>
        <Reason kind="bad" text={reasonOf(row)} isInline />
      </>
    ),
  },
  {
    word: 'Reason',
    width: 168,
    room: 'widest',
    cell: (row) => <Reason kind="bad" text={reasonOf(row)} />,
  },
  {
    word: 'Topic',
    width: 120,
    room: 'wide',
    cell: ({ topic }) => topic !== null && <span className="topic truncate">{topic}</span>,
  },
  {
    word: 'Acknowledged',
    width: 112,
    room: 'huge',
    isNumber: true,
    cell: ({ deliveredAt }) => deliveredAt && <Time at={deliveredAt} />,
  },
  {
    word: 'Expires',
    width: 104,
    room: 'huge',
    isNumber: true,
    cell: ({ expiresAt }) => expiresAt && <Time at={expiresAt} />,
  },
  { word: 'Sent', width: 96, line: 'when', isNumber: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** State of a message, polled while it is pending and visible. */
function Watched({ message, watched }: { message: Message; watched: Map<string, Message> }) {
  const { id } = message;
  useEffect(() => {
    if (isFinal(message)) return undefined;
    watched.set(id, message);
    return () => void watched.delete(id);
  }, [id, message, watched]);
  return <Status {...stateOf(message)} />;
}
