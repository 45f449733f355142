import { Args, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../common/graphql/page-arguments.js';
import { AccessByScope } from '../../common/auth/access.guard.js';
import { MaxItems } from '../../common/bounds/list-size.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/auth/caller.decorator.js';
import { RegisterRecipientInput } from './inputs/push.inputs.js';
import {
  MAX_CONNECTIONS_SHOWN,
  OnlineRecipientsResult,
  RecipientConnection,
  RegisterRecipientResponse,
} from './models/recipient.model.js';
import { RecipientsService } from './recipients.service.js';

@Resolver()
@AccessByScope('websockets-manager')
export class RecipientsResolver {
  constructor(private readonly recipients: RecipientsService) {}

  @MaxItems(MAX_CONNECTIONS_SHOWN, { counted: 100 })
  @Query(() => [RecipientConnection], {
    nullable: 'itemsAndList',
    description:
      'The open connections of a recipient on every node, oldest first, the first 10,000 of them. SERVICE_UNAVAILABLE while nodes cannot be asked.',
  })
  connections(
    @CurrentCaller() caller: Caller,
    @Args('recipient', { type: () => String, description: 'The recipient, as it was registered.' }) recipient: string,
  ): Promise<RecipientConnection[]> {
    return this.recipients.connectionsOf(caller, recipient);
  }

  @Query(() => OnlineRecipientsResult, {
    nullable: true,
    description:
      'Who is connected now, to any node, in a fixed order of their names. A recipient is ' +
      'listed from before its connection opens until it is closed, or found broken after two heartbeats; those of a node that ' +
      'crashed for 15 s more. SERVICE_UNAVAILABLE while nodes cannot be asked.',
  })
  onlineRecipients(
    @CurrentCaller() caller: Caller,
    @NextToken() nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<OnlineRecipientsResult> {
    return this.recipients.onlinePage(caller, nextToken, limit);
  }

  @Mutation(() => RegisterRecipientResponse, {
    nullable: true,
    description: 'Makes a new token, good for connecting for 24 h, or as long as expiresIn says. Nothing is stored.',
  })
  registerRecipient(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The recipient, and how it may connect.' }) input: RegisterRecipientInput,
  ): Promise<RegisterRecipientResponse> {
    return this.recipients.register(caller, input);
  }

  @Mutation(() => Int, {
    nullable: true,
    description:
      'Closes every open connection of a recipient with code 4403 and answers with how many. Its tokens issued before now no ' +
      'longer connect.',
  })
  disconnectRecipient(
    @CurrentCaller() caller: Caller,
    @Args('recipient', { type: () => String, description: 'The recipient, as it was registered.' }) recipient: string,
  ): Promise<number> {
    return this.recipients.disconnect(caller, recipient);
  }
}
