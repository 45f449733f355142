import { useMemo, useState } from 'react';
import type { LimitName } from '../../api/client';
import { useDescription, useRefusal } from '../../api/api-context';
import { Chart } from '../../ui/chart';
import { formatBytes, formatCount } from '../../ui/format';
import { Chip, Detail } from '../../ui/page';
import { ErrorNotice, NoPermission, Skeleton } from '../../ui/states';
import { formatLimit, LIMIT_WORDS, Meter } from '../../ui/usage';
import { mayQuery, useStorageHistory, useStorageUsed } from '../model/queries';

const PERIODS = [7, 30, 90, 365];

/** Stored amounts, their limits, and their history. */
export function StorageDetail({ onClose }: { onClose: () => void }) {
  const refusal = useRefusal(mayQuery('storageUsed'));
  const { data: used, error, refetch } = useStorageUsed(!refusal);
  const { limits } = useDescription();
  const limitOf = (name: LimitName) => limits.find((limit) => limit.name === name)?.limit ?? null;
  return (
    <Detail title="Storage" onClose={onClose} {...(used && { of: { json: used } })}>
      {refusal && <NoPermission what="view storage" refusal={refusal} />}
      {error && <ErrorNotice error={error} tried="load storage" onRetry={() => void refetch()} />}
      {!used && !refusal && !error && <Skeleton lines={4} />}
      {used && (
        <>
          <Usage name="storedBytes" used={used.fileSize ?? 0} limit={limitOf('storedBytes')} />
          <Usage name="files" used={used.fileCount ?? 0} limit={limitOf('files')} />
          <p className="muted small">
            {`${formatBytes(used.billableFileSize ?? 0)} billable. Each file counts as at least 131,072 bytes.`}
          </p>
        </>
      )}
      <History />
    </Detail>
  );
}

/** One stored amount and its limit. */
function Usage({ name, used, limit }: { name: LimitName; used: number; limit: number | null }) {
  return (
    <div>
      <div className="row">
        <span className="grow">{LIMIT_WORDS[name]}</span>
        <strong>{formatLimit(name, used)}</strong>
        <span className="muted small">{limit === null ? 'no limit' : `of ${formatLimit(name, limit)}`}</span>
      </div>
      <Meter name={name} used={used} limit={limit} />
    </div>
  );
}

function History() {
  const refusal = useRefusal(mayQuery('storageHistory'));
  const [days, setDays] = useState(30);
  const { data, error, refetch } = useStorageHistory(days, !refusal);
  const times = useMemo(() => data?.map(({ at }) => at ?? '') ?? [], [data]);
  const domain = useMemo(() => lastDays(days, data), [days, data]);
  const bytes = useMemo(
    () => [{ name: 'Bytes', color: '--chart-plain', values: data?.map(({ fileSize }) => fileSize ?? 0) ?? [] }],
    [data],
  );
  const files = useMemo(
    () => [{ name: 'Files', color: '--chart-plain', values: data?.map(({ fileCount }) => fileCount ?? 0) ?? [] }],
    [data],
  );
  return (
    <section className="stack tight" aria-label="Over time">
      <h3>Over time</h3>
      {refusal ? (
        <p className="muted small">{refusal}.</p>
      ) : (
        <>
          <div className="row wrap">
            {PERIODS.map((period) => (
              <Chip key={period} isActive={period === days} onClick={() => setDays(period)}>
                {period} days
              </Chip>
            ))}
          </div>
          {error && <ErrorNotice error={error} tried="load the storage history" onRetry={() => void refetch()} />}
          {times.length > 1 ? (
            <>
              <Chart
                label={`Bytes stored in the last ${days} days`}
                form="steps"
                times={times}
                series={bytes}
                domain={domain}
                formatValue={formatBytes}
              />
              <Chart
                label={`Files in the last ${days} days`}
                form="steps"
                times={times}
                series={files}
                domain={domain}
                formatValue={formatCount}
              />
            </>
          ) : (
            !error && (
              <p className="muted small chart">
                {data ? 'The chart appears after a second sample. Samples are taken hourly when storage changes.' : ''}
              </p>
            )
          )}
        </>
      )}
    </section>
  );
}

/** The whole period, even if samples cover only a part of it. */
function lastDays(days: number, samples: readonly { at: string | null }[] | undefined): [first: number, last: number] {
  const last = Math.max(Date.now(), Date.parse(samples?.at(-1)?.at ?? '') || 0) / 1_000;
  return [last - days * 86_400, last];
}
