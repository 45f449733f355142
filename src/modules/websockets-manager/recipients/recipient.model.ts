import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { MAX_TOPICS } from '../models/topics.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = WebsocketsManagerSchema;

/** Maximum connections of a recipient returned by `connections`. */
export const MAX_CONNECTIONS_SHOWN = 10_000;

@ObjectType('Token', { registerIn, description: 'Token to connect with. Keep it secret: its holder can connect.' })
export class Token {
  @Field(() => String, { nullable: true, description: 'Text of the token.' })
  value: string;

  @Field(() => String, { nullable: true, description: 'Recipient of the token.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'Topic of its connections; null without one.' })
  topic: string | null;

  @MaxItems(MAX_TOPICS, { counted: 5 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'All topics and patterns of its connections, until changeTopics.',
  })
  topics: string[];

  @Field(() => DateTime, {
    nullable: true,
    description: 'Expiry for new connections. Open ones stay, unless closeOnExpiry was set.',
  })
  expiresAt: Date;
}

@ObjectType('RegisterRecipientResponse', {
  registerIn,
  description: 'Token of a registered recipient, with the URL to connect to.',
})
export class RegisterRecipientResponse {
  @Field(() => Token, { nullable: true, description: 'Token contained in connectionUri.' })
  token: Token;

  @Field(() => String, { nullable: true, description: 'WebSocket URL, including the token.' })
  connectionUri: string;

  @Field(() => String, {
    nullable: true,
    description:
      'URL of server-sent events, for networks that block WebSockets, including the token. Messages are DELIVERED once acknowledged.',
  })
  eventsUri: string;
}

@ObjectType('Connection', { registerIn, description: 'Open connection on any node.' })
export class RecipientConnection {
  @Field(() => ID, { nullable: true, description: 'Id of the connection while it is open.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Recipient of the connection.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'Topic of its token; null without one, or after changeTopics removed it.' })
  topic: string | null;

  @MaxItems(MAX_TOPICS, { counted: 5 })
  @Field(() => [String], { nullable: 'itemsAndList', description: 'All topics and patterns that it receives.' })
  topics: string[];

  @Field(() => DateTime, { nullable: true, description: 'Time of opening.' })
  connectedAt: Date;

  @Field(() => String, { nullable: true, description: 'IP address of the client.' })
  sourceIp: string;
}

@ObjectType('OnlineRecipient', { registerIn, description: 'Recipient with an open connection.' })
class OnlineRecipient {
  @Field(() => String, { nullable: true, description: 'Name of the recipient, as registered.' })
  recipient: string;

  @Field(() => Int, { nullable: true, description: 'Number of its connections over all nodes; at least 1.' })
  connections: number;

  @Field(() => DateTime, { nullable: true, description: 'Opening time of its oldest connection.' })
  connectedAt: Date;
}

@ObjectType('OnlineRecipientsResult', { registerIn, description: 'Page of connected recipients.' })
export class OnlineRecipientsResult extends pageOf(OnlineRecipient, {
  items: 'Recipients in a fixed order of names, without those that have just disconnected.',
  nextToken: 'Cursor of the next page, or null on the last.',
}) {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of connected recipients over all nodes and pages; each counts once.',
  })
  count: number;
}
