// Room: Lists the messages in inboxes, and marks them as seen, read or archived.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { badInput } from '../../../common/base/app-error.js';
import { isId, lowestIdAt } from '../../../common/base/ids.js';
import { checkInput, checkText, MAX_NAME } from '../../../common/base/text.js';
import { Database } from '../../../common/database/database.js';
import { Cursors } from '../../../common/lists/cursors.js';
import { Logger } from '../../../common/logging/logger.js';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers, WRITES } from '../../../common/scheduling/batchers.js';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import { type MessageKey, toMessage } from '../messages/message-row.js';
import { InboxState, type InboxMark } from '../models/inbox.js';
import { MAX_MARKED, MESSAGES_PER_STATEMENT } from '../models/limits.js';
import { recipientKey, type RecipientKey } from '../models/recipient-key.js';
import { UnreadNoticesService } from '../recipients/unread-notices.service.js';
import { unreadCounts } from '../recipients/unread.queries.js';
import type { Connection } from '../sockets/connection.js';
import { InboxFilter } from './inbox.inputs.js';
import type { InboxResult } from './inbox.model.js';
import { markMessages, markStep, pageOfInbox } from './inbox.queries.js';

/** Order in which a batch applies its marks. Only the last of READ and UNREAD of a message is in it. */
const STATES = [InboxState.SEEN, InboxState.READ, InboxState.UNREAD, InboxState.ARCHIVED];

interface Mark extends MessageKey {
  recipient: string;
  state: InboxState;
}

/** Messages of an inbox to mark. */
interface Marked {
  ids: string[] | null;
  all: boolean | null;
}

/**
 * Lists and marks the messages in inboxes. A mark is a conditional update: of a mark and an expiry, the first to commit wins. Frames tell
 * the number of unread messages after the commit, so a lost frame loses no mark.
 */
@Injectable()
export class InboxService {
  /** Marks of connections, written together: a page of messages becomes seen at once. */
  private readonly marks: Batcher<Mark>;

  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly notices: UnreadNoticesService,
    private readonly logger: Logger,
    batchers: Batchers,
  ) {
    const limits = { ...WRITES, maxLength: MESSAGES_PER_STATEMENT, tenantOf: ({ tenantId }: Mark) => tenantId };
    this.marks = batchers.create('inbox_marks', (marks: Mark[]) => this.write(marks), limits);
  }

  async page(
    { tenantId, budget }: Caller,
    recipient: string,
    filter: InboxFilter,
    { nextToken, limit }: { nextToken: string | null; limit: number | null },
  ): Promise<InboxResult> {
    checkText('recipient', recipient, { min: 1, max: MAX_NAME });
    checkInput(InboxFilter.rules, filter, 'filter');
    const size = { limit: this.cursors.limit(limit), budget };
    const [isRead, isArchived] = [filter.read ?? undefined, filter.archived ?? false];
    const context = { tenantId, operation: 'inbox', filter: { recipient, isRead: isRead ?? null, isArchived } };
    const key = { tenantId, recipientKey: recipientKey(recipient) };
    const after = this.cursors.after(nextToken, context);
    const { rows, more } = await pageOfInbox(this.database, { ...key, isRead, isArchived, after }, size);
    const [unread] = await unreadCounts(this.database, [key]);
    const { items, ...page } = this.cursors.page(rows, more, ({ pushId }) => pushId, context);
    return { ...page, items: items.map(toMessage), unread: unread! };
  }

  /** Marks messages of a recipient. Returns the number changed. */
  async mark({ tenantId }: Caller, recipient: string, { ids, all }: Marked, state: InboxState): Promise<number> {
    checkText('recipient', recipient, { min: 1, max: MAX_NAME });
    if (Boolean(all) === (ids !== null)) throw badInput('ids', 'must be sent unless all is true, and not with it');
    if (ids && (ids.length < 1 || ids.length > MAX_MARKED)) throw badInput('ids', `must have 1 to ${MAX_MARKED} ids`);
    const key = { tenantId, recipientKey: recipientKey(recipient) };
    const changed = ids ? await this.markIds(key, ids, state) : await this.markAll(key, state);
    if (changed > 0) await this.notices.tell(tenantId, [recipient]);
    return changed;
  }

  /** Tells a new connection the number of unread messages. */
  opened({ presence }: Connection): void {
    this.notices.tellHere(presence.tenantId, [presence.recipient]);
  }

  /** Marks a message by the frame of its recipient, which receives the number of unread messages as the answer. */
  marked({ presence }: Connection, { id, state }: InboxMark): void {
    const { tenantId, recipient } = presence;
    if (!isId(id)) return;
    this.marks.add({ tenantId, recipient, pushId: id, recipientKey: recipientKey(recipient), state }).catch(this.failed);
  }

  /** Writes all marks of connections. */
  close(): Promise<void> {
    return this.marks.close();
  }

  private async markIds(key: RecipientKey, ids: string[], state: InboxState): Promise<number> {
    const keys = [...new Set(ids)].filter(isId).map((pushId) => ({ ...key, pushId }));
    return keys.length === 0 ? 0 : (await markMessages(this.database, state, keys)).length;
  }

  /** Marks all messages pushed so far, newest first, in steps between which other work runs. */
  private async markAll(key: RecipientKey, state: InboxState): Promise<number> {
    let changed = 0;
    for (let below: string | undefined = lowestIdAt(Date.now() + 1); below !== undefined; await eventLoop.yield()) {
      const step = await markStep(this.database, state, { ...key, below });
      changed += step.changed;
      below = step.below;
    }
    return changed;
  }

  private async write(marks: Mark[]): Promise<void> {
    const last = new Map(marks.map((mark) => [groupOf(mark), mark]));
    const changed = new Set<string>();
    for (const state of STATES) {
      const keys = [...last.values()].filter((mark) => mark.state === state);
      if (keys.length === 0) continue;
      for (const one of await markMessages(this.database, state, keys)) changed.add(inboxOf(one));
    }
    for (const [inbox, { tenantId, recipient }] of new Map(marks.map((mark) => [inboxOf(mark), mark]))) {
      if (changed.has(inbox)) this.notices.tell(tenantId, [recipient]).catch(this.failed);
      else this.notices.tellHere(tenantId, [recipient]);
    }
  }

  private readonly failed = (error: unknown): void =>
    this.logger.warn({ err: error }, 'a mark of a connection could not be handled');
}

const inboxOf = ({ tenantId, recipientKey: recipient }: RecipientKey): string => tenantId + recipient;

/** Returns a key that marks have in common if the last of them decides. */
function groupOf({ state, tenantId, pushId, recipientKey: recipient }: Mark): string {
  const isRead = state === InboxState.READ || state === InboxState.UNREAD;
  return JSON.stringify([isRead ? 'read' : state, tenantId, pushId, recipient]);
}
