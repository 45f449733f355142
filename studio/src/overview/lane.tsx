import { type ReactNode, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { lazyPart } from '../api/load-part';
import type { Series } from '../ui/chart-drawing';
import { ErrorNotice } from '../ui/states';
import { Time } from '../ui/status';
import styles from './overview.module.css';

const Chart = lazyPart(async () => (await import('../ui/chart')).Chart);
const HEIGHT = 88;
const AXIS_HEIGHT = 24;

/** Position of a lane among those on one axis. */
export interface Place {
  domain: readonly [first: number, last: number];
  /** Whether it shows the common axis. */
  isLast: boolean;
}

interface LaneProps {
  place: Place;
  title: string;
  href: string;
  tried: string;
  query: { error: unknown; data: unknown; refetch: () => unknown };
  /** Description of the chart. */
  label: string;
  times: readonly string[];
  series: readonly Series[];
  /** Sum of each series, with the page that lists its objects. */
  sums: readonly (readonly [text: string, href: string])[];
  /** Comparison with earlier days. */
  earlier?: string | undefined;
  form?: 'bars' | 'steps';
  formatAt?: (time: string) => string;
  formatValue?: (value: number) => string;
  /** URL parameters of the time, for the list behind a bar. */
  filters?: readonly [from: string, until: string];
  countedFrom?: string | null | undefined;
}

/** A service: its sums, and its chart. */
export function Lane({ place, title, href, tried, query, sums, earlier, countedFrom, filters, ...chart }: LaneProps) {
  const [, navigate] = useLocation();
  const { domain, isLast } = place;
  const height = HEIGHT + (isLast ? AXIS_HEIGHT : 0);
  const select =
    filters &&
    ((from: string, until: string) => navigate(`${href}?${new URLSearchParams({ [filters[0]]: from, [filters[1]]: until })}`));
  const isCut = countedFrom && chart.times[0] && new Date(countedFrom) > new Date(chart.times[0]);
  if (query.error && !query.data) {
    return (
      <section aria-label={title}>
        <ErrorNotice error={query.error} tried={tried} onRetry={() => void query.refetch()} />
      </section>
    );
  }
  return (
    <section aria-label={title} className={styles.lane}>
      <div className={styles.sums}>
        <h3>
          <Link href={href}>{title}</Link>
        </h3>
        {query.data ? (
          <ul>
            {sums.map(([text, to], at) => (
              <li key={text}>
                {sums.length > 1 && <Dot color={chart.series[at]?.color} />}
                <Link href={to}>{text}</Link>
              </li>
            ))}
            {earlier && <li>{earlier}</li>}
            {isCut && (
              <li>
                Counted since <Time at={countedFrom} />
              </li>
            )}
          </ul>
        ) : (
          <span className="skeleton width-1" />
        )}
      </div>
      <Suspense fallback={<div style={{ height }} />}>
        {query.data ? (
          <Chart {...chart} domain={domain} isBare hasAxis={isLast} height={height} sync="overview" onSelect={select} />
        ) : (
          <div style={{ height }} />
        )}
      </Suspense>
    </section>
  );
}

const Dot = ({ color }: { color: string | undefined }): ReactNode => (
  <i className={styles.dot} style={{ background: `var(${color})` }} />
);
