import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { ChartStrip, seriesOf } from '../../ui/chart-strip';
import { useFilters } from '../../ui/use-search';
import { STATES } from '../model/filters';

const COLUMNS = [
  [STATES.DELIVERED, '--chart-good', 'delivered'],
  [STATES.PENDING, '--chart-wait', 'pending'],
  [STATES.CANCELLED, '--chart-plain', 'cancelled'],
] as const;

/** Pushes of the last day, hour by hour, by their outcome. */
export function LastDay() {
  const { push } = useApi();
  const [, change] = useFilters();
  const refusal = useRefusal(['websockets-manager', 'query', 'messageActivity']);
  const query = useQuery({
    queryKey: ['push', 'activity'],
    queryFn: ({ signal }) => push.messageActivity({}, undefined, { signal }),
    enabled: !refusal,
    meta: keptLive('websockets-manager'),
  });
  const { data } = query;
  const times = useMemo(() => data?.hours?.map(({ from }) => from!), [data]);
  const series = useMemo(() => seriesOf(data?.hours ?? [], COLUMNS), [data]);
  if (refusal) return null;
  return (
    <ChartStrip
      name="push"
      title="Last 24 hours"
      label="Messages by hour and status"
      times={times}
      series={series}
      countedFrom={data?.countedFrom}
      query={query}
      onSelect={(from, to) => change({ from, to })}
    />
  );
}
