import type { MessagesFilter } from '../../../../clients/js/src/generated/push';

/** Filters in the URL. */
export type Filters = Readonly<Record<string, string>>;

export const STATES = { PENDING: 'Waiting', DELIVERED: 'Acknowledged', CANCELLED: 'Not delivered' } as const;
type State = keyof typeof STATES;

const isState = (text: string | undefined): text is State => text !== undefined && Object.hasOwn(STATES, text);

const rangeOf = (from: string | undefined, to: string | undefined) =>
  from || to ? { ...(from && { from }), ...(to && { to }) } : undefined;

/** Converts URL filters to the filter of the API. */
export function messagesFilterOf({
  recipient,
  topic,
  status,
  global,
  from,
  to,
  expiresFrom,
  expiresTo,
}: Filters): MessagesFilter {
  const createdAt = rangeOf(from, to);
  const expiresAt = rangeOf(expiresFrom, expiresTo);
  return {
    ...(recipient && { recipient }),
    ...(topic && { topic }),
    ...(isState(status) && { status }),
    ...(global && { globalMessageId: global }),
    ...(createdAt && { createdAt }),
    ...(expiresAt && { expiresAt }),
  };
}
