import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, Suspense, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { lazyPart } from '../api/load-part';
import { useApi, useRefusal } from '../api/api-context';
import type { Right } from '../api/scope';
import type { Series } from '../ui/chart';
import { formatBytes, formatCount, formatHour, formatShortUtcDay, plural } from '../ui/format';
import { ErrorNotice } from '../ui/states';
import { Time } from '../ui/status';

const Chart = lazyPart(async () => (await import('../ui/chart')).Chart);
const LOOK_MS = 15_000;
const DAY_MS = 86_400_000;

/** Shows the events of the last day. Only counts that the key may read are there. */
export function Activity() {
  return (
    <div className="activity">
      <Permitted right={['websockets-manager', 'query', 'messageActivity']} Card={Pushes} />
      <Permitted right={['email', 'query', 'messageActivity']} Card={Mails} />
      <Permitted right={['document-log', 'query', 'logActivity']} Card={Records} />
      <Permitted right={['file-management', 'query', 'storageHistory']} Card={Storage} />
    </div>
  );
}

function Permitted({ right, Card }: { right: Right; Card: ComponentType }) {
  return useRefusal(right) ? null : <Card />;
}

interface CardProps {
  title: string;
  href: string;
  tried: string;
  query: { error: unknown; isPending: boolean; refetch: () => unknown };
  /** Says in words what the chart shows. */
  summary: ReactNode;
  children: ReactNode;
}

function Card({ title, href, tried, query, summary, children }: CardProps) {
  return (
    <section className="card stack tight" aria-label={title}>
      <h2>
        <Link href={href}>{title}</Link>
      </h2>
      {query.error ? (
        <ErrorNotice error={query.error} tried={tried} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <p className="summary">{query.isPending ? <span className="skeleton width-1" /> : summary}</p>
          <Suspense fallback={<div className="chart" />}>{query.isPending ? <div className="chart" /> : children}</Suspense>
        </>
      )}
    </section>
  );
}

/** Turns rows into what a chart takes. */
function useSeries<R extends { from: string | null }>(
  rows: readonly R[] | undefined,
  columns: readonly (readonly [name: string, color: string, field: keyof R])[],
): { times: string[]; series: Series[] } {
  return useMemo(
    () => ({
      times: (rows ?? []).map(({ from }) => from!),
      series: columns.map(([name, color, field]) => ({
        name,
        color,
        values: (rows ?? []).map((row) => Number(row[field] ?? 0)),
      })),
    }),
    [rows, columns],
  );
}

const sumOf = (series: readonly Series[], at: number) => (series[at]?.values ?? []).reduce((sum, value) => sum + value, 0);

const PUSH_COLUMNS = [
  ['Acknowledged', '--good', 'delivered'],
  ['Waiting', '--wait', 'pending'],
  ['Not delivered', '--line-strong', 'cancelled'],
] as const;

function Pushes() {
  const { push } = useApi();
  const query = useQuery({
    queryKey: ['push', 'activity'],
    queryFn: ({ signal }) => push.messageActivity({}, undefined, { signal }),
    refetchInterval: LOOK_MS,
  });
  const { times, series } = useSeries(query.data?.hours ?? undefined, PUSH_COLUMNS);
  const waiting = sumOf(series, 1);
  return (
    <Card
      title="Messages, last 24 hours"
      href="/push"
      tried="load push activity"
      query={query}
      summary={
        <>
          {formatCount(sumOf(series, 0))} acknowledged, <Link href="/push?status=PENDING">{formatCount(waiting)} waiting</Link>,{' '}
          {formatCount(sumOf(series, 2))} not delivered
        </>
      }
    >
      <Chart label="Messages by hour and status" times={times} series={series} formatAt={formatHour} />
      <Since at={query.data?.countedFrom} first={times[0]} />
    </Card>
  );
}

const MAIL_COLUMNS = [
  ['Sent', '--good', 'sent'],
  ['Queued', '--wait', 'queued'],
  ['Failed', '--bad', 'failed'],
] as const;

function Mails() {
  const { email } = useApi();
  const query = useQuery({
    queryKey: ['email', 'activity'],
    queryFn: ({ signal }) => email.messageActivity({}, undefined, { signal }),
    refetchInterval: LOOK_MS,
  });
  const { times, series } = useSeries(query.data?.hours ?? undefined, MAIL_COLUMNS);
  return (
    <Card
      title="Emails, last 24 hours"
      href="/email"
      tried="load email activity"
      query={query}
      summary={
        <>
          {formatCount(sumOf(series, 0))} sent, <Link href="/email?status=QUEUED">{formatCount(sumOf(series, 1))} queued</Link>,{' '}
          <Link href="/email?status=FAILED">{formatCount(sumOf(series, 2))} failed</Link>
        </>
      }
    >
      <Chart label="Emails by hour and status" times={times} series={series} formatAt={formatHour} />
      <Since at={query.data?.countedFrom} first={times[0]} />
    </Card>
  );
}

const RECORD_COLUMNS = [['Records', '--accent', 'records']] as const;

function Records() {
  const { log } = useApi();
  const query = useQuery({
    queryKey: ['log', 'activity'],
    queryFn: ({ signal }) => log.logActivity({}, undefined, { signal }),
    refetchInterval: LOOK_MS,
  });
  const { times, series } = useSeries(query.data?.days ?? undefined, RECORD_COLUMNS);
  return (
    <Card
      title="Log records, last 30 days"
      href="/log"
      tried="load log activity"
      query={query}
      summary={plural(sumOf(series, 0), 'record')}
    >
      <Chart label="Records by day" times={times} series={series} formatAt={formatShortUtcDay} />
      <Since at={query.data?.countedFrom} first={times[0]} />
    </Card>
  );
}

function Storage() {
  const { files } = useApi();
  const query = useQuery({
    queryKey: ['files', 'storage-history'],
    queryFn: ({ signal }) => files.storageHistory({}, undefined, { signal }),
    refetchInterval: LOOK_MS,
  });
  const samples = query.data;
  const times = useMemo(() => (samples ?? []).map(({ at }) => at!), [samples]);
  const series = useMemo(
    () => [{ name: 'Stored', color: '--accent', values: (samples ?? []).map(({ fileSize }) => fileSize ?? 0) }],
    [samples],
  );
  const [since] = useState(() => new Date(Date.now() - 30 * DAY_MS).toISOString());
  const last = samples?.at(-1);
  return (
    <Card
      title="Storage, last 30 days"
      href="/files"
      tried="load storage"
      query={query}
      summary={`${formatBytes(last?.fileSize ?? 0)} in ${plural(last?.fileCount ?? 0, 'file')}`}
    >
      <Chart label="Bytes stored over time" times={times} series={series} form="line" formatValue={formatBytes} since={since} />
    </Card>
  );
}

/** Says from when on was counted, where there was too much to count it all. */
function Since({ at, first }: { at: string | null | undefined; first: string | undefined }) {
  if (!at || !first || new Date(at) <= new Date(first)) return null;
  return (
    <p className="small muted">
      Counted since <Time at={at} />.
    </p>
  );
}
