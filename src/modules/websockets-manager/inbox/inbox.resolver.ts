import { Args, ID, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { asCount } from '../../../common/base/amounts.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { PAGE_END } from '../../../common/lists/page.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { InboxState } from '../models/inbox.js';
import { MAX_MARKED } from '../models/limits.js';
import { InboxFilter } from './inbox.inputs.js';
import { InboxResult } from './inbox.model.js';
import { InboxService } from './inbox.service.js';

const INBOX = {
  inbox: `Lists the messages in the inbox of a recipient, newest first. ${PAGE_END}`,
  markMessages:
    'Marks messages in the inbox of a recipient and returns the number changed. Messages that are not in it, such as expired, ' +
    'cancelled or archived ones, and those already in the state stay unchanged. Idempotent. Tells its connections the number of unread messages.',
};
const RECIPIENT = 'Name of the recipient.';
const nullable = true;

@Resolver()
@AccessByScope('websockets-manager')
export class InboxResolver {
  constructor(private readonly inboxes: InboxService) {}

  @Query(() => InboxResult, { nullable, description: INBOX.inbox })
  inbox(
    @CurrentCaller() caller: Caller,
    @Args('recipient', { type: () => String, description: RECIPIENT }) recipient: string,
    @Args('filter', { type: () => InboxFilter, nullable, description: 'Filter of the messages; all in the inbox by default.' })
    filter: InboxFilter | null,
    @NextToken('recipient and filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<InboxResult> {
    return this.inboxes.page(caller, recipient, filter ?? {}, { nextToken, limit });
  }

  @Cheap()
  @Mutation(() => Int, { nullable, description: INBOX.markMessages })
  markMessages(
    @CurrentCaller() caller: Caller,
    @Args('recipient', { type: () => String, description: RECIPIENT }) recipient: string,
    @Args('ids', { type: () => [ID], nullable, description: `Ids of the messages, 1 to ${asCount(MAX_MARKED)}; null with all.` })
    ids: string[] | null,
    @Args('all', { type: () => Boolean, nullable, description: 'true marks all messages in the inbox, in place of ids.' })
    all: boolean | null,
    @Args('state', { type: () => InboxState, description: 'State to set.' }) state: InboxState,
  ): Promise<number> {
    return this.inboxes.mark(caller, recipient, { ids: ids ?? null, all: all ?? null }, state);
  }
}
