import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../common/graphql/page-arguments.js';
import { AccessByScope } from '../../common/auth/access.guard.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/auth/caller.decorator.js';
import { PAGE_END } from '../../common/graphql/page.js';
import { Config } from '../../common/config/config.js';
import { EmailMessagesFilter, SendMessageInput } from './inputs/email.inputs.js';
import { MessageAcceptanceService } from './message-acceptance.service.js';
import { MessagesService } from './messages.service.js';
import { EmailMessagesResult, SendMessageResult } from './models/email.model.js';

const nullable = true;

@Resolver()
@AccessByScope('email')
export class EmailResolver {
  constructor(
    private readonly acceptance: MessageAcceptanceService,
    private readonly messages: MessagesService,
    private readonly config: Config,
  ) {}

  @Query(() => String, {
    nullable,
    description: 'The version of the API, as semantic version. Any query entry of the service allows it.',
  })
  version(): string {
    return this.config.version;
  }

  @Mutation(() => SendMessageResult, {
    nullable,
    description:
      'Accepts a message. What was answered is stored with its content, and is sent whatever happens after. RATE_LIMITED, ' +
      'with when to try again, over the mails that the tenant may send a day.',
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
    description: `Messages, newest first, until 30 days after they were sent or failed. limit is 1 to 1,000, 100 unless given. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => EmailMessagesFilter,
      nullable,
      description: 'Returns only what matches; left out, everything.',
    })
    filter: EmailMessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<EmailMessagesResult> {
    return this.messages.page(caller, filter, nextToken, limit);
  }
}
