import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AppError, badInput } from '../../../common/base/app-error.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import type { Caller } from '../../../common/auth/caller.js';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../common/database/database.js';
import { Bus, type Presence } from '../bus/bus.js';
import { TOKEN_LIFETIME_MS } from '../models/limits.js';
import { recipientKey } from '../models/recipient-key.js';
import {
  allTopics,
  changedTopics,
  limitedTopics,
  MAX_TOPICS,
  patternFault,
  receivesTopic,
  type TopicChange,
  topicsFault,
} from '../models/topics.js';
import { CLOSE } from '../sockets/closing.js';
import type { Connection } from '../sockets/connection.js';
import { Connections } from '../sockets/connections.js';
import type { RecipientConnection } from './recipient.model.js';
import { RecipientsService, shownConnections } from './recipients.service.js';
import { readTopics, type StoredTopics, writeTopics } from './topics.queries.js';

/** Maximum size of the changes stored for a recipient, in characters of JSON. */
const MAX_CHANGES = 32_768;
/** Writes tried while other calls change the topics of the same recipient. */
const MAX_TRIES = 20;
/** Time that a call waits for other nodes. */
const APPLY_MS = 5_000;
const POLL_MS = 20;

/**
 * Changes topics of open connections, and of those that tokens open later. Tokens are not stored, so the changes are: a connection applies
 * those made since its token was issued, when it opens and on each later change. A row has the latest change of each topic and a time
 * that only grows, so nodes may apply it repeatedly and in any order.
 */
@Injectable()
export class TopicsService {
  /** Called after an open connection received further topics, whose queued messages it must now receive. */
  onAdded: (connection: Connection) => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly recipients: RecipientsService,
    private readonly connections: Connections,
    private readonly bus: Bus,
    private readonly config: Config,
  ) {}

  /** Returns the connections once all nodes have applied the change: a push made after that finds them by it. */
  async change({ tenantId }: Caller, recipient: string, add: string[], remove: string[]): Promise<RecipientConnection[]> {
    checkText('recipient', recipient, { min: 1, max: MAX_NAME });
    checkTopics({ add, remove });
    const presences = await this.recipients.presencesOf(tenantId, recipient);
    this.checkLimits(presences, add, remove);
    const at = await this.store(tenantId, recipient, add, remove);
    await this.applyHere(tenantId, recipient);
    // Queried again: a connection that opened before the write has not read it.
    const there = await this.recipients.presencesOf(tenantId, recipient);
    await this.recipients.tell(there, { kind: 'topics', tenantId, recipient });
    return shownConnections(await this.applied(tenantId, recipient, at));
  }

  /** Applies the stored changes to the connections of this node. */
  async applyHere(tenantId: string, recipient: string): Promise<void> {
    const stored = await readTopics(this.database, { tenantId, recipientKey: recipientKey(recipient) });
    if (!stored) return;
    const here = this.connections.ofRecipient(tenantId, recipient, null);
    await this.recipients.reachable(Promise.all(here.map((connection) => this.apply(connection, stored))));
  }

  /** Applies changes made since the token of a connection was issued. Closes the connection if the node has no room for its topics. */
  async apply(connection: Connection, { at, changes }: StoredTopics): Promise<void> {
    const { presence } = connection;
    if ((presence.topicsAt ?? 0) >= at) return;
    const before = { topic: presence.topic, topics: presence.topics };
    const next = limitedTopics(changedTopics(before, changes, connection.tokenIssuedAt));
    const more = allTopics(next).length - allTopics(before).length;
    if (more > 0 && !this.connections.hasRoomFor(presence.tenantId, more, this.config)) return connection.close(CLOSE.noRoom);
    presence.topicsAt = at;
    this.connections.setTopics(connection, next);
    connection.dropHeld(({ topic }) => receivesTopic(next, topic));
    await this.bus.changeTopics(presence, before);
    this.onAdded(connection);
  }

  private checkLimits(presences: Presence[], add: string[], remove: string[]): void {
    const changes = changesOf(add, remove, 0);
    for (const presence of presences) {
      const fault = topicsFault(allTopics(changedTopics(presence, changes, 0)));
      if (fault) throw new AppError('FAILED_PRECONDITION', `A connection of the recipient ${fault}; remove some topics`);
    }
  }

  /** Stores the changes, without those that no valid token is older than. Returns the time of the latest. */
  private async store(tenantId: string, recipient: string, add: string[], remove: string[]): Promise<number> {
    const key = { tenantId, recipientKey: recipientKey(recipient) };
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const stored = await readTopics(this.database, key);
      const before = stored?.at ?? 0;
      const at = Math.max(Date.now(), before + 1);
      const names = new Set([...add, ...remove]);
      const kept = stored?.changes.filter(([name, , changedAt]) => !names.has(name) && changedAt > at - TOKEN_LIFETIME_MS) ?? [];
      const changes = JSON.stringify([...kept, ...changesOf(add, remove, at)]);
      if (changes.length > MAX_CHANGES) {
        throw new AppError(
          'FAILED_PRECONDITION',
          'Too many different topics of this recipient were changed within 24 h; call disconnectRecipient, then register it again',
        );
      }
      if (await writeTopics(this.database, key, { at, changes }, before)) return at;
    }
    throw new AppError('SERVICE_UNAVAILABLE', 'The topics of this recipient are being changed by other calls; retry');
  }

  /** Resolves with the connections of a recipient once each has applied a change. */
  private async applied(tenantId: string, recipient: string, at: number): Promise<Presence[]> {
    for (const deadline = performance.now() + APPLY_MS; ;) {
      const presences = await this.recipients.presencesOf(tenantId, recipient);
      if (presences.every(({ topicsAt }) => (topicsAt ?? 0) >= at)) return presences;
      if (performance.now() > deadline) {
        throw new AppError('SERVICE_UNAVAILABLE', 'The change is stored, but a node has not applied it yet; retry later');
      }
      await setTimeout(POLL_MS);
    }
  }
}

/** @throws BAD_USER_INPUT that names the argument */
function checkTopics(topics: { add: string[]; remove: string[] }): void {
  for (const [name, list] of Object.entries(topics)) {
    if (list.length > MAX_TOPICS) throw badInput(name, `must have at most ${MAX_TOPICS} topics`);
    for (const [index, topic] of list.entries()) {
      checkText(`${name}.${index}`, topic, { min: 1, max: MAX_NAME });
      const fault = name === 'add' ? patternFault(topic) : undefined;
      if (fault) throw badInput(`${name}.${index}`, fault);
    }
  }
  const { add, remove } = topics;
  if (add.length + remove.length === 0) throw badInput('add', 'must have a topic, unless remove has one');
  const both = add.findIndex((topic) => remove.includes(topic));
  if (both >= 0) throw badInput(`add.${both}`, 'must not be in remove as well');
}

function changesOf(add: string[], remove: string[], at: number): TopicChange[] {
  return [...new Set(remove)]
    .map((topic): TopicChange => [topic, false, at])
    .concat([...new Set(add)].map((topic): TopicChange => [topic, true, at]));
}
