import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { lowestIdAt } from '../../../common/base/ids.js';
import { checkInput } from '../../../common/base/text.js';
import { FallbacksService } from '../fallbacks/fallbacks.service.js';
import { GlobalMessagesFilter, MessagesFilter } from './message.inputs.js';
import { toGlobalMessage, toMessage } from './message-row.js';
import { pageOfGlobalMessages, pageOfMessages } from './messages.queries.js';
import type { GlobalMessage, Message } from './message.model.js';
import { recipientKey } from '../models/recipient-key.js';

interface PageArguments {
  nextToken: string | null;
  limit: number | null;
}

/** Lists pushed messages, newest first. */
@Injectable()
export class PushMessagesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly fallbacks: FallbacksService,
  ) {}

  async page({ tenantId, budget }: Caller, filter: MessagesFilter, { nextToken, limit }: PageArguments): Promise<Page<Message>> {
    checkInput(MessagesFilter.rules, filter, 'filter');
    const size = { limit: this.cursors.limit(limit), budget };
    const context = { tenantId, operation: 'messages', filter: plain(filter) };
    const wanted = {
      ...wantedOf(tenantId, filter, this.cursors.after(nextToken, context)),
      recipientKey: typeof filter.recipient === 'string' ? recipientKey(filter.recipient) : undefined,
      globalMessageId: filter.globalMessageId ?? undefined,
      status: filter.status ?? undefined,
    };
    const { rows, more } = await pageOfMessages(this.database, wanted, size);
    const { items, ...page } = this.cursors.page(rows, more, ({ pushId, recipientKey: key }) => pushId + key, context);
    const fallbackOf = this.fallbacks.loaderOf(tenantId, items);
    return { ...page, items: items.map((row) => Object.assign(toMessage(row), { fallbackOf })) };
  }

  async globalPage(
    { tenantId, budget }: Caller,
    filter: GlobalMessagesFilter,
    { nextToken, limit }: PageArguments,
  ): Promise<Page<GlobalMessage>> {
    checkInput(GlobalMessagesFilter.rules, filter, 'filter');
    const size = { limit: this.cursors.limit(limit), budget };
    const context = { tenantId, operation: 'globalMessages', filter: plain(filter) };
    const wanted = wantedOf(tenantId, filter, this.cursors.after(nextToken, context));
    const { rows, more } = await pageOfGlobalMessages(this.database, wanted, size);
    const { items, ...page } = this.cursors.page(rows, more, ({ id }) => id, context);
    return { ...page, items: items.map(toGlobalMessage) };
  }
}

/** Converts creation times to bounds of ids, which start with a time. */
function wantedOf(tenantId: string, { createdAt, expiresAt, topic }: GlobalMessagesFilter, after: string | undefined) {
  const to = createdAt?.to ? lowestIdAt(createdAt.to.getTime() + 1) : undefined;
  return {
    tenantId,
    from: createdAt?.from ? lowestIdAt(createdAt.from.getTime()) : undefined,
    below: to,
    expiresFrom: expiresAt?.from ?? undefined,
    expiresTo: expiresAt?.to ?? undefined,
    topic: topic ?? undefined,
    after,
  };
}

/** Returns the filter in the plain form that cursors are bound to. */
const plain = (filter: MessagesFilter): unknown => JSON.parse(JSON.stringify(filter));
