import { formatCount, formatDuration } from '../../ui/format';
import type { StatusKind } from '../../ui/status';
import { POLL, type Delivery, type DeliveryStatus, type Webhook } from './webhook';

/** States of a webhook, as its list filters by them. */
export const STATES = { healthy: 'Healthy', failing: 'Failing', polled: 'Fetched by polling', off: 'Off' } as const;

interface Health {
  state: keyof typeof STATES;
  kind: StatusKind;
  word: string;
  /** Reason of a problem. */
  reason?: string | undefined;
}

const timeOf = (text: string): number => new Date(text).getTime();

/** Count of queued events that stands for that many or more. */
const MOST_WAITING = 1_000;

/** Describes the state of a webhook, without dates: lists cut long words. */
export function healthOf({ active, disabledAt, failingSince, lastError, url, waiting }: Webhook): Health {
  const reason = lastError ?? undefined;
  const count = waiting ?? 0;
  const queue = count === 0 ? '' : `, ${formatCount(count)}${count >= MOST_WAITING ? '+' : ''} waiting`;
  if (disabledAt) return { state: 'off', kind: 'bad', word: `Switched off${queue}`, reason };
  if (!active) return { state: 'off', kind: 'none', word: `Off${queue}` };
  if (failingSince) {
    const word = `Failing for ${formatDuration(Date.now() - timeOf(failingSince))}${queue}`;
    return { state: 'failing', kind: 'bad', word, reason };
  }
  if (url === POLL) return { state: 'polled', kind: 'info', word: `${STATES.polled}${queue}` };
  return { state: 'healthy', kind: 'good', word: `${STATES.healthy}${queue}` };
}

/** Describes the state of a delivery. */
export function deliveryState({ status, attempts }: Delivery): { kind: StatusKind; word: string } {
  if (status === 'PENDING' && attempts) return { kind: 'wait', word: 'Retrying' };
  return DELIVERY_WORDS[status ?? 'PENDING'];
}

/** Formats a rate of success, such as 96%; never 100% with a failure. */
export const formatRate = (rate: number): string => `${rate < 1 ? Math.min(99, Math.round(rate * 100)) : 100}%`;

export const DELIVERY_WORDS: Readonly<Record<DeliveryStatus, { kind: StatusKind; word: string }>> = {
  PENDING: { kind: 'wait', word: 'Pending' },
  DELIVERED: { kind: 'good', word: 'Delivered' },
  FAILED: { kind: 'bad', word: 'Failed' },
};
