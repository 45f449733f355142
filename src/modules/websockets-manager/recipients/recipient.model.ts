import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = WebsocketsManagerSchema;

/** How many connections the query `connections` returns for one recipient. */
export const MAX_CONNECTIONS_SHOWN = 10_000;

@ObjectType('Token', { registerIn, description: 'A token to connect with. Keep it secret: whoever holds it can connect.' })
export class Token {
  @Field(() => String, { nullable: true, description: 'The token itself.' })
  value: string;

  @Field(() => String, { nullable: true, description: 'The recipient it was issued for.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'The topic of the connections opened with it; null without one.' })
  topic: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it stops opening connections; open ones stay, unless closeOnExpiry was set.',
  })
  expiresAt: Date;
}

@ObjectType('RegisterRecipientResponse', {
  registerIn,
  description: 'The token of a registered recipient, and the address to connect to.',
})
export class RegisterRecipientResponse {
  @Field(() => Token, { nullable: true, description: 'The token that connectionUri contains.' })
  token: Token;

  @Field(() => String, { nullable: true, description: 'The address to open the WebSocket with; contains the token.' })
  connectionUri: string;
}

@ObjectType('Connection', { registerIn, description: 'An open connection, on any node.' })
export class RecipientConnection {
  @Field(() => ID, { nullable: true, description: 'Identifies the connection while it is open.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'The recipient it was opened for.' })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'The topic of its token; null without one.' })
  topic: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was opened.' })
  connectedAt: Date;

  @Field(() => String, { nullable: true, description: 'The address it came from.' })
  sourceIp: string;
}

@ObjectType('OnlineRecipient', { registerIn, description: 'A recipient with an open connection.' })
class OnlineRecipient {
  @Field(() => String, { nullable: true, description: 'The name it was registered under.' })
  recipient: string;

  @Field(() => Int, { nullable: true, description: 'How many connections it has on all nodes together; at least 1.' })
  connections: number;

  @Field(() => DateTime, { nullable: true, description: 'When the oldest of its connections was opened.' })
  connectedAt: Date;
}

@ObjectType('OnlineRecipientsResult', { registerIn, description: 'A page of the recipients connected now.' })
export class OnlineRecipientsResult extends pageOf(OnlineRecipient, {
  items: 'In a fixed order of names; recipients that disconnected while the page was made are left out.',
  nextToken: 'Pass it as nextToken for the next page; null on the last page.',
}) {
  @Field(() => Int, {
    nullable: true,
    description: 'How many recipients are connected now, over all nodes and pages; each counts once.',
  })
  count: number;
}
