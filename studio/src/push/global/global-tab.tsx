import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { textColumn, timeColumn } from '../../ui/columns';
import { Button } from '../../ui/controls';
import { FilterBar } from '../../ui/filter-bar';
import { ListPage } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { useStartPush } from '../model/draft';
import { messagesFilterOf } from '../model/filters';
import { firstLine, type GlobalMessage, globalStateOf } from '../model/message';
import { GLOBAL_FILTERS, NoExactMatch } from '../parts/push-filters';
import { readGlobalMessages, readGlobalStates } from '../model/read';
import { useLiveList } from '../model/use-live-list';
import { GlobalDetail } from './global-detail';

const COLUMNS: readonly Column<GlobalMessage>[] = [
  { word: 'Status', width: 120, line: 'state', cell: (message) => <Status {...globalStateOf(message)} /> },
  textColumn('Message', ({ message }) => firstLine(message), { line: 'who' }),
  {
    word: 'Topic',
    width: 120,
    room: 'medium',
    line: 'what',
    cell: ({ topic }) => topic !== null && <span className="topic truncate">{topic}</span>,
  },
  timeColumn('Sent', ({ createdAt }) => createdAt, { line: 'when' }),
];

/** Messages to everyone, newest first, live. */
export function GlobalTab({ openId }: { openId: string | undefined }) {
  const refusal = useRefusal(['websockets-manager', 'query', 'globalMessages']);
  const [filters] = useFilters();
  const [, navigate] = useLocation();
  const search = useSearch();
  const query = search && `?${search}`;
  const filter = useMemo(() => {
    const { topic, createdAt, expiresAt } = messagesFilterOf(filters);
    return { ...(topic && { topic }), ...(createdAt && { createdAt }), ...(expiresAt && { expiresAt }) };
  }, [filters]);
  const queryKey = useMemo(() => ['push', 'globals', filter] as const, [filter]);
  const list = useLiveList({
    queryKey,
    read: (api, nextToken, signal) => readGlobalMessages(api, { filter, nextToken }, signal),
    readNewest: (api, limit, signal) => readGlobalStates(api, { filter, limit }, signal),
    isEnabled: !refusal,
  });
  return (
    <ListPage
      key={list.generation}
      refusal={refusal}
      tried="list broadcasts"
      label="Broadcasts"
      list={list}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/global/${id}${query}`}
      openKey={openId}
      columns={COLUMNS}
      filters={
        <FilterBar
          search={{ name: 'topic', label: 'Exact topic' }}
          filters={GLOBAL_FILTERS}
          list={list}
          counted={['broadcast', 'broadcasts']}
        />
      }
      empty={Object.keys(filter).length > 0 ? <NoExactMatch what="broadcasts" /> : <NoneYet />}
      detail={openId && <GlobalDetail key={openId} id={openId} onClose={() => navigate(`/global${query}`)} />}
    />
  );
}

function NoneYet() {
  const startPush = useStartPush();
  return (
    <Empty
      title="No broadcasts yet"
      action={
        <Button
          look="primary"
          right={['websockets-manager', 'mutation', 'pushGlobalMessage']}
          onClick={() => startPush({ to: 'everyone' })}
        >
          New broadcast
        </Button>
      }
    >
      <p className="muted">A broadcast goes to every connected recipient, and to recipients who connect before it expires.</p>
    </Empty>
  );
}
