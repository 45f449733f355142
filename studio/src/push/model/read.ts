import type { GlobalMessagesFilter, MessagesFilter } from '../../../../clients/js/src/generated/push';
import type { Api } from '../../api/client';
import { type GlobalMessage, type Message, timeOfId } from './message';

/** Reason why a message may not exist. */
export const REMOVED = 'Messages are removed 30 days after they end, unless the server has a custom retention period.';

export interface Page<T> {
  items: readonly T[];
  nextToken: string | null;
}

type MessageState = Pick<Message, 'id' | 'createdAt' | 'status' | 'deliveredAt' | 'cancelledAt' | 'cancelReason'>;
type GlobalState = Pick<GlobalMessage, 'id' | 'createdAt' | 'cancelledAt'>;

interface Range<F> {
  filter: F;
  nextToken?: string | undefined;
  limit?: number;
}

export async function readMessages(
  { push }: Api,
  { filter, nextToken, limit }: Range<MessagesFilter>,
  signal: AbortSignal,
): Promise<Page<Message>> {
  const variables = { filter, ...(nextToken && { nextToken }), ...(limit && { limit }) };
  return (await push.messages(variables, undefined, { signal })) as Page<Message>;
}

const WHOLE = {
  id: true,
  recipient: true,
  message: true,
  topic: true,
  status: true,
  expiresAt: true,
  createdAt: true,
  deliveredAt: true,
  cancelledAt: true,
  cancelReason: true,
  globalMessageId: true,
  inbox: true,
  seenAt: true,
  readAt: true,
  archivedAt: true,
  fallback: { state: true, emailId: true, at: true, error: true },
} as const;

async function readWhole({ push }: Api, variables: object, signal: AbortSignal): Promise<Page<Message>> {
  return (await push.messages(variables, { items: WHOLE, nextToken: true }, { signal })) as Page<Message>;
}

export async function readGlobalMessages(
  { push }: Api,
  { filter, nextToken, limit }: Range<GlobalMessagesFilter>,
  signal: AbortSignal,
): Promise<Page<GlobalMessage>> {
  const variables = { filter, ...(nextToken && { nextToken }), ...(limit && { limit }) };
  return (await push.globalMessages(variables, undefined, { signal })) as Page<GlobalMessage>;
}

/** Fields of a message that can change. */
export async function readStates(
  { push }: Api,
  { filter, limit }: Range<MessagesFilter>,
  signal: AbortSignal,
): Promise<Page<MessageState>> {
  const items = { id: true, createdAt: true, status: true, deliveredAt: true, cancelledAt: true, cancelReason: true } as const;
  const variables = { filter, ...(limit && { limit }) };
  return (await push.messages(variables, { items, nextToken: true }, { signal })) as Page<MessageState>;
}

/** Fields of a message to everyone that can change. */
export async function readGlobalStates(
  { push }: Api,
  { filter, limit }: Range<GlobalMessagesFilter>,
  signal: AbortSignal,
): Promise<Page<GlobalState>> {
  const items = { id: true, createdAt: true, cancelledAt: true } as const;
  const variables = { filter, ...(limit && { limit }) };
  return (await push.globalMessages(variables, { items, nextToken: true }, { signal })) as Page<GlobalState>;
}

const SEARCHED_PAGES = 20;
const LARGEST_PAGE = 1_000;

/** Finds a message by its id, which contains its creation time; null if there is none. A known recipient makes it faster. */
export const findMessage = (api: Api, id: string, recipient: string | undefined, signal: AbortSignal): Promise<Message | null> =>
  find(id, (createdAt, nextToken) =>
    readWhole(
      api,
      {
        filter: { createdAt: { from: createdAt, to: createdAt }, ...(recipient && { recipient }) },
        ...(nextToken && { nextToken }),
        limit: LARGEST_PAGE,
      },
      signal,
    ),
  );

export const findGlobalMessage = (api: Api, id: string, signal: AbortSignal): Promise<GlobalMessage | null> =>
  find(id, (createdAt, nextToken) =>
    readGlobalMessages(api, { filter: { createdAt: { from: createdAt, to: createdAt } }, nextToken }, signal),
  );

async function find<T extends { id: string }>(
  id: string,
  read: (createdAt: string, nextToken: string | undefined) => Promise<Page<T>>,
): Promise<T | null> {
  const createdAt = timeOfId(id);
  if (!createdAt) return null;
  let nextToken: string | undefined;
  for (let page = 0; page < SEARCHED_PAGES; page++) {
    const { items, nextToken: next } = await read(createdAt, nextToken);
    const found = items.find((item) => item.id === id);
    if (found) return found;
    if (!next) return null;
    nextToken = next;
  }
  return null;
}
