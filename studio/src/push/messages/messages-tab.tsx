import { PlusIcon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { timeColumn } from '../../ui/columns';
import { FilterBar } from '../../ui/filter-bar';
import { ListPage } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { Empty, NoPermission } from '../../ui/states';
import { Reason, Status } from '../../ui/status';
import { useChoice } from '../../ui/use-choice';
import { useFilters } from '../../ui/use-search';
import { WaitingList } from '../activity/waiting-list';
import { messagesFilterOf, STATES } from '../model/filters';
import { firstLine, isFinal, type Message, reasonOf, stateOf } from '../model/message';
import { messageFilters, NoExactMatch } from '../parts/push-filters';
import { readMessages, readStates } from '../model/read';
import { bringUpToDate, useLiveList } from '../model/use-live-list';
import { MessageDetail } from './message-detail';
import { useMessageChoice } from './use-message-choice';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { useStartPush } from '../model/draft';
import { sampleOf } from '../../ui/sample';
import { useRead } from '../../api/use-read';
import type { MessagesFilter } from '../../../../clients/js/src/generated/push';
import { useRecipientSearch } from '../parts/recipient-search';
import { LastDay } from '../../ui/chart-strip';

const PAGE = 100;

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

function MessageList({ openId, query, detail }: { openId: string | undefined; query: string; detail: ReactNode }) {
  const [filters] = useFilters();
  const filter = useMemo(() => messagesFilterOf(filters), [filters]);
  const queryKey = useMemo(() => ['push', 'messages', filter] as const, [filter]);
  const list = useLiveList({
    queryKey,
    read: (api, nextToken, signal) => readMessages(api, { filter, nextToken, limit: PAGE }, signal),
    readNewest: (api, limit, signal) => readStates(api, { filter, limit }, signal),
  });
  const watched = useWatch(filter, list.items.length > 0);
  const columns = useMemo(() => columnsOf(watched), [watched]);
  const search = useRecipientSearch();
  const isFiltered = Object.keys(filter).length > 0;
  const chosen = useChoice<Message>({ list, keyOf: ({ id }) => id, item: 'message', filter });
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
          {!isFiltered && <ActivityChart />}
          <FilterBar
            search={search}
            filters={messageFilters(filters['status'] === 'PENDING')}
            list={list}
            counted={['message', 'messages']}
          />
        </>
      }
      empty={isFiltered ? <NoExactMatch what="messages" /> : <FirstPush />}
      detail={detail}
    />
  );
}

const columnsOf = (watched: Map<string, Message>): readonly Column<Message>[] => [
  { word: 'Status', width: 136, line: 'state', cell: (message) => <Watched message={message} watched={watched} /> },
  { word: 'Recipient', share: 3, line: 'who', cell: ({ recipient }) => <strong className="truncate">{recipient}</strong> },
  {
    word: 'Message',
    share: 4,
    line: 'what',
    cell: (row) => (
      <>
        <span className="truncate muted">{firstLine(row.message)}</span>
        <Reason kind={stateOf(row).kind} text={reasonOf(row)} isInline />
      </>
    ),
  },
  {
    word: 'Reason',
    width: 168,
    room: 'widest',
    cell: (row) => <Reason kind={stateOf(row).kind} text={reasonOf(row)} />,
  },
  {
    word: 'Topic',
    width: 120,
    room: 'wide',
    cell: ({ topic }) => topic !== null && <span className="topic truncate">{topic}</span>,
  },
  timeColumn('Acknowledged', ({ deliveredAt }) => deliveredAt, { width: 112, room: 'huge' }),
  timeColumn('Expires', ({ expiresAt }) => expiresAt, { width: 104, room: 'huge' }),
  timeColumn('Sent', ({ createdAt }) => createdAt, { line: 'when' }),
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

/** Help for the first message. */
function FirstPush() {
  const { prefix } = useDescription();
  const startPush = useStartPush();
  const query = 'mutation { pushMessage(input: {recipients: ["ann"], message: "Hello"}) { item { status } } }';
  return (
    <Empty
      title="No messages yet"
      action={
        <Button look="primary" right={['websockets-manager', 'mutation', 'pushMessage']} onClick={() => startPush({})}>
          <PlusIcon aria-hidden />
          New message
        </Button>
      }
      sample={<Snippet label="request to send a message" code={sampleOf(prefix, 'websockets-manager', query)} />}
    >
      <p className="muted">A message goes to a recipient’s open connections, or waits until the recipient connects.</p>
    </Empty>
  );
}

const MOST = 1_000;

/** Polls visible pending messages, and updates their state. */
function useWatch(filter: MessagesFilter, isEnabled: boolean): Map<string, Message> {
  const queries = useQueryClient();
  const [watched] = useState(() => new Map<string, Message>());
  const { data } = useRead({
    queryKey: ['push', 'watched', filter],
    read: async (api, signal) => {
      const times = [...watched.values()].map(({ createdAt }) => createdAt).sort();
      if (times.length === 0) return [];
      const { status: _, ...rest } = filter; // one that was delivered has another state
      const range = { createdAt: { from: times[0]!, to: times.at(-1)! } };
      const { items } = await readStates(api, { filter: { ...rest, ...range }, limit: MOST }, signal);
      return items.filter(({ id }) => watched.has(id));
    },
    enabled: isEnabled,
    live: 'websockets-manager',
    isOnItsWay: () => watched.size > 0,
  });
  useEffect(() => {
    if (data) bringUpToDate<Message>(queries, ['push', 'messages'], data);
  }, [queries, data]);
  return watched;
}

const COLUMNS = [
  [STATES.DELIVERED, '--chart-good', 'delivered'],
  [STATES.PENDING, '--chart-wait', 'pending'],
  [STATES.CANCELLED, '--chart-plain', 'cancelled'],
] as const;

/** Pushes of the last day. */
function ActivityChart() {
  const [, change] = useFilters();
  return (
    <LastDay
      name="push"
      service="websockets-manager"
      label="Messages by hour and status"
      read={({ push }, signal) => push.messageActivity({}, undefined, { signal })}
      columns={COLUMNS}
      onSelect={(from, to) => change({ from, to })}
    />
  );
}
