// Room: Lists, counts, reschedules, cancels and deletes messages.
import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { SendMessageInput, SendMessagesInput } from '../acceptance/message.inputs.js';
import { EmailMessagesFilter } from './messages-filter.input.js';
import { MessageAcceptanceService } from '../acceptance/message-acceptance.service.js';
import { EmailMessagesService } from './email-messages.service.js';
import { MessageSourceService } from './message-source.service.js';
import { WaitingMessagesService } from './waiting-messages.service.js';
import { EmailContent } from '../models/content.model.js';
import {
  EmailMessage,
  EmailMessagesOrder,
  EmailMessagesResult,
  SendMessageResult,
  SendMessagesItem,
} from '../models/email.model.js';
import { Cheap, Rendering } from '../../../common/scheduling/work-class.js';
import { asBytes, asCount, asDays } from '../../../common/base/amounts.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { KEEP_FINISHED_MS, MAX_AHEAD_MS, MAX_MESSAGES, MAX_SOURCE_BYTES } from '../models/limits.js';
import { MAX_ANSWER_BYTES } from '../../../common/scheduling/operation-budget.js';

const nullable = true;

@Resolver(() => EmailMessage)
@AccessByScope('email')
export class EmailMessagesResolver {
  constructor(
    private readonly acceptance: MessageAcceptanceService,
    private readonly messages: EmailMessagesService,
    private readonly waiting: WaitingMessagesService,
    private readonly sources: MessageSourceService,
  ) {}

  @Rendering()
  @Mutation(() => SendMessageResult, {
    nullable,
    description:
      'Accepts a message: stores it with its content, to be sent. RATE_LIMITED, with the time to retry, ' +
      'once the tenant has reached its daily limit.',
  })
  sendMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => SendMessageInput, description: 'Message to send.' }) input: SendMessageInput,
  ): Promise<SendMessageResult> {
    return this.acceptance.accept(caller, input);
  }

  @Rendering()
  @MaxItems(MAX_MESSAGES, { counted: 1 })
  @Mutation(() => [SendMessagesItem], {
    nullable: 'itemsAndList',
    description:
      'Accepts many messages in one commit. Each is accepted or rejected separately, with the errors of sendMessage and a field in ' +
      'input.messages or input.defaults. Returns one item per message, in order. Messages beyond the daily limit of the tenant are ' +
      'RATE_LIMITED.',
  })
  sendMessages(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => SendMessagesInput, description: 'Messages to send.' }) input: SendMessagesInput,
  ): Promise<SendMessagesItem[]> {
    return this.acceptance.acceptMany(caller, input);
  }

  @Cheap()
  @Mutation(() => EmailMessage, {
    nullable,
    description:
      'Cancels a QUEUED message, and returns it. Its QUEUED recipients become FAILED with the lastError "cancelled by the ' +
      'application", and the message too, unless a recipient has already received it. Returns a FAILED message unchanged. ' +
      'FAILED_PRECONDITION for a SENT message, and while it is being sent; NOT_FOUND for an unknown id.',
  })
  cancelMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the message to cancel.' }) id: string,
  ): Promise<EmailMessage> {
    return this.waiting.cancel(caller, id);
  }

  @Cheap()
  @Mutation(() => EmailMessage, {
    nullable,
    description:
      'Changes the sendAt of a message before its first attempt, and returns it; also for a message without sendAt. ' +
      'FAILED_PRECONDITION once an attempt has begun, and for a cancelled message; NOT_FOUND for an unknown id.',
  })
  rescheduleMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the message to reschedule.' }) id: string,
    @Args('sendAt', {
      type: () => DateTime,
      description: `Time to send it, in the future, at most ${asDays(MAX_AHEAD_MS)} days ahead.`,
    })
    sendAt: Date,
  ): Promise<EmailMessage> {
    return this.waiting.reschedule(caller, id, sendAt);
  }

  @Cheap()
  @Mutation(() => EmailMessage, {
    nullable,
    description:
      'Attempts a QUEUED message now, regardless of sendAt or nextAttemptAt, and returns it. Sets a future sendAt to now. ' +
      'Returns a message being sent unchanged. FAILED_PRECONDITION for a SENT or FAILED message; NOT_FOUND for an unknown id.',
  })
  sendMessageNow(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the message to send.' }) id: string,
  ): Promise<EmailMessage> {
    return this.waiting.sendNow(caller, id);
  }

  @Query(() => EmailMessagesResult, {
    name: 'messages',
    nullable,
    description:
      'Lists messages, newest first by default. SENT and FAILED messages are stored for the retention period of the tenant, ' +
      `${asDays(KEEP_FINISHED_MS)} days by default. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => EmailMessagesFilter,
      nullable,
      description: 'Filter of the messages; all messages by default.',
    })
    filter: EmailMessagesFilter | null,
    @NextToken('filter and order') nextToken: string | null,
    @Limit() limit: number | null,
    @Args('order', { type: () => EmailMessagesOrder, nullable, description: 'Sort order; NEWEST by default.' })
    order: EmailMessagesOrder | null,
  ): Promise<EmailMessagesResult> {
    return this.messages.page(caller, { filter, order }, nextToken, limit);
  }

  @Rendering()
  @Query(() => String, {
    nullable,
    description:
      'Returns the source of a message (RFC 5322, the content of an .eml file), recomposed from the stored content. Omits Bcc, ' +
      'signatures, the header List-Unsubscribe and the bytes of attachments, which the header X-Content-Left-Out of each part ' +
      'describes. Null for an unknown id, and if the content is not stored. PAYLOAD_TOO_LARGE for a message with more than ' +
      `${asBytes(MAX_SOURCE_BYTES)} of content.`,
  })
  messageSource(
    @CurrentCaller() caller: Caller,
    @Args('ID', { type: () => ID, description: 'Id of the message.' }) id: string,
  ): Promise<string | null> {
    return this.sources.sourceOf(caller, id);
  }

  @ResolveField('content', () => EmailContent, {
    nullable,
    description:
      'Content as accepted, stored as long as the message. Null once a recipient of the message was erased. ' +
      `PAYLOAD_TOO_LARGE if the contents of one operation exceed ${asBytes(MAX_ANSWER_BYTES)}: pass a lower limit.`,
  })
  contentOf(@Parent() message: EmailMessage): Promise<EmailContent | null> {
    return message.loadContent();
  }
}
