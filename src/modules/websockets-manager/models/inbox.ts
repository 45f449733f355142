/** Mark of a recipient on a message in its inbox. The schema describes each value. */
export enum InboxState {
  SEEN = 'SEEN',
  READ = 'READ',
  UNREAD = 'UNREAD',
  ARCHIVED = 'ARCHIVED',
}

/** Name of the member in a client's frame, which has the id of the message as its value. */
const FRAMES: Record<string, InboxState> = {
  seen: InboxState.SEEN,
  read: InboxState.READ,
  unread: InboxState.UNREAD,
  archived: InboxState.ARCHIVED,
};

export interface InboxMark {
  id: string;
  state: InboxState;
}

/** Returns the mark in a client's frame, such as `{"read": "<id>"}`; undefined for other frames. */
export function markOf(frame: Record<string, unknown>): InboxMark | undefined {
  const name = Object.keys(FRAMES).find((one) => typeof frame[one] === 'string');
  return name === undefined ? undefined : { id: frame[name] as string, state: FRAMES[name]! };
}
