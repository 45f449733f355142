import { useRead } from '../../api/use-read';
import type { LogStream, LogStreamDestination } from '../../../../clients/js/src/generated/log';
import { formatCount, formatDuration } from '../../ui/format';
import type { StatusKind } from '../../ui/status';

export const STREAMS = ['log streams'] as const;
/** Count that stands for that many or more. */
const MOST_WAITING = 1_000;

export type Stream = Omit<LogStream, '__typename' | 'destination'> & {
  destination: Omit<LogStreamDestination, '__typename'> | null;
};

/** The streams of the tenant, newest first; a tenant has five at most. */
export function useStreams(isEnabled: boolean) {
  return useRead({
    queryKey: STREAMS,
    read: async (api, signal): Promise<readonly Stream[]> => (await api.log.logStreams({}, undefined, { signal })).items,
    live: 'document-log',
    enabled: isEnabled,
  });
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
