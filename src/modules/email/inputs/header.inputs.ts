import { Field, InputType } from '@nestjs/graphql';
import { MAX_HEADER_NAME, MAX_HEADER_VALUE, MAX_TAG_NAME, MAX_TAG_VALUE } from '../models/header-names.js';
import { EmailSchema } from '../models/schema.js';

const registerIn = EmailSchema;

@InputType('MailHeaderInput', { registerIn, description: 'A header to write into a message.' })
export class MailHeaderInput {
  @Field(() => String, {
    description:
      `X-…, List-…, In-Reply-To, References, Precedence, Feedback-ID or Auto-Submitted, in any letter case, up to ${MAX_HEADER_NAME} ` +
      'characters; List-Unsubscribe, List-Unsubscribe-Post and all others are BAD_USER_INPUT.',
  })
  name: string;

  @Field(() => String, {
    description:
      `1 to ${MAX_HEADER_VALUE} characters on one line. Letters outside of ASCII are encoded (RFC 2047), and are allowed in X-…, ` +
      'Feedback-ID and the text of List-Id (RFC 2919) only. In-Reply-To and References are message ids in angle brackets (RFC 5322).',
  })
  value: string;
}

@InputType('MailTagInput', { registerIn, description: 'A tag, by which messages are found; recipients do not see it.' })
export class MailTagInput {
  @Field(() => String, { description: `1 to ${MAX_TAG_NAME} characters on one line; the letter case counts.` })
  name: string;

  @Field(() => String, { description: `Up to ${MAX_TAG_VALUE} characters on one line; the letter case counts.` })
  value: string;
}
