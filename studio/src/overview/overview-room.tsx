import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useDescription, useRefusal, useRequests } from '../api/api-context';
import { touches } from '../api/scope';
import { Empty } from '../ui/states';
import { PageHead } from '../ui/page';
import { Activity } from './activity';
import { Attention, LIMIT_PAGES } from './attention';
import { FirstSteps, stepsOf } from './first-steps';
import { Newest } from './newest';
import { countedFetch } from '../api/rate';
import { keptLive } from '../api/live';
import { Status, type StatusKind } from '../ui/status';
import { useRead } from '../api/use-read';
import { formatCount, plural } from '../ui/format';
import type { KeyDescription } from '../api/client';
import { formatLimit, LIMIT_WORDS, Meter } from '../ui/usage';
import { TableHead } from '../ui/table-head';
import { SOURCES } from '../webhooks/model/sources';
import styles from './overview.module.css';

/** Problems, activity, newest objects and usage, updated automatically. */
export function OverviewRoom() {
  const { scope, limits, tenant } = useDescription();
  if (limits.length === 0 && !touches(scope, 'document-log')) return <OfOperator />;
  const isNew = limits.every(({ used }) => used === 0) && stepsOf(scope).length > 0;
  return (
    <div className="page">
      <PageHead title="Overview">
        <span className="count truncate">{tenant.name}</span>
        <Health />
      </PageHead>
      <div className={`page-body stack ${styles.overview}`}>
        {isNew ? <FirstSteps /> : <Attention />}
        <Activity />
        <div className={styles.columns}>
          <Newest />
          <div className={`stack ${styles.overview}`}>
            <OnlineNow />
            {limits.length > 0 && <Usage limits={limits} />}
            <RequestsByKey />
          </div>
        </div>
      </div>
    </div>
  );
}

function OfOperator() {
  return (
    <div className="page">
      <PageHead title="Overview">
        <Health />
      </PageHead>
      <Empty title="Operator key">
        <p className="muted">It manages tenants and keys, and can’t read their data.</p>
      </Empty>
    </div>
  );
}

interface NodeHealth {
  status: 'ok' | 'degraded' | 'unavailable';
}

const STATES: Readonly<Record<NodeHealth['status'], { kind: StatusKind; word: string }>> = {
  ok: { kind: 'good', word: 'Server healthy' },
  degraded: { kind: 'wait', word: 'Server degraded' },
  unavailable: { kind: 'bad', word: 'Server unavailable' },
};

/** Health of the node that responds. */
function Health() {
  const { data } = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => (await (await countedFetch('/health/ready', { signal })).json()) as NodeHealth,
    meta: keptLive('health'),
  });
  const state = data && STATES[data.status];
  return state ? <Status {...state} /> : null;
}

const SHOWN = 5;

/** Number of connected recipients, with some names. */
function OnlineNow() {
  const refusal = useRefusal(['websockets-manager', 'query', 'onlineRecipients']);
  const { data } = useRead({
    queryKey: ['push', 'online now'],
    read: ({ push }, signal) =>
      push.onlineRecipients({ limit: SHOWN }, { count: true, items: { recipient: true, connections: true } }, { signal }),
    enabled: !refusal,
    live: 'websockets-manager',
  });
  if (refusal || !data) return null;
  return (
    <section aria-labelledby="online" className="stack tight">
      <h2 id="online">Online now</h2>
      <ul className={styles.figures}>
        <li>
          <Link href="/push/online">
            <span className="muted grow">Recipients</span>
            <span className={styles.figure}>{formatCount(data.count ?? 0)}</span>
          </Link>
        </li>
        {data.items.map(({ recipient, connections }) => (
          <li key={recipient}>
            <Link href={`/push?recipient=${encodeURIComponent(recipient!)}`}>
              <span className="grow truncate">{recipient}</span>
              <span className="small muted">{plural(connections ?? 1, 'connection')}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The usage of the tenant, with a meter where there is a limit. */
function Usage({ limits }: { limits: KeyDescription['limits'] }) {
  return (
    <section aria-labelledby="usage" className="stack tight">
      <h2 id="usage">Usage</h2>
      <ul className={styles.figures}>
        {limits.map(({ name, used, limit }) => (
          <li key={name}>
            <Link href={LIMIT_PAGES[name]}>
              <span className="muted grow">{LIMIT_WORDS[name]}</span>
              <span className={styles.figure}>{formatLimit(name, used)}</span>
              {limit !== null && <span className="small muted">of {formatLimit(name, limit)}</span>}
            </Link>
            <Meter name={name} used={used} limit={limit} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const HOURS = 168;
const MOST_ROWS = 20;

/** Requests of the last seven days by key and code, errors first. */
function RequestsByKey() {
  const requests = useRequests();
  const { data } = useQuery({
    queryKey: ['overview', 'requests by key'],
    queryFn: ({ signal }) => requests(HOURS, signal),
    meta: keptLive('requests'),
  });
  if (!data || data.keys.length === 0) return null;
  const rows = data.keys.toSorted((a, b) => Number(a.code === 'OK') - Number(b.code === 'OK')).slice(0, MOST_ROWS);
  return (
    <section aria-labelledby="requests" className="stack tight">
      <h2 id="requests">Requests, last 7 days</h2>
      <div className="chart-table" tabIndex={0} role="region" aria-label="Requests by key and code">
        <table className={styles.requests}>
          <TableHead of={['Key', 'Service', 'Result', 'Requests']} />
          <tbody>
            {rows.map(({ service, key, code, requests: count }) => (
              <tr key={`${service} ${key.id} ${code}`}>
                <th scope="row">{key.name ?? key.prefix}</th>
                <td>{SOURCES[service].word}</td>
                <td className={code === 'OK' ? 'muted' : styles.bad}>{code === 'OK' ? 'OK' : code}</td>
                <td className="number">{formatCount(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
