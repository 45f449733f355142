import { formatTime } from '../../ui/format';
import type { StatusKind } from '../../ui/status';
import { POLL, type DeliveryStatus, type Webhook } from './webhook';

interface Health {
  kind: StatusKind;
  word: string;
  /** Why it is not well. */
  reason?: string | undefined;
}

/** Says how a webhook does, in words. */
export function healthOf({ active, disabledAt, failingSince, lastError, pausedUntil, url }: Webhook): Health {
  const reason = lastError ?? undefined;
  if (disabledAt) return { kind: 'bad', word: 'Switched off by the platform', reason };
  if (!active) return { kind: 'none', word: 'Off' };
  if (pausedUntil && new Date(pausedUntil).getTime() > Date.now()) {
    return { kind: 'wait', word: `Paused until ${formatTime(pausedUntil)}`, reason };
  }
  if (failingSince) return { kind: 'bad', word: `Failing since ${formatTime(failingSince)}`, reason };
  return url === POLL ? { kind: 'info', word: 'Fetched by polling' } : { kind: 'good', word: 'Healthy' };
}

export const DELIVERY_WORDS: Readonly<Record<DeliveryStatus, { kind: StatusKind; word: string }>> = {
  PENDING: { kind: 'wait', word: 'Pending' },
  DELIVERED: { kind: 'good', word: 'Delivered' },
  FAILED: { kind: 'bad', word: 'Failed' },
};
