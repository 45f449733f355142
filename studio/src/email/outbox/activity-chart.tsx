import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { ChartStrip, seriesOf } from '../../ui/chart-strip';
import { useFilters } from '../../ui/use-search';

const COLUMNS = [
  ['Sent', '--chart-good', 'sent'],
  ['Queued', '--chart-wait', 'queued'],
  ['Failed', '--chart-bad', 'failed'],
] as const;

/** The mails of the last day, by hour and outcome. */
export function ActivityChart() {
  const { email } = useApi();
  const [, change] = useFilters();
  const refusal = useRefusal(['email', 'query', 'messageActivity']);
  const query = useQuery({
    queryKey: ['email', 'activity'],
    queryFn: ({ signal }) => email.messageActivity({}, undefined, { signal }),
    enabled: !refusal,
    meta: keptLive('email'),
  });
  const { data } = query;
  const times = useMemo(() => data?.hours?.map(({ from }) => from!), [data]);
  const series = useMemo(() => seriesOf(data?.hours ?? [], COLUMNS), [data]);
  if (refusal) return null;
  return (
    <ChartStrip
      name="email"
      title="Last 24 hours"
      label="Emails by hour and status"
      times={times}
      series={series}
      countedFrom={data?.countedFrom}
      query={query}
      onSelect={(from, until) => change({ from, until })}
    />
  );
}
