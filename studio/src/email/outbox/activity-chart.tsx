import { Collapsible } from '@base-ui/react/collapsible';
import { ChevronRightIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { lazyPart } from '../../api/load-part';
import { useApi, useRefusal } from '../../api/api-context';
import { formatCount } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';

const Chart = lazyPart(async () => (await import('../../ui/chart')).Chart);
const LOOK_MS = 15_000;
const HEIGHT = 96;
const CHOICE = 'platform-services-email-chart';

const COLUMNS = [
  ['Sent', '--good', 'sent'],
  ['Queued', '--wait', 'queued'],
  ['Failed', '--bad', 'failed'],
] as const;

/** The mails of the last day, by hour and by what became of them. Whether it is open is remembered; on a phone it begins closed. */
export function ActivityChart() {
  const { email } = useApi();
  const refusal = useRefusal(['email', 'query', 'messageActivity']);
  const [isOpen, setOpen] = useState(() => (localStorage.getItem(CHOICE) ?? (innerWidth > 640 ? 'open' : 'closed')) === 'open');
  const { data, error, refetch } = useQuery({
    queryKey: ['email', 'activity'],
    queryFn: ({ signal }) => email.messageActivity({}, undefined, { signal }),
    enabled: !refusal,
    refetchInterval: LOOK_MS,
  });
  const { times, series } = useMemo(() => {
    const hours = data?.hours ?? [];
    return {
      times: hours.map(({ from }) => from!),
      series: COLUMNS.map(([name, color, field]) => ({ name, color, values: hours.map((hour) => hour[field] ?? 0) })),
    };
  }, [data]);
  if (refusal) return undefined;
  const change = (next: boolean) => {
    localStorage.setItem(CHOICE, next ? 'open' : 'closed');
    setOpen(next);
  };
  const first = times[0];
  const isEmpty = data !== undefined && series.every(({ values }) => sumOf(values) === 0);
  return (
    <Collapsible.Root className="email-activity" open={isOpen && !isEmpty} disabled={isEmpty} onOpenChange={change}>
      <Collapsible.Trigger className="email-activity-trigger">
        <ChevronRightIcon aria-hidden />
        <span>Last 24 hours</span>
        {data && (
          <span className="muted">
            {isEmpty
              ? 'No mail'
              : series.map(({ name, values }) => `${formatCount(sumOf(values))} ${name.toLowerCase()}`).join(', ')}
          </span>
        )}
      </Collapsible.Trigger>
      <Collapsible.Panel className="email-activity-panel">
        {error && !data ? (
          <ErrorNotice error={error} tried="count the mails" onRetry={() => void refetch()} />
        ) : (
          <Suspense fallback={<div className="email-activity-room" />}>
            {data ? (
              <Chart label="Mails by hour and outcome" times={times} series={series} height={HEIGHT} formatAt={hourOf} />
            ) : (
              <div className="email-activity-room" />
            )}
          </Suspense>
        )}
        {data?.countedFrom && first && new Date(data.countedFrom) > new Date(first) && (
          <p className="small muted">
            There were too many mails to count them all: this begins <Time at={data.countedFrom} />.
          </p>
        )}
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const hourOf = (time: string) => new Date(time).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit' });
