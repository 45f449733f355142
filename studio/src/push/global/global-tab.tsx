import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { FilterField, Split } from '../../ui/page';
import { Empty, NoPermission } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { useStartPush } from '../model/draft';
import { messagesFilterOf } from '../model/filters';
import { GLOBAL_FILTERS, MoreFilters } from '../parts/more-filters';
import { LiveRecords } from '../parts/live-records';
import { NoMatch } from '../parts/no-match';
import { firstLine, globalStateOf } from '../model/message';
import { readGlobalMessages, readGlobalStates } from '../model/read';
import { useLiveList } from '../model/use-live-list';
import { GlobalDetail } from './global-detail';

/** Messages to everyone, newest first, live. */
export function GlobalTab({ openId }: { openId: string | undefined }) {
  const refusal = useRefusal(['websockets-manager', 'query', 'globalMessages']);
  const [filters, change] = useFilters();
  const [, navigate] = useLocation();
  const search = useSearch();
  if (refusal) return <NoPermission what="see global messages" refusal={refusal} />;
  const query = search && `?${search}`;
  return (
    <>
      <div className="filters">
        <FilterField label="Topic, whole" isMain value={filters['topic'] ?? ''} onChange={(topic) => change({ topic })} />
        <MoreFilters names={GLOBAL_FILTERS} filters={filters} change={change} />
      </div>
      <Split
        list={<GlobalList openId={openId} query={query} />}
        detail={openId && <GlobalDetail key={openId} id={openId} onClose={() => navigate(`/global${query}`)} />}
      />
    </>
  );
}

function GlobalList({ openId, query }: { openId: string | undefined; query: string }) {
  const api = useApi();
  const [filters, change] = useFilters();
  const filter = useMemo(() => {
    const { topic, createdAt, expiresAt } = messagesFilterOf(filters);
    return { ...(topic && { topic }), ...(createdAt && { createdAt }), ...(expiresAt && { expiresAt }) };
  }, [filters]);
  const queryKey = useMemo(() => ['push', 'globals', filter] as const, [filter]);
  const list = useLiveList({
    queryKey,
    read: (nextToken, signal) => readGlobalMessages(api, { filter, nextToken }, signal),
    readNewest: (limit, signal) => readGlobalStates(api, { filter, limit }, signal),
  });
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <LiveRecords
      list={list}
      label="Global messages"
      tried="list the global messages"
      hrefOf={(id) => `/global/${id}${query}`}
      openId={openId}
      empty={isFiltered ? <NoMatch what="global message" filters={filters} change={change} /> : <NoneYet />}
    >
      {(message) => (
        <span className="push-row global">
          <span className="state">
            <Status {...globalStateOf(message)} />
          </span>
          <span className="name truncate">{firstLine(message.message)}</span>
          {message.topic !== null && <span className="topic truncate">{message.topic}</span>}
          <span className="at muted small">
            <Time at={message.createdAt} />
          </span>
        </span>
      )}
    </LiveRecords>
  );
}

function NoneYet() {
  const startPush = useStartPush();
  const refusal = useRefusal(['websockets-manager', 'mutation', 'pushGlobalMessage']);
  return (
    <Empty
      title="Nothing was pushed to everyone yet"
      action={
        <Button look="primary" refusal={refusal} onClick={() => startPush({ to: 'everyone' })}>
          Push to everyone
        </Button>
      }
    >
      <p className="muted">
        A global message goes to all who are connected and, if it waits, to those who connect before its end.
      </p>
    </Empty>
  );
}
