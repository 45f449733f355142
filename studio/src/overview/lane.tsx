import { type ComponentProps, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { lazyPart } from '../api/load-part';
import type { Chart as ChartType, Cursor } from '../ui/chart';
import { ErrorNotice } from '../ui/states';
import { Time } from '../ui/status';
import styles from './overview.module.css';

const Chart = lazyPart(async () => (await import('../ui/chart')).Chart);
const HEIGHT = 88;
const AXIS_HEIGHT = 24;

/** Position of a lane among those on one axis. */
export interface Place {
  domain: readonly [first: number, last: number];
  cursor: Cursor;
  /** Whether it shows the common axis. */
  isLast: boolean;
}

interface LaneProps {
  place: Place;
  title: string;
  href: string;
  query: { error: unknown; data: unknown; refetch: () => unknown };
  /** Undefined for a service with a single count, and while it is loaded. */
  chart: Omit<ComponentProps<typeof ChartType>, 'domain' | 'cursor'> | undefined;
  /** Sums, with the page that lists their objects. */
  sums: readonly (readonly [text: string, href: string, color: string])[];
  /** Comparison with earlier days. */
  earlier?: string | undefined;
  formatAt: (time: string) => string;
  /** URL parameters of the time, for the list behind a bar. */
  filters?: readonly [from: string, until: string] | undefined;
  countedFrom?: number | null | undefined;
}

/** A service: its sums, and its chart. */
export function Lane({ place, title, href, query, sums, earlier, countedFrom, filters, chart, formatAt }: LaneProps) {
  const [, navigate] = useLocation();
  const { domain, cursor, isLast } = place;
  const height = HEIGHT + (isLast ? AXIS_HEIGHT : 0);
  const select =
    filters &&
    ((from: string, until: string) => navigate(`${href}?${new URLSearchParams({ [filters[0]]: from, [filters[1]]: until })}`));
  if (query.error && !query.data) {
    return (
      <section aria-label={title}>
        <ErrorNotice error={query.error} tried={`load ${title.toLowerCase()}`} onRetry={() => void query.refetch()} />
      </section>
    );
  }
  return (
    <section aria-label={title} className={styles.lane}>
      <div className={styles.sums}>
        <h3>
          <To href={href}>{title}</To>
        </h3>
        {query.data ? (
          <ul>
            {sums.map(([text, to, color]) => (
              <li key={text}>
                {sums.length > 1 && <i className={styles.dot} style={{ background: `var(${color})` }} />}
                <To href={to}>{text}</To>
              </li>
            ))}
            {earlier && <li>{earlier}</li>}
            {Boolean(countedFrom) && countedFrom! > domain[0] * 1_000 && (
              <li>
                Counted since <Time at={new Date(countedFrom!).toISOString()} />
              </li>
            )}
          </ul>
        ) : (
          <span className="skeleton width-1" />
        )}
      </div>
      {(chart || !query.data) && (
        <Suspense fallback={<div className="chart-place" style={{ height }} />}>
          {query.data && chart ? (
            <Chart {...chart} {...{ domain, cursor, height, formatAt }} isBare hasAxis={isLast} onSelect={select} />
          ) : (
            <div className="chart-place" style={{ height }} />
          )}
        </Suspense>
      )}
    </section>
  );
}

/** Link to a page, or to a section of this one. */
const To = ({ href, children }: { href: string; children: string }) =>
  href.startsWith('#') ? <a href={href}>{children}</a> : <Link href={href}>{children}</Link>;
