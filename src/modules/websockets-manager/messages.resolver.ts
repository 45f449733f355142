import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../common/graphql/page-arguments.js';
import { AccessByScope } from '../../common/auth/access.guard.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/auth/caller.decorator.js';
import { PAGE_END } from '../../common/graphql/page.js';
import { CancellationService } from './cancellation.service.js';
import { GlobalPushService } from './global-push.service.js';
import { GlobalMessagesFilter, MessagesFilter } from './inputs/messages-filter.input.js';
import { GlobalMessageInput, MessageInput } from './inputs/push.inputs.js';
import { MessagesService } from './messages.service.js';
import {
  GlobalMessage,
  GlobalMessagesQueryResult,
  Message,
  MessagesQueryResult,
  PushMessageResult,
} from './models/message.model.js';
import { PushService } from './push.service.js';

const nullable = true;

@Resolver()
@AccessByScope('websockets-manager')
export class MessagesResolver {
  constructor(
    private readonly lists: MessagesService,
    private readonly pushes: PushService,
    private readonly globalPushes: GlobalPushService,
    private readonly cancellations: CancellationService,
  ) {}

  @Query(() => MessagesQueryResult, {
    nullable,
    description:
      'Messages to recipients, newest first; those of global messages too, which globalMessageId tells apart. limit is 1 to ' +
      `1,000, 100 unless given. ${PAGE_END}`,
  })
  messages(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => MessagesFilter, nullable, description: 'Returns only what matches; left out, everything.' })
    filter: MessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<MessagesQueryResult> {
    return this.lists.page(caller, filter ?? {}, { nextToken, limit });
  }

  @Query(() => GlobalMessagesQueryResult, {
    nullable,
    description: `Global messages, newest first. limit is 1 to 1,000, 100 unless given. ${PAGE_END}`,
  })
  globalMessages(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => GlobalMessagesFilter,
      nullable,
      description: 'Returns only what matches; left out, everything.',
    })
    filter: GlobalMessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<GlobalMessagesQueryResult> {
    return this.lists.globalPage(caller, filter ?? {}, { nextToken, limit });
  }

  @Mutation(() => PushMessageResult, {
    nullable,
    description:
      'Sends a message to every connection of 1 to 1,000 recipients. It is stored before it is answered; with expiresAt it ' +
      'waits for recipients that are not connected. CONFLICT when the idempotencyKey came before with other content; ' +
      'RATE_LIMITED when more messages would wait than may wait for the tenant.',
  })
  pushMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The message, and who gets it.' }) input: MessageInput,
  ): Promise<PushMessageResult> {
    return this.pushes.push(caller, input);
  }

  @Mutation(() => GlobalMessage, {
    nullable,
    description:
      'Sends a message to all who are connected and, with expiresAt, to who connects before then. CONFLICT when the ' +
      'idempotencyKey came before with other content; RATE_LIMITED when more messages would wait than may wait for the tenant.',
  })
  pushGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The message.' }) input: GlobalMessageInput,
  ): Promise<GlobalMessage> {
    return this.globalPushes.push(caller, input);
  }

  @Mutation(() => Message, {
    nullable,
    description:
      'Cancels a message that is PENDING and returns it. It is not sent to anybody who connects later; a frame that is on its ' +
      'way may still arrive. Returns a CANCELLED message as it is. FAILED_PRECONDITION for a DELIVERED one, NOT_FOUND for an ' +
      'unknown id.',
  })
  cancelMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the message to cancel.' }) id: string,
  ): Promise<Message> {
    return this.cancellations.cancel(caller, id);
  }

  @Mutation(() => GlobalMessage, {
    nullable,
    description:
      'Cancels a global message and returns it: nobody who connects later is sent it, and its messages that are PENDING become ' +
      'CANCELLED. Returns a cancelled one as it is. FAILED_PRECONDITION 90 s after expiresAt, or after createdAt where it does ' +
      'not expire; NOT_FOUND for an unknown id.',
  })
  cancelGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the global message to cancel.' }) id: string,
  ): Promise<GlobalMessage> {
    return this.cancellations.cancelGlobal(caller, id);
  }
}
