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
      'Accepts a message. An accepted message is stored with its content, and will be sent. RATE_LIMITED, naming when to try ' +
      'again, once the tenant has sent its mails of the day.',
  })
  sendMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => SendMessageInput, description: 'The message to send.' }) input: SendMessageInput,
  ): Promise<SendMessageResult> {
    return this.acceptance.accept(caller, input);
  }

  @Rendering()
  @MaxItems(MAX_MESSAGES, { counted: 1 })
  @Mutation(() => [SendMessagesItem], {
    nullable: 'itemsAndList',
    description:
      'Accepts many messages by one commit. Each is accepted or refused by itself, with the errors of sendMessage, whose field is in ' +
      'input.messages or input.defaults. Returns one item for each message, in order. Once the tenant has sent its mails of the ' +
      'day, the others are RATE_LIMITED.',
  })
  sendMessages(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => SendMessagesInput, description: 'The messages to send.' }) input: SendMessagesInput,
  ): Promise<SendMessagesItem[]> {
    return this.acceptance.acceptMany(caller, input);
  }

  @Cheap()
  @Mutation(() => EmailMessage, {
    nullable,
    description:
      'Ends a QUEUED message, and returns it: recipients that are QUEUED become FAILED, with the lastError "cancelled by the ' +
      'application", and so does the message unless somebody got it. Returns a FAILED or cancelled message unchanged. ' +
      'FAILED_PRECONDITION for a SENT message, and while the message is being sent; NOT_FOUND for an unknown id.',
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
      'Gives a message another sendAt, and returns it; also one that was sent without, as long as it waits for its first attempt. ' +
      'FAILED_PRECONDITION once an attempt has begun, and for a message that was cancelled; NOT_FOUND for an unknown id.',
  })
  rescheduleMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the message to reschedule.' }) id: string,
    @Args('sendAt', {
      type: () => DateTime,
      description: `When to send it: a time in the future, at most ${asDays(MAX_AHEAD_MS)} days ahead.`,
    })
    sendAt: Date,
  ): Promise<EmailMessage> {
    return this.waiting.reschedule(caller, id, sendAt);
  }

  @Cheap()
  @Mutation(() => EmailMessage, {
    nullable,
    description:
      'Tries a QUEUED message now, whatever its sendAt or nextAttemptAt, and returns it. A sendAt that is still to come becomes now. ' +
      'A message that is being sent is returned unchanged. FAILED_PRECONDITION for a SENT or FAILED message; NOT_FOUND for an unknown id.',
  })
  sendMessageNow(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the message to try.' }) id: string,
  ): Promise<EmailMessage> {
    return this.waiting.sendNow(caller, id);
  }

  @Query(() => EmailMessagesResult, {
    name: 'messages',
    nullable,
    description:
      'Messages, newest first unless order says otherwise. One that was sent or failed is kept for the period of the tenant, ' +
      `${asDays(KEEP_FINISHED_MS)} days unless its operator sets another. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => EmailMessagesFilter,
      nullable,
      description: 'Returns only matching messages; all if left out.',
    })
    filter: EmailMessagesFilter | null,
    @NextToken('filter and order') nextToken: string | null,
    @Limit() limit: number | null,
    @Args('order', { type: () => EmailMessagesOrder, nullable, description: 'NEWEST unless given.' })
    order: EmailMessagesOrder | null,
  ): Promise<EmailMessagesResult> {
    return this.messages.page(caller, { filter, order }, nextToken, limit);
  }

  @Rendering()
  @Query(() => String, {
    nullable,
    description:
      'The source of a message as mail servers get it (RFC 5322, the content of an .eml file), composed again of what is stored. Bcc is not ' +
      'in it, nor are signatures, the header List-Unsubscribe and the bytes of attachments: the header X-Content-Left-Out of each says ' +
      'what they were. Null for an unknown id, and where the content was not kept. PAYLOAD_TOO_LARGE for a message with more than ' +
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
      'The content as accepted, kept as long as the message is listed. Null once a recipient of the message was erased. ' +
      `PAYLOAD_TOO_LARGE where the contents of one operation exceed ${asBytes(MAX_ANSWER_BYTES)}; a lower limit helps then.`,
  })
  contentOf(@Parent() message: EmailMessage): Promise<EmailContent | null> {
    return message.loadContent();
  }
}
