import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/pages/page-arguments.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import { PAGE_END } from '../../../common/pages/page.js';
import { EmailMessagesFilter, SendMessageInput } from '../inputs/email.inputs.js';
import { MessageAcceptanceService } from './message-acceptance.service.js';
import { EmailMessagesService } from './email-messages.service.js';
import { EmailMessagesResult, SendMessageResult } from '../models/email.model.js';

const nullable = true;

@Resolver()
@AccessByScope('email')
export class EmailMessagesResolver {
  constructor(
    private readonly acceptance: MessageAcceptanceService,
    private readonly messages: EmailMessagesService,
  ) {}

  @Mutation(() => SendMessageResult, {
    nullable,
    description:
      'Accepts a message. An accepted message is stored with its content, and will be sent. RATE_LIMITED, naming when to try ' +
      'again, once the tenant has sent its mails of the day.',
  })
  sendMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => SendMessageInput, description: 'The message to send.' }) input: SendMessageInput,
  ): Promise<SendMessageResult> {
    return this.acceptance.accept(caller, input);
  }

  @Query(() => EmailMessagesResult, {
    name: 'messages',
    nullable,
    description: `Messages, newest first, until 30 days after they were sent or failed. limit is 1 to 1,000, 100 by default. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => EmailMessagesFilter,
      nullable,
      description: 'Returns only matching messages; all if left out.',
    })
    filter: EmailMessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<EmailMessagesResult> {
    return this.messages.page(caller, filter, nextToken, limit);
  }
}
