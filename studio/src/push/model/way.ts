import { STATES } from './filters';
import { type Ending, endingOf, type Message, timeOf } from './message';

/** A step of the delivery. */
export interface Station {
  title: string;
  /** `done`: it was there; `now`: it is there; `missed`: it did not get there; `ahead`: it may get there. */
  state: 'done' | 'now' | 'missed' | 'ahead';
  at?: string | undefined;
  /** Text before the time, such as `expires`. */
  atWord?: string;
  text?: string;
}

export type Way = readonly [stored: Station, sent: Station, confirmed: Station, ended: Station];

/** Returns the steps of a delivery, as proven by its times. */
export function wayOf(message: Message, now = Date.now()): Way {
  const { createdAt, deliveredAt, cancelledAt } = message;
  const stored: Station = { title: 'Stored', state: 'done', at: createdAt };
  const ending = endingOf(message);
  if (!ending) {
    const confirmed: Station = { title: 'Acknowledged', state: 'ahead', text: 'Not yet' };
    return [stored, underWay(message, now), confirmed, { title: 'Done', state: 'ahead', text: 'Not yet' }];
  }
  if (ending === 'delivered') {
    const at = deliveredAt ?? undefined;
    return [
      stored,
      { title: 'Sent', state: 'done' },
      { title: 'Acknowledged', state: 'done', at, text: 'By a connection of the recipient' },
      { title: 'Done', state: 'done', at },
    ];
  }
  return [
    stored,
    triedFor(message, ending),
    { title: 'Not acknowledged', state: 'missed' },
    { title: STATES.CANCELLED, text: ENDS[ending], state: 'missed', at: cancelledAt ?? undefined },
  ];
}

function underWay({ expiresAt, topic }: Message, now: number): Station {
  if (!expiresAt) {
    return { title: 'Sending', state: 'now', text: 'Ends after 90 s, or when all connections close' };
  }
  if (timeOf(expiresAt) > now) {
    const text = topic === null ? 'For a connection' : 'For a connection with this topic';
    return { title: 'Waiting', state: 'now', at: expiresAt, atWord: 'expires', text };
  }
  return {
    title: 'Waited',
    state: 'now',
    at: expiresAt,
    atWord: 'expired',
    text: 'Copies in transit can be acknowledged for 90 s',
  };
}

function triedFor({ expiresAt, cancelledAt, topic }: Message, ending: Exclude<Ending, 'delivered'>): Station {
  if (ending === 'NOT_CONNECTED') {
    return {
      title: 'Offline',
      state: 'missed',
      text: topic === null ? 'No open connection' : 'No open connection with this topic',
    };
  }
  if (expiresAt && cancelledAt) return { title: 'Waited', state: 'done', at: cancelledAt, atWord: 'ended' };
  return { title: 'Sent', state: 'done', text: 'Without waiting' };
}

const ENDS: Readonly<Record<Exclude<Ending, 'delivered'>, string>> = {
  EXPIRED: 'The recipient did not connect before the message expired',
  EXPIRED_UNCONFIRMED: 'No connection acknowledged the message within 90 s of its expiry',
  CANCELLED_BY_CALLER: 'Cancelled before a connection acknowledged the message',
  NOT_CONNECTED: 'The recipient was offline and the message could not wait',
  CONNECTION_ENDED: 'All connections closed before one acknowledged the message',
  UNCONFIRMED: 'No connection acknowledged the message within 90 s',
};
