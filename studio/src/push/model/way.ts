import { type Ending, endingOf, type Message, timeOf } from './message';

/** A place on the way of a message. */
export interface Station {
  title: string;
  /** `done`: it was there; `now`: it is there; `missed`: it did not get there; `ahead`: it may get there. */
  state: 'done' | 'now' | 'missed' | 'ahead';
  at?: string | undefined;
  /** Words before the time, such as `expires`. */
  atWord?: string;
  text?: string;
}

export type Way = readonly [stored: Station, sent: Station, confirmed: Station, ended: Station];

/** The way of a message, as far as its times prove it. */
export function wayOf(message: Message, now = Date.now()): Way {
  const { createdAt, deliveredAt, cancelledAt } = message;
  const stored: Station = { title: 'Stored', state: 'done', at: createdAt };
  const ending = endingOf(message);
  if (!ending) {
    const confirmed: Station = { title: 'Confirmed', state: 'ahead', text: 'Not yet' };
    return [stored, underWay(message, now), confirmed, { title: 'Ended', state: 'ahead', text: 'Not yet' }];
  }
  if (ending === 'delivered') {
    const at = deliveredAt ?? undefined;
    return [
      stored,
      { title: 'Written to a connection', state: 'done' },
      { title: 'Confirmed', state: 'done', at, text: 'By a connection of the recipient' },
      { title: 'Delivered', state: 'done', at },
    ];
  }
  const { title, text } = ENDS[ending];
  return [
    stored,
    triedFor(message, ending),
    { title: 'Not confirmed', state: 'missed', text: 'By any connection' },
    { title, text, state: 'missed', at: cancelledAt ?? undefined },
  ];
}

function underWay({ expiresAt, topic, recipient }: Message, now: number): Station {
  const whom = topic === null ? recipient : `a connection of ${recipient} with this topic`;
  if (!expiresAt) {
    return { title: 'On its way', state: 'now', text: 'It cannot wait: it ends once its connections broke, or after 90 s' };
  }
  if (timeOf(expiresAt) > now)
    return { title: 'Waits', state: 'now', at: expiresAt, atWord: 'expires', text: `For ${whom} to confirm it` };
  return {
    title: 'Waited',
    state: 'now',
    at: expiresAt,
    atWord: 'expired',
    text: 'A copy under way can be confirmed for 90 s more',
  };
}

function triedFor({ expiresAt, cancelledAt, topic }: Message, ending: Exclude<Ending, 'delivered'>): Station {
  if (ending === 'NOT_CONNECTED') {
    return { title: 'No connection', state: 'missed', text: topic === null ? 'None was open' : 'None with this topic was open' };
  }
  if (expiresAt && cancelledAt) return { title: 'Waited', state: 'done', at: cancelledAt, atWord: 'ended' };
  return { title: 'Could not wait', state: 'done', text: 'It had no time to wait' };
}

const ENDS: Readonly<Record<Exclude<Ending, 'delivered'>, { title: string; text: string }>> = {
  cancelled: { title: 'Cancelled', text: 'No connection confirmed it' },
  EXPIRED: { title: 'Expired', text: 'The recipient did not connect before its time was over' },
  EXPIRED_UNCONFIRMED: { title: 'Expired', text: 'It was sent in time, and no connection confirmed it by 90 s after' },
  CANCELLED_BY_CALLER: { title: 'Cancelled', text: 'The application cancelled it before a connection confirmed it' },
  NOT_CONNECTED: { title: 'Not delivered', text: 'The recipient was not connected, and the message could not wait' },
  CONNECTION_ENDED: { title: 'Not delivered', text: 'Its connections ended before one confirmed it, and it could not wait' },
  UNCONFIRMED: { title: 'Not delivered', text: 'No connection confirmed it within 90 s, and it could not wait' },
};
