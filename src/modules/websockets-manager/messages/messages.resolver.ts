import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-arguments.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import { CancellationService } from './cancellation.service.js';
import { GlobalPushService } from './global-push.service.js';
import { GlobalMessageInput, GlobalMessagesFilter, MessageInput, MessagesFilter } from './message.inputs.js';
import { PushMessagesService } from './push-messages.service.js';
import { GlobalMessage, GlobalMessagesQueryResult, Message, MessagesQueryResult, PushMessageResult } from './message.model.js';
import { PushService } from './push.service.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { MESSAGES } from './messages.descriptions.js';

const nullable = true;

@Resolver()
@AccessByScope('websockets-manager')
export class MessagesResolver {
  constructor(
    private readonly messageLists: PushMessagesService,
    private readonly pushes: PushService,
    private readonly globalPushes: GlobalPushService,
    private readonly cancellations: CancellationService,
  ) {}

  @Query(() => MessagesQueryResult, { nullable, description: MESSAGES.messages })
  messages(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => MessagesFilter, nullable, description: 'Filter of the messages; all messages by default.' })
    filter: MessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<MessagesQueryResult> {
    return this.messageLists.page(caller, filter ?? {}, { nextToken, limit });
  }

  @Query(() => GlobalMessagesQueryResult, { nullable, description: MESSAGES.globalMessages })
  globalMessages(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => GlobalMessagesFilter,
      nullable,
      description: 'Filter of the messages; all messages by default.',
    })
    filter: GlobalMessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<GlobalMessagesQueryResult> {
    return this.messageLists.globalPage(caller, filter ?? {}, { nextToken, limit });
  }

  @Cheap()
  @Mutation(() => PushMessageResult, { nullable, description: MESSAGES.pushMessage })
  pushMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => MessageInput, description: 'Message with its recipients.' }) input: MessageInput,
  ): Promise<PushMessageResult> {
    return this.pushes.push(caller, input);
  }

  @Cheap()
  @Mutation(() => GlobalMessage, { nullable, description: MESSAGES.pushGlobalMessage })
  pushGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => GlobalMessageInput, description: 'Message to push.' }) input: GlobalMessageInput,
  ): Promise<GlobalMessage> {
    return this.globalPushes.push(caller, input);
  }

  @Cheap()
  @Mutation(() => Message, { nullable, description: MESSAGES.cancelMessage })
  cancelMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the message to cancel.' }) id: string,
  ): Promise<Message> {
    return this.cancellations.cancel(caller, id);
  }

  @Cheap()
  @Mutation(() => GlobalMessage, { nullable, description: MESSAGES.cancelGlobalMessage })
  cancelGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the global message to cancel.' }) id: string,
  ): Promise<GlobalMessage> {
    return this.cancellations.cancelGlobal(caller, id);
  }
}
