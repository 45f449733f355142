import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo } from 'react';
import { lazyPart } from '../../api/load-part';
import { useApi } from '../../api/api-context';
import { formatCount } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';
import { STATES } from '../model/filters';

const Chart = lazyPart(async () => (await import('../../ui/chart')).Chart);
const LOOK_MS = 15_000;
const HEIGHT = 112;

/** Pushes of the last day, hour by hour, by their outcome. */
export function LastDay() {
  const { push } = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['push', 'activity'],
    queryFn: ({ signal }) => push.messageActivity({}, undefined, { signal }),
    refetchInterval: LOOK_MS,
  });
  const { times, series } = useMemo(() => {
    const hours = data?.hours ?? [];
    const columnOf = (field: 'delivered' | 'pending' | 'cancelled') => hours.map((hour) => hour[field] ?? 0);
    return {
      times: hours.map(({ from }) => from ?? ''),
      series: [
        { name: STATES.DELIVERED, color: '--good', values: columnOf('delivered') },
        { name: STATES.PENDING, color: '--wait', values: columnOf('pending') },
        { name: STATES.CANCELLED, color: '--bad', values: columnOf('cancelled') },
      ],
    };
  }, [data]);
  if (error && !data) {
    return (
      <div className="push-day">
        <ErrorNotice error={error} tried="count the messages of the last day" onRetry={() => void refetch()} />
      </div>
    );
  }
  const isPart = data?.countedFrom && times[0] && data.countedFrom > times[0];
  return (
    <section className="push-day" aria-label="The last day">
      <p className="small" role="status">
        {data ? (
          <>
            In the last day: {series.map(({ name, values }) => `${formatCount(sumOf(values))} ${name.toLowerCase()}`).join(', ')}
          </>
        ) : (
          <span className="skeleton width-1" />
        )}
        {isPart && data?.countedFrom && (
          <span className="muted">
            {' '}
            (there was too much to count it all; this begins <Time at={data.countedFrom} />)
          </span>
        )}
      </p>
      <div className="push-chart">
        <Suspense>
          {data && (
            <Chart
              label="Messages by hour and state"
              times={times}
              series={series}
              formatAt={(time) => new Date(time).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit' })}
              height={HEIGHT}
            />
          )}
        </Suspense>
      </div>
    </section>
  );
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
