import { Field, InputType, Int } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../models/schema.js';
import { asCount, asHours, asSeconds } from '../../../common/validation/amounts.js';
import { KEEP_KEYS_MS, MAX_IDEMPOTENCY_KEY } from '../../../common/idempotency/idempotency-key.js';
import { MAX_NAME } from '../../../common/validation/text.js';
import { BEAT_MS, MAX_MESSAGE, MAX_TOKEN_SECONDS, MIN_TOKEN_SECONDS } from '../models/limits.js';
import { MAX_RECIPIENTS } from '../models/message.model.js';

const registerIn = WebsocketsManagerSchema;

@InputType('RegisterRecipientInput', { registerIn, description: 'A recipient and how it may connect.' })
export class RegisterRecipientInput {
  @Field(() => String, {
    description: `The name of the recipient, such as the application's user id; 1 to ${asCount(MAX_NAME)} characters.`,
  })
  recipient: string;

  @Field(() => String, { nullable: true, description: 'The only address that may connect, IPv4 or IPv6.' })
  sourceIp?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The only origin whose pages may connect: http://<domain> or https://<domain>, with the port if it has one.',
  })
  origin?: string | null;

  @Field(() => String, { nullable: true, description: `Labels the connection; 1 to ${asCount(MAX_NAME)} characters.` })
  topic?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      `Lifetime of the token in seconds, ${MIN_TOKEN_SECONDS} to ${asCount(MAX_TOKEN_SECONDS)}; ${asCount(MAX_TOKEN_SECONDS)} ` +
      `(${asHours(1_000 * MAX_TOKEN_SECONDS)} h) if left out.`,
  })
  expiresIn?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      `true: connections opened with the token are closed with code 4401 within ${asSeconds(2 * BEAT_MS)} s after it expires. ` +
      'If left out, open connections stay.',
  })
  closeOnExpiry?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'true: a message to a connection with this token is DELIVERED when the client sends the text frame {"ack": "<id>"}, which ' +
      'also acknowledges all earlier frames on that connection. If left out, it is DELIVERED when the WebSocket answers a ping.',
  })
  acknowledge?: boolean | null;
}

@InputType({ isAbstract: true })
class PushInput {
  @Field(() => String, { description: `1 to ${asCount(MAX_MESSAGE)} characters.` })
  message: string;

  @Field(() => String, {
    nullable: true,
    description: 'Sends the message only to connections with exactly this topic; if left out, to all connections.',
  })
  topic?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'How long the message waits for recipients that are not connected: a time in the future, up to the year 9999. If left ' +
      'out, it does not wait.',
  })
  expiresAt?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      `1 to ${MAX_IDEMPOTENCY_KEY} characters. For ${asHours(KEEP_KEYS_MS)} h another push with the same key sends nothing and ` +
      'returns the result of the first; with other content it is CONFLICT.',
  })
  idempotencyKey?: string | null;
}

@InputType('MessageInput', { registerIn, description: 'A message and its recipients.' })
export class MessageInput extends PushInput {
  @Field(() => [String], { description: `1 to ${asCount(MAX_RECIPIENTS)} recipients; repeats count once.` })
  recipients: string[];
}

@InputType('GlobalMessageInput', { registerIn, description: 'A message to all recipients.' })
export class GlobalMessageInput extends PushInput {}
