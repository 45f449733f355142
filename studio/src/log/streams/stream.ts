import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { LogStream, LogStreamDestination } from '../../../../clients/js/src/generated/log';
import { useApi } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { formatCount, formatDuration } from '../../ui/format';
import type { StatusKind } from '../../ui/status';

const QUERY = 'log streams';
/** Count that stands for that many or more. */
const MOST_WAITING = 1_000;

export type Stream = Omit<LogStream, '__typename' | 'destination'> & {
  destination: Omit<LogStreamDestination, '__typename'> | null;
};

/** The streams of the tenant, newest first; a tenant has five at most. */
export function useStreams(isEnabled: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: [QUERY],
    queryFn: async ({ signal }): Promise<readonly Stream[]> => (await api.log.logStreams({}, undefined, { signal })).items,
    meta: keptLive('document-log'),
    enabled: isEnabled,
  });
}

/** Reads the streams again after a change. */
export function useReadAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [QUERY] });
}

interface Health {
  kind: StatusKind;
  word: string;
  /** Reason of a problem. */
  reason?: string | undefined;
}

/** Describes the state of a stream. */
export function healthOf({ active, failingSince, lastError, pausedUntil }: Stream): Health {
  const reason = lastError ?? undefined;
  if (!active) return { kind: 'none', word: 'Paused' };
  if (pausedUntil && new Date(pausedUntil).getTime() > Date.now()) {
    return {
      kind: 'bad',
      word: `Failing, next attempt in ${formatDuration(new Date(pausedUntil).getTime() - Date.now())}`,
      reason,
    };
  }
  return failingSince ? { kind: 'bad', word: 'Failing', reason } : { kind: 'good', word: 'Healthy' };
}

export const KIND_WORDS = { HTTPS: 'HTTPS', SPLUNK: 'Splunk', DATADOG: 'Datadog', S3: 'S3 bucket' } as const;
export type Kind = keyof typeof KIND_WORDS;

/** Describes the number of queued records. */
export function waitingWords({ waiting }: Stream): string {
  const count = waiting ?? 0;
  if (count === 0) return 'All records sent';
  const number = formatCount(count);
  return count >= MOST_WAITING ? `${number} or more records waiting` : `${number} ${count === 1 ? 'record' : 'records'} waiting`;
}

/** Formats the URL of a destination in one line. */
export const addressOf = ({ destination }: Stream): string =>
  destination?.bucket ? `${destination.url}/${destination.bucket}/${destination.prefix ?? ''}` : (destination?.url ?? '');
