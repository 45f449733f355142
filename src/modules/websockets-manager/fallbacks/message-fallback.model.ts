// Room: Mails in place of messages that nobody confirmed: checks, stores and reads them.
import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = WebsocketsManagerSchema;
/** Bounds of the time from the push to its fallback, in seconds. */
export const MIN_AFTER = 5;
export const MAX_AFTER = 2_592_000;

export enum FallbackCondition {
  DELIVERED = 'DELIVERED',
  READ = 'READ',
}

registerEnumType(FallbackCondition, {
  name: 'FallbackCondition',
  registerIn,
  description: 'Confirmation of a message that makes its fallback needless.',
  valuesMap: {
    DELIVERED: { description: 'A connection of the recipient confirmed the message.' },
    READ: { description: 'The recipient read or archived the message in the inbox. Requires a message with inbox: true.' },
  },
});

export enum FallbackState {
  WAITING = 'WAITING',
  NOT_NEEDED = 'NOT_NEEDED',
  SENT = 'SENT',
  FAILED = 'FAILED',
}

registerEnumType(FallbackState, {
  name: 'FallbackState',
  registerIn,
  description: 'State of a fallback.',
  valuesMap: {
    WAITING: { description: 'Its time has not come.' },
    NOT_NEEDED: { description: 'The message was confirmed in time, or cancelled by the application. Final.' },
    SENT: { description: 'The mail was accepted, with emailId; see message of the email service. Final.' },
    FAILED: { description: 'No mail was accepted; error contains the reason. Final.' },
  },
});

@ObjectType('MessageFallback', { registerIn, description: 'Mail in place of a message that nobody confirmed.' })
export class MessageFallback {
  @Field(() => FallbackState, { nullable: true, description: 'State; only one of mail and confirmation decides it.' })
  state: FallbackState;

  @Field(() => ID, { nullable: true, description: 'Id of the mail in the email service; null unless SENT.' })
  emailId: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time at which the mail is due while WAITING; else, time of the decision.',
  })
  at: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Reason for FAILED, such as a sender that is no longer verified; else null.',
  })
  error: string | null;
}

/** Returns the fallback of a message by its id; null without one. */
export type FallbackOf = (id: string) => Promise<MessageFallback | null>;
