import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Chart } from '../../ui/chart';
import { formatCount, formatTime, plural } from '../../ui/format';
import { shortDayOf } from '../data/day-words';

const DAYS = 30;
const LIVE_MS = 60_000;

/** A small chart of the records of each of the last days. Nothing stands here while the key may not count them. */
export function RecordsADay() {
  const api = useApi();
  const refusal = useRefusal(['document-log', 'query', 'logActivity']);
  const { data } = useQuery({
    queryKey: ['log', 'activity'],
    queryFn: ({ signal }) => api.log.logActivity({ days: DAYS }, undefined, { signal }),
    enabled: !refusal,
    refetchInterval: LIVE_MS,
  });
  const days = useMemo(() => data?.days ?? [], [data]);
  const times = useMemo(() => days.map(({ from }) => localDay(from!)), [days]);
  const series = useMemo(() => [{ name: 'Records', color: '--accent', values: days.map(({ records }) => records ?? 0) }], [days]);
  if (refusal) return undefined;
  const count = days.reduce((sum, { records }) => sum + (records ?? 0), 0);
  if (data && count === 0) return undefined;
  const isCut = days[0]?.from && data?.countedFrom && data.countedFrom > days[0].from;
  return (
    <div className="log-activity">
      {data && (
        <Chart
          label={
            isCut
              ? `Records a day: the newest ${formatCount(count)}, since ${formatTime(data.countedFrom!)}`
              : `Records a day (UTC): ${plural(count, 'record')} in ${plural(days.length, 'day')}`
          }
          times={times}
          series={series}
          formatValue={formatCount}
          formatAt={shortDayOf}
          height={96}
        />
      )}
    </div>
  );
}

/** The same day of the calendar, as it begins here, so that axis and table name the day that was counted. */
function localDay(time: string): string {
  const day = new Date(time);
  return new Date(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()).toISOString();
}
