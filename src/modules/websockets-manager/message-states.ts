export enum MessageStatus {
  PENDING = 'PENDING',
  DELIVERED = 'DELIVERED',
  CANCELLED = 'CANCELLED',
}

/** How long a frame that was written can be confirmed. */
export const CONFIRMATION_MS = 90_000;

export type MessageEvent =
  'confirmed' | 'cancelled' | 'nobodyConnected' | 'allBroke' | 'unconfirmed' | 'expired' | 'expiredUnconfirmed';

interface Transition {
  to: MessageStatus;
  /** The column that says when. */
  stamp: 'deliveredAt' | 'cancelledAt';
  time: 'now' | 'expiresAt';
}

/**
 * What becomes of a PENDING message. There is no other way: no other state is left, so that every statement that writes a
 * status asks for PENDING first.
 */
export const TRANSITIONS: Record<MessageEvent, Transition> = {
  /** A connection of the recipient confirmed its frame. */
  confirmed: { to: MessageStatus.DELIVERED, stamp: 'deliveredAt', time: 'now' },
  /** The application cancelled it, or the global message that it is part of. */
  cancelled: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'now' },
  /** It cannot wait, and nobody matching is connected. */
  nobodyConnected: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'now' },
  /** It cannot wait, and every connection that it was sent to broke before confirming. */
  allBroke: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'now' },
  /** It cannot wait, and 90 s passed. */
  unconfirmed: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'now' },
  /** It waited until expiresAt, and no frame was written. */
  expired: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'expiresAt' },
  /** A frame was written before expiresAt, and 90 s after it nothing had confirmed it. */
  expiredUnconfirmed: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'expiresAt' },
};
