import { formatShortDay } from '../../ui/format';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { ChartStrip } from '../../ui/chart-strip';
import { useFilters } from '../../ui/use-search';
import { isUtc } from '../../ui/zone';

const DAYS = 30;

/** Number of records per day (UTC). */
export function RecordsADay() {
  const { log } = useApi();
  const [, change] = useFilters();
  const refusal = useRefusal(['document-log', 'query', 'logActivity']);
  const query = useQuery({
    queryKey: ['log', 'activity'],
    queryFn: ({ signal }) => log.logActivity({ days: DAYS }, undefined, { signal }),
    enabled: !refusal,
    meta: keptLive('document-log'),
  });
  const { data } = query;
  const times = useMemo(() => data?.days?.map(({ from }) => localDay(from!)), [data]);
  const series = useMemo(
    () => [{ name: 'Records', color: '--chart-plain', values: (data?.days ?? []).map(({ records }) => records ?? 0) }],
    [data],
  );
  if (refusal) return null;
  return (
    <ChartStrip
      name="log"
      title={`Last ${DAYS} days`}
      label="Records by day (UTC)"
      times={times}
      series={series}
      formatAt={formatShortDay}
      countedFrom={data?.countedFrom}
      query={query}
      onSelect={(from, to) => change({ from: utcDay(from), to: utcDay(to) })}
    />
  );
}

/** Start of the same calendar day in local time, so axis and table name the counted day. */
function localDay(time: string): string {
  if (isUtc()) return time;
  const day = new Date(time);
  return new Date(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()).toISOString();
}

/** The same time of the same day, in UTC. */
function utcDay(time: string): string {
  if (isUtc()) return time;
  const at = new Date(time);
  const day = Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
  return new Date(day + (at.getTime() - new Date(at).setHours(0, 0, 0, 0))).toISOString();
}
