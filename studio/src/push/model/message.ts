import type {
  Message as ServedMessage,
  GlobalMessage as ServedGlobalMessage,
  MessageFallback,
} from '../../../../clients/js/src/generated/push';
import type { StatusKind } from '../../ui/status';
import { STATES } from './filters';

type Kept<T, Nullable extends keyof T> = {
  [K in Exclude<keyof T, '__typename'>]: K extends Nullable ? T[K] : NonNullable<T[K]>;
};

/** A message to one recipient. */
export type Message = Kept<
  Omit<ServedMessage, 'fallback'>,
  'archivedAt' | 'cancelledAt' | 'cancelReason' | 'deliveredAt' | 'expiresAt' | 'globalMessageId' | 'readAt' | 'seenAt' | 'topic'
> & {
  /** Missing in lists. */
  fallback?: Fallback | null;
};
/** Mail in place of a message. */
export type Fallback = Kept<MessageFallback, 'emailId' | 'error'>;
/** A message to everyone. */
export type GlobalMessage = Kept<ServedGlobalMessage, 'cancelledAt' | 'expiresAt' | 'topic'>;

/** Time in which a written frame can still be confirmed. */
const CONFIRMATION_MS = 90_000;

/** Result of a message. */
export type Ending = 'delivered' | NonNullable<Message['cancelReason']>;

export function endingOf({ status, cancelReason }: Pick<Message, 'status' | 'cancelReason'>): Ending | undefined {
  return status === 'DELIVERED' ? 'delivered' : (cancelReason ?? undefined);
}

const REASONS: Readonly<Record<Exclude<Ending, 'delivered'>, string>> = {
  EXPIRED: 'Expired',
  EXPIRED_UNCONFIRMED: 'Not acknowledged in time',
  CANCELLED_BY_CALLER: 'Cancelled',
  NOT_CONNECTED: 'Recipient offline',
  CONNECTION_ENDED: 'Connection lost',
  UNCONFIRMED: 'Not acknowledged',
};

/** State of a message in a word. */
export function stateOf(message: Message): { kind: StatusKind; word: string } {
  const ending = endingOf(message);
  if (ending === 'delivered') return { kind: 'good', word: STATES.DELIVERED };
  if (ending) return { kind: ending === 'CANCELLED_BY_CALLER' ? 'none' : 'bad', word: STATES.CANCELLED };
  return message.expiresAt ? { kind: 'wait', word: STATES.PENDING } : { kind: 'info', word: 'Sending' };
}

/** State of a message in an inbox in a word. */
export function inboxStateOf({ archivedAt, readAt, seenAt }: Message): { kind: StatusKind; word: string } {
  if (archivedAt) return { kind: 'none', word: 'Archived' };
  if (readAt) return { kind: 'good', word: 'Read' };
  return seenAt ? { kind: 'info', word: 'Seen' } : { kind: 'wait', word: 'Unread' };
}

/** Reason why a message was not delivered. */
export function reasonOf(message: Pick<Message, 'status' | 'cancelReason'>): string | undefined {
  const ending = endingOf(message);
  return ending && ending !== 'delivered' ? REASONS[ending] : undefined;
}

const FALLBACKS: Readonly<Record<Fallback['state'], { kind: StatusKind; word: string }>> = {
  WAITING: { kind: 'wait', word: 'Due' },
  NOT_NEEDED: { kind: 'none', word: 'Not needed' },
  SENT: { kind: 'good', word: 'Sent' },
  FAILED: { kind: 'bad', word: 'Failed' },
};

/** State of the mail in place of a message in a word. */
export const fallbackStateOf = ({ state }: Fallback): { kind: StatusKind; word: string } => FALLBACKS[state];

/** Whether nothing about a message will change. */
export const isOver = (message: Pick<Message, 'status' | 'fallback'>): boolean =>
  isFinal(message) && message.fallback?.state !== 'WAITING';

export const isFinal = ({ status }: Pick<Message, 'status'>): boolean => status !== 'PENDING';

/** State of a message to everyone in a word. */
export function globalStateOf({ cancelledAt, expiresAt }: GlobalMessage, now = Date.now()): { kind: StatusKind; word: string } {
  if (cancelledAt) return { kind: 'none', word: 'Cancelled' };
  if (expiresAt && timeOf(expiresAt) > now) return { kind: 'wait', word: 'Waiting' };
  return { kind: 'info', word: 'Sent' };
}

/** Reason why a message to everyone can no longer be cancelled; undefined if it can. */
export function tooLate({ createdAt, expiresAt, cancelledAt }: GlobalMessage, now = Date.now()): string | undefined {
  if (cancelledAt) return 'Already cancelled';
  const isOver = now > timeOf(expiresAt ?? createdAt) + CONFIRMATION_MS;
  return isOver ? 'This broadcast has ended' : undefined;
}

export const timeOf = (at: string): number => new Date(at).getTime();

/** Returns the creation time in an id (UUIDv7); undefined for any other id. */
export function timeOfId(id: string): string | undefined {
  if (!/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(id)) return undefined;
  const ms = parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}

/** Returns the first non-empty line of a text, cut to the width of a row. */
export const firstLine = (text: string): string => /\S.*/.exec(text.slice(0, 2_000))?.[0].slice(0, 300) ?? '';
