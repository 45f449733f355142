import { Field, InputType, Int } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../models/schema.js';

const registerIn = WebsocketsManagerSchema;

@InputType('RegisterRecipientInput', { registerIn, description: 'A recipient, and how it may connect.' })
export class RegisterRecipientInput {
  @Field(() => String, { description: "Names the recipient, such as the application's user id; 1 to 1,024 characters." })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'The only address that may connect, IPv4 or IPv6.' })
  sourceIp?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The only origin whose pages may connect: http://<domain> or https://<domain>, with the port if it has one.',
  })
  origin?: string | null;

  @Field(() => String, { nullable: true, description: 'Labels the connection; 1 to 1,024 characters.' })
  topic?: string | null;

  @Field(() => Int, { nullable: true, description: 'Lifetime of the token in seconds, 60 to 86,400; left out, 86,400 (24 h).' })
  expiresIn?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'true: connections that were opened with the token are closed with code 4401 within 2 s after it expires. Left out, open ' +
      'connections stay.',
  })
  closeOnExpiry?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'true: a message to a connection with this token is DELIVERED when the client sends the text frame {"ack": "<id>"}, which ' +
      'acknowledges all frames before it on that connection too. Left out, when its WebSocket answers a ping.',
  })
  acknowledge?: boolean | null;
}

@InputType({ isAbstract: true })
class PushInput {
  @Field(() => String, { description: '1 to 65,536 characters.' })
  message: string;

  @Field(() => String, {
    nullable: true,
    description: 'Only to connections registered with exactly this topic; left out, to all.',
  })
  topic?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'In the future, up to year 9999. Until then the message waits for recipients that are not connected; without it, it does ' +
      'not wait.',
  })
  expiresAt?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      '1 to 256 characters. Within 24 h a second push with the same key sends nothing and answers with the first; with other ' +
      'content it is CONFLICT.',
  })
  idempotencyKey?: string | null;
}

@InputType('MessageInput', { registerIn, description: 'A message, and who gets it.' })
export class MessageInput extends PushInput {
  @Field(() => [String], { description: '1 to 1,000 recipients; one that is named twice counts once.' })
  recipients: string[];
}

@InputType('GlobalMessageInput', { registerIn, description: 'A message to all.' })
export class GlobalMessageInput extends PushInput {}
