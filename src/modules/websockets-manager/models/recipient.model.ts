import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { PageItems } from '../../../common/bounds/list-size.js';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../../common/graphql/page.js';
import { WebsocketsManagerSchema } from './schema.js';

const registerIn = WebsocketsManagerSchema;

/** What connections returns of one recipient. */
export const MAX_CONNECTIONS_SHOWN = 10_000;

@ObjectType('Token', { registerIn, description: 'What a recipient connects with. A secret: whoever holds it can connect.' })
export class Token {
  @Field(() => String, { nullable: true, description: 'The token itself.' })
  value: string;

  @Field(() => String, { nullable: true, description: 'The recipient that it is for.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'The topic of connections that it opens; null without one.' })
  topic: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'No connection can be opened with it from then on; open ones stay, unless closeOnExpiry was set.',
  })
  expiresAt: Date;
}

@ObjectType('RegisterRecipientResponse', { registerIn, description: 'What a recipient connects with.' })
export class RegisterRecipientResponse {
  @Field(() => Token, { nullable: true, description: 'The token that connectionUri contains.' })
  token: Token;

  @Field(() => String, { nullable: true, description: 'What the recipient opens its WebSocket with; holds the token.' })
  connectionUri: string;
}

@ObjectType('Connection', { registerIn, description: 'An open connection, on any node.' })
export class RecipientConnection {
  @Field(() => ID, { nullable: true, description: 'Names the connection while it is open.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'The recipient that it was registered for.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'The topic that it was registered with; null without one.' })
  topic: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was opened.' })
  connectedAt: Date;

  @Field(() => String, { nullable: true, description: 'The address that it came from.' })
  sourceIp: string;
}

@ObjectType('OnlineRecipient', { registerIn, description: 'A recipient that has an open connection.' })
export class OnlineRecipient {
  @Field(() => String, { nullable: true, description: 'As it was registered.' })
  recipient: string;

  @Field(() => Int, { nullable: true, description: 'How many connections it has, on all nodes together; at least 1.' })
  connections: number;

  @Field(() => DateTime, { nullable: true, description: 'When the oldest of its connections was opened.' })
  connectedAt: Date;
}

@ObjectType('OnlineRecipientsResult', { registerIn, description: 'A page of the recipients that are connected now.' })
export class OnlineRecipientsResult {
  @PageItems(MAX_LIMIT, DEFAULT_LIMIT)
  @Field(() => [OnlineRecipient], {
    nullable: 'itemsAndList',
    description: 'In the order of their names; who left while the page was made is left out.',
  })
  items: OnlineRecipient[];

  @Field(() => Int, {
    nullable: true,
    description: 'How many recipients are connected now, on all nodes and all pages together; each counts once.',
  })
  count: number;

  @Field(() => String, { nullable: true, description: 'Give it back for the next page; null at the end.' })
  nextToken: string | null;
}
