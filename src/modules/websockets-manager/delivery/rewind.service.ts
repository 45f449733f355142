import { Injectable } from '@nestjs/common';
import { lowestIdAt } from '../../../common/base/ids.js';
import { Database } from '../../../common/database/database.js';
import { CONFIRMATION_MS, MessageStatus } from '../messages/message-states.js';
import { MAX_REWOUND } from '../models/limits.js';
import { recipientKey } from '../models/recipient-key.js';
import { allTopics, isPattern, prefixOf } from '../models/topics.js';
import type { Connection } from '../sockets/connection.js';
import type { BacklogMessage } from './backlog.queries.js';
import { type RewindQuery, rewoundIds, type StoredMessage, storedMessages } from './rewind.queries.js';

const PAGE = 50;

/** Message to send before the backlog. */
export interface RewoundMessage extends BacklogMessage {
  /** True unless it is a queued message, which the recipient receives for the first time. */
  isReplayed: boolean;
  /** False if the message can no longer change its status. */
  isRecorded: boolean;
}

/**
 * Reads the last messages of a connection's topics. The connection is registered and holds pushes before they are read, and a push is stored
 * before it looks for connections: every message is in what is read here, or pushed to the connection, or both, and then sent once.
 */
@Injectable()
export class RewindService {
  constructor(private readonly database: Database) {}

  /** Yields the messages to replay, then the queued ones of the same topics, each in the order of creation. */
  async *messages(connection: Connection): AsyncGenerator<RewoundMessage> {
    const { rewind, presence } = connection;
    if (!rewind || allTopics(presence).length === 0) return;
    const { tenantId, recipient } = presence;
    const from = lowestIdAt(Date.now() - rewind.seconds * 1_000);
    const query = { tenantId, recipientKey: recipientKey(recipient), topics: presence, from, perTopic: rewind.messages };
    const ids = lastOf(await rewoundIds(this.database, query), connection);
    const queued: string[] = [];
    for await (const message of this.stored(query, ids)) {
      if (isPending(message) && message.expiresAt !== null) queued.push(message.id);
      else yield { ...message, isReplayed: true, isRecorded: isPending(message) && isConfirmable(message) };
    }
    // Reads them by id: the backlog omits messages that another connection has just confirmed.
    for await (const message of this.stored(query, queued))
      yield { ...message, isReplayed: false, isRecorded: isPending(message) };
  }

  /** Reads messages in pages, the next one only after the last message was sent. */
  private async *stored(query: RewindQuery, ids: string[]): AsyncGenerator<StoredMessage> {
    for (let at = 0; at < ids.length;) {
      const page = ids.slice(at, at + PAGE);
      const { messages, more } = await storedMessages(this.database, query, page);
      yield* messages;
      const last = messages.at(-1);
      at += more && last ? page.indexOf(last.id) + 1 : page.length;
    }
  }
}

const isPending = ({ status }: StoredMessage): boolean => status === null || status === MessageStatus.PENDING;
const isConfirmable = ({ id }: StoredMessage): boolean => id >= lowestIdAt(Date.now() - CONFIRMATION_MS);

/** Selects the last messages of each topic and pattern, from messages with the newest first. Returns their ids with the oldest first. */
function lastOf(newest: { id: string; topic: string }[], { presence, rewind }: Connection): string[] {
  const left = new Map(allTopics(presence).map((topic) => [topic, rewind!.messages]));
  const patterns = [...left.keys()].filter((topic) => topic !== presence.topic && isPattern(topic));
  const wanted = newest.filter(({ topic }) => {
    const matching = [topic, ...patterns.filter((pattern) => topic.startsWith(prefixOf(pattern)))];
    const counted = matching.filter((one) => (left.get(one) ?? 0) > 0);
    for (const one of counted) left.set(one, left.get(one)! - 1);
    return counted.length > 0;
  });
  return wanted
    .slice(0, MAX_REWOUND)
    .map(({ id }) => id)
    .toReversed();
}
