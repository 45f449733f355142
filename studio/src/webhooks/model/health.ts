import { formatDuration } from '../../ui/format';
import type { StatusKind } from '../../ui/status';
import { POLL, type DeliveryStatus, type Webhook } from './webhook';

interface Health {
  kind: StatusKind;
  word: string;
  /** Reason of a problem. */
  reason?: string | undefined;
}

const timeOf = (text: string): number => new Date(text).getTime();

/** Describes the state of a webhook, without dates: lists cut long words. */
export function healthOf({ active, disabledAt, failingSince, lastError, pausedUntil, url }: Webhook): Health {
  const reason = lastError ?? undefined;
  if (disabledAt) return { kind: 'bad', word: 'Switched off by the platform', reason };
  if (!active) return { kind: 'none', word: 'Off' };
  if (pausedUntil && timeOf(pausedUntil) > Date.now()) {
    return { kind: 'wait', word: `Paused, resumes in ${formatDuration(timeOf(pausedUntil) - Date.now())}`, reason };
  }
  if (failingSince) return { kind: 'bad', word: `Failing for ${formatDuration(Date.now() - timeOf(failingSince))}`, reason };
  return url === POLL ? { kind: 'info', word: 'Fetched by polling' } : { kind: 'good', word: 'Healthy' };
}

export const DELIVERY_WORDS: Readonly<Record<DeliveryStatus, { kind: StatusKind; word: string }>> = {
  PENDING: { kind: 'wait', word: 'Pending' },
  DELIVERED: { kind: 'good', word: 'Delivered' },
  FAILED: { kind: 'bad', word: 'Failed' },
};
