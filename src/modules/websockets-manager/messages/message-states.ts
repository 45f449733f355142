export enum MessageStatus {
  PENDING = 'PENDING',
  DELIVERED = 'DELIVERED',
  CANCELLED = 'CANCELLED',
}

/** Reason of a cancellation. The schema describes each value. */
export enum MessageCancelReason {
  NOT_CONNECTED = 'NOT_CONNECTED',
  CONNECTION_ENDED = 'CONNECTION_ENDED',
  UNCONFIRMED = 'UNCONFIRMED',
  EXPIRED = 'EXPIRED',
  EXPIRED_UNCONFIRMED = 'EXPIRED_UNCONFIRMED',
  CANCELLED_BY_CALLER = 'CANCELLED_BY_CALLER',
}

/** Time after a write within which a confirmation is accepted. */
export const CONFIRMATION_MS = 90_000;

export type MessageEvent =
  'confirmed' | 'cancelled' | 'nobodyConnected' | 'allBroke' | 'unconfirmed' | 'expired' | 'expiredUnconfirmed';

export interface Transition {
  to: MessageStatus;
  /** Column of the time of the transition. */
  stamp: 'deliveredAt' | 'cancelledAt';
  time: 'now' | 'expiresAt';
  /** Reason of a cancellation; null for a delivery. */
  reason: MessageCancelReason | null;
}

/** State transitions. Each starts from PENDING, as the other states are final: every statement that writes a status requires PENDING. */
export const TRANSITIONS: Record<MessageEvent, Transition> = {
  /** A connection of the recipient confirmed the frame. */
  confirmed: { to: MessageStatus.DELIVERED, stamp: 'deliveredAt', time: 'now', reason: null },
  /** The application cancelled the message, or its global message. */
  cancelled: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'now', reason: MessageCancelReason.CANCELLED_BY_CALLER },
  /** The message cannot wait, and no matching connection is open. */
  nobodyConnected: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'now', reason: MessageCancelReason.NOT_CONNECTED },
  /** The message cannot wait, and every connection it was sent to ended without confirming it. */
  allBroke: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'now', reason: MessageCancelReason.CONNECTION_ENDED },
  /** The message cannot wait, and 90 s have passed. */
  unconfirmed: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'now', reason: MessageCancelReason.UNCONFIRMED },
  /** The message waited until expiresAt without a written frame. */
  expired: { to: MessageStatus.CANCELLED, stamp: 'cancelledAt', time: 'expiresAt', reason: MessageCancelReason.EXPIRED },
  /** A frame was written before expiresAt and was still unconfirmed 90 s after it. */
  expiredUnconfirmed: {
    to: MessageStatus.CANCELLED,
    stamp: 'cancelledAt',
    time: 'expiresAt',
    reason: MessageCancelReason.EXPIRED_UNCONFIRMED,
  },
};
