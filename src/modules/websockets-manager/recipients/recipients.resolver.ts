import { Args, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { asCount, asHours, asSeconds } from '../../../common/base/amounts.js';
import { MAX_NAME } from '../../../common/base/text.js';
import { LEASE_MS } from '../bus/registry.js';
import { MAX_TOKEN_SECONDS, REMOVED_MS } from '../models/limits.js';
import { MAX_TOPICS, MAX_TOPICS_BYTES } from '../models/topics.js';
import { RegisterRecipientInput } from './recipient.inputs.js';
import {
  MAX_CONNECTIONS_SHOWN,
  OnlineRecipientsResult,
  RecipientConnection,
  RegisterRecipientResponse,
} from './recipient.model.js';
import { RecipientsService } from './recipients.service.js';
import { TopicsService } from './topics.service.js';

const nullable = 'itemsAndList' as const;

const RECIPIENTS = {
  connections:
    `Lists the open connections of a recipient on all nodes, oldest first; at most ${asCount(MAX_CONNECTIONS_SHOWN)}. ` +
    'SERVICE_UNAVAILABLE while other nodes cannot be reached.',
  onlineRecipients:
    'Lists the recipients connected to any node, in a fixed order of names. Includes a recipient from shortly before its ' +
    `connection opens until it closes or misses two heartbeats, and for up to ${asSeconds(LEASE_MS)} s after a crash of its node. ` +
    'SERVICE_UNAVAILABLE while other nodes cannot be reached.',
  topicRecipients:
    'Lists the recipients with a connection that names a topic, not a pattern, on any node, in a fixed order of names. ' +
    `Right within ${asSeconds(REMOVED_MS)} s after a crash of a node. SERVICE_UNAVAILABLE while other nodes cannot be reached.`,
  registerRecipient: `Issues a token to connect with, valid for ${asHours(1_000 * MAX_TOKEN_SECONDS)} h or expiresIn. Nothing is stored.`,
  changeTopics:
    "Changes the topics of a recipient's open connections, and of those that its tokens issued before open later. Returns the " +
    `connections, oldest first, at most ${asCount(MAX_CONNECTIONS_SHOWN)}, once every node has applied the change. FAILED_PRECONDITION if a ` +
    `connection would have more than ${MAX_TOPICS} topics or ${asCount(MAX_TOPICS_BYTES)} bytes of them; SERVICE_UNAVAILABLE while other nodes cannot be reached.`,
  disconnectRecipient:
    'Closes every open connection of a recipient with code 4403, revokes its tokens, and returns the number of closed connections.',
};

@Resolver()
@AccessByScope('websockets-manager')
export class RecipientsResolver {
  constructor(
    private readonly recipients: RecipientsService,
    private readonly topics: TopicsService,
  ) {}

  @MaxItems(MAX_CONNECTIONS_SHOWN, { counted: 100 })
  @Cheap()
  @Query(() => [RecipientConnection], { nullable: 'itemsAndList', description: RECIPIENTS.connections })
  connections(
    @CurrentCaller() caller: Caller,
    @Args('recipient', { type: () => String, description: 'Name of the recipient.' }) recipient: string,
  ): Promise<RecipientConnection[]> {
    return this.recipients.connectionsOf(caller, recipient);
  }

  @Cheap()
  @Query(() => OnlineRecipientsResult, { nullable: true, description: RECIPIENTS.onlineRecipients })
  onlineRecipients(
    @CurrentCaller() caller: Caller,
    @NextToken() nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<OnlineRecipientsResult> {
    return this.recipients.onlinePage(caller, nextToken, limit);
  }

  @Cheap()
  @Query(() => OnlineRecipientsResult, { nullable: true, description: RECIPIENTS.topicRecipients })
  topicRecipients(
    @CurrentCaller() caller: Caller,
    @Args('topic', { type: () => String, description: `Topic, 1 to ${asCount(MAX_NAME)} characters; exact.` }) topic: string,
    @NextToken('topic') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<OnlineRecipientsResult> {
    return this.recipients.onlinePage(caller, nextToken, limit, topic);
  }

  @Cheap()
  @Mutation(() => RegisterRecipientResponse, { nullable: true, description: RECIPIENTS.registerRecipient })
  registerRecipient(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => RegisterRecipientInput, description: 'Recipient with the terms of its connections.' })
    input: RegisterRecipientInput,
  ): Promise<RegisterRecipientResponse> {
    return this.recipients.register(caller, input);
  }

  @MaxItems(MAX_CONNECTIONS_SHOWN, { counted: 100 })
  @Cheap()
  @Mutation(() => [RecipientConnection], { nullable, description: RECIPIENTS.changeTopics })
  changeTopics(
    @CurrentCaller() caller: Caller,
    @Args('recipient', { type: () => String, description: 'Name of the recipient.' }) recipient: string,
    @Args('add', { type: () => [String], nullable: true, description: `Topics or patterns to add, up to ${MAX_TOPICS}.` })
    add: string[] | null,
    @Args('remove', { type: () => [String], nullable: true, description: `Topics or patterns to remove, up to ${MAX_TOPICS}.` })
    remove: string[] | null,
  ): Promise<RecipientConnection[]> {
    return this.topics.change(caller, recipient, add ?? [], remove ?? []);
  }

  @Cheap()
  @Mutation(() => Int, { nullable: true, description: RECIPIENTS.disconnectRecipient })
  disconnectRecipient(
    @CurrentCaller() caller: Caller,
    @Args('recipient', { type: () => String, description: 'Name of the recipient.' }) recipient: string,
  ): Promise<number> {
    return this.recipients.disconnect(caller, recipient);
  }
}
