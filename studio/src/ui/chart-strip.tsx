import { Collapsible } from '@base-ui/react/collapsible';
import { ChevronRightIcon } from '@radix-ui/react-icons';
import { Suspense, useMemo, useState } from 'react';
import { useRefusal } from '../api/api-context';
import type { Api } from '../api/client';
import { lazyPart } from '../api/load-part';
import type { ServiceName } from '../api/scope';
import { useRead } from '../api/use-read';
import type { Series } from './chart-scale';
import { formatCount, formatDayHour } from './format';
import { ErrorNotice } from './states';
import { Time } from './status';

const Chart = lazyPart(async () => (await import('./chart')).Chart);
const HEIGHT = 104;

interface StripProps {
  /** Storage key for whether the chart is open. */
  name: string;
  /** Counted period, such as `Last 24 hours`. */
  title: string;
  /** Description of the chart. */
  label: string;
  /** Undefined while loading. */
  times: readonly string[] | undefined;
  series: readonly Series[];
  formatAt?: (time: string) => string;
  /** Time from which everything is counted, if there was too much for the whole period. */
  countedFrom?: string | null | undefined;
  query: { error: unknown; refetch: () => unknown };
  /** Called with the time that was clicked or dragged over, to show its objects. */
  onSelect?: (from: string, until: string) => void;
}

/** A collapsible chart above a list, with its sums in one line. It counts everything, so it is shown only without filters. */
export function ChartStrip({
  name,
  title,
  label,
  times,
  series,
  formatAt = formatDayHour,
  countedFrom,
  query,
  onSelect,
}: StripProps) {
  const choice = `platform-services-chart-${name}`;
  const [isOpen, setOpen] = useState(() => localStorage.getItem(choice) === 'open');
  const change = (next: boolean) => {
    localStorage.setItem(choice, next ? 'open' : 'closed');
    setOpen(next);
  };
  const sums = series.map(({ name: word, values }) => ({ word, sum: values.reduce((sum, value) => sum + value, 0) }));
  const isEmpty = times !== undefined && sums.every(({ sum }) => sum === 0);
  const isCut = countedFrom && times?.[0] && new Date(countedFrom) > new Date(times[0]);
  return (
    <Collapsible.Root className="chart-strip" open={isOpen && !isEmpty} disabled={isEmpty} onOpenChange={change}>
      <Collapsible.Trigger className="chart-strip-trigger">
        <ChevronRightIcon aria-hidden />
        <span>{title}</span>
        {times && (
          <span className="muted">
            {isEmpty ? 'none' : sums.map(({ word, sum }) => `${formatCount(sum)} ${word.toLowerCase()}`).join(', ')}
            {isCut && (
              <>
                , counted since <Time at={countedFrom} />
              </>
            )}
          </span>
        )}
      </Collapsible.Trigger>
      <Collapsible.Panel className="chart-strip-panel">
        {query.error && !times ? (
          <ErrorNotice error={query.error} tried="load activity" onRetry={() => void query.refetch()} />
        ) : (
          <Suspense fallback={<div className="chart-strip-room" />}>
            {times ? (
              <Chart label={label} times={times} series={series} height={HEIGHT} formatAt={formatAt} onSelect={onSelect} />
            ) : (
              <div className="chart-strip-room" />
            )}
          </Suspense>
        )}
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}

type Hour<F extends string> = { from: string | null } & Record<F, number | null>;

interface LastDayProps<F extends string> extends Pick<StripProps, 'name' | 'label' | 'onSelect'> {
  /** Service whose `messageActivity` is read. */
  service: ServiceName;
  read: (api: Api, signal: AbortSignal) => Promise<{ hours: readonly Hour<F>[] | null; countedFrom: string | null }>;
  columns: readonly (readonly [name: string, color: string, field: F])[];
}

/** Messages of a service in the last day, by hour and outcome. Nothing for a key that may not count them. */
export function LastDay<F extends string>({ service, read, columns, ...strip }: LastDayProps<F>) {
  const refusal = useRefusal([service, 'query', 'messageActivity']);
  const query = useRead({ queryKey: [strip.name, 'activity'], read, enabled: !refusal, live: service });
  const { data } = query;
  const times = useMemo(() => data?.hours?.map(({ from }) => from!), [data]);
  const series = useMemo(() => seriesOf(data?.hours ?? [], columns), [data, columns]);
  if (refusal) return null;
  return (
    <ChartStrip {...strip} title="Last 24 hours" times={times} series={series} countedFrom={data?.countedFrom} query={query} />
  );
}

/** Rows of counts as series of a chart. */
const seriesOf = <R,>(
  rows: readonly R[],
  columns: readonly (readonly [name: string, color: string, field: keyof R])[],
): Series[] => columns.map(([name, color, field]) => ({ name, color, values: rows.map((row) => Number(row[field] ?? 0)) }));
