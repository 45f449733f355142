import { useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useApi, useDescription, useRefusal, useRequests } from '../api/api-context';
import { keptLive } from '../api/live';
import { missingEntry } from '../api/scope';
import { useRead } from '../api/use-read';
import { largestOf } from '../ui/chart-scale';
import { formatBytes, formatCount, formatDayHour, formatShortUtcDay, plural } from '../ui/format';
import { Chip } from '../ui/page';
import { useNow } from '../ui/use-now';
import { barsOf, COUNTED, type Counted, earlierOf, type Span, spanOf } from './counted';
import { Lane, type Place } from './lane';
import styles from './overview.module.css';

const PERIODS = [
  ['24 hours', 1],
  ['7 days', 7],
] as const;
const STORAGE = ['file-management', 'query', 'storageHistory'] as const;

/** Charts of the activity of the services, on one time axis with one cursor. Objects are on one scale, requests on their own. */
export function Activity() {
  const api = useApi();
  const requests = useRequests();
  const { scope } = useDescription();
  const [days, setDays] = useState<1 | 7>(1);
  const cursor = useState<number>();
  const now = useNow();
  const span = useMemo(() => spanOf(days, now), [days, now]);
  const shown = COUNTED.filter(({ right }) => !right || missingEntry(scope, right) === undefined);
  const reads = useQueries({
    queries: shown.map((of) => ({
      queryKey: ['overview', of.title],
      queryFn: ({ signal }: { signal: AbortSignal }) => of.read({ api, requests }, signal),
      meta: keptLive(of.source),
    })),
  });
  const bars = reads.map(({ data }, at) => data && barsOf(data, shown[at]!, span));
  const isCharted = ({ ofRow }: Counted) => ofRow === 'hour' || days > 1;
  const isOnScale = (of: Counted) => isCharted(of) && of.source !== 'requests';
  const largest = Math.max(...bars.map((one, at) => (one && isOnScale(shown[at]!) ? largestOf(one.series, 'bars') : 0)));
  const hasStorage = useRefusal(STORAGE) === undefined;
  const domain = [span.first / 1_000, span.end / 1_000] as const;
  return (
    <section aria-labelledby="activity" className="stack tight">
      <div className="row">
        <h2 id="activity" className="grow">
          Activity
        </h2>
        {PERIODS.map(([word, count]) => (
          <Chip key={word} isActive={count === days} onClick={() => setDays(count)}>
            {word}
          </Chip>
        ))}
      </div>
      <div className={styles.activity}>
        {shown.map((of, at) => (
          <Lane
            key={of.title}
            place={{ domain, cursor, isLast: !hasStorage && at === shown.length - 1 }}
            title={of.title}
            href={of.href}
            query={reads[at]!}
            chart={
              isCharted(of)
                ? bars[at] && { ...bars[at], ...(isOnScale(of) && { largest }), label: `${of.title} over time` }
                : undefined
            }
            sums={of.columns.map(({ word, color, filters }, column) => [
              `${of.ofRow === 'day' ? plural(bars[at]?.sums[column] ?? 0, word) : `${formatCount(bars[at]?.sums[column] ?? 0)} ${word}`}${isCharted(of) ? '' : ' today (UTC)'}`,
              of.until ? `${of.href}?${new URLSearchParams({ ...filters, from: isoOf(firstOf(of, span)) })}` : of.href,
              color,
            ])}
            earlier={reads[at]!.data && earlierOf(reads[at]!.data, of, span)}
            formatAt={days === 1 ? formatDayHour : utcDay}
            filters={of.until ? ['from', of.until] : undefined}
            countedFrom={reads[at]!.data?.countedFrom}
          />
        ))}
        {hasStorage && <Storage span={span} place={{ domain, cursor, isLast: true }} />}
      </div>
    </section>
  );
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
const utcDay = (time: string) => `${formatShortUtcDay(time)} (UTC)`;
/** Start of the period in the list of a service. */
const firstOf = ({ ofRow }: Counted, { first, end, days }: Span): number =>
  ofRow === 'day' && days === 1 ? Date.parse(isoOf(end - 1).slice(0, 10)) : first;

/** Growth of the stored bytes over a period. */
function grown(samples: readonly { fileSize: number | null }[]): string | undefined {
  const [first, last] = [samples[0]?.fileSize, samples.at(-1)?.fileSize];
  if (samples.length < 2 || typeof first !== 'number' || typeof last !== 'number') return undefined;
  const change = last - first;
  return change === 0 ? 'Unchanged' : `${change > 0 ? '+' : '−'}${formatBytes(Math.abs(change))}`;
}

function Storage({ span: { days }, place }: { span: Span; place: Place }) {
  const query = useRead({
    queryKey: ['files', 'storage-history', 'overview', days],
    read: ({ files }, signal) => files.storageHistory({ days }, undefined, { signal }),
    live: 'file-management',
  });
  const samples = query.data ?? [];
  const last = samples.at(-1);
  const chart = {
    label: 'Bytes stored over time',
    times: samples.map(({ at }) => at!),
    series: [{ name: 'Stored', color: '--chart-plain', values: samples.map(({ fileSize }) => fileSize ?? 0) }],
    form: 'steps',
    formatValue: formatBytes,
  } as const;
  return (
    <Lane
      place={place}
      title="Storage"
      href="/files/storage"
      query={query}
      chart={chart}
      sums={[
        [`${formatBytes(last?.fileSize ?? 0)} in ${plural(last?.fileCount ?? 0, 'file')}`, '/files/storage', '--chart-plain'],
      ]}
      earlier={grown(samples)}
      formatAt={formatDayHour}
    />
  );
}
