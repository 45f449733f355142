import { z } from 'zod';
import { type Checked, type Given, id, input, nested } from '../../../common/graphql/types/input.js';
import { timeRangeInput } from '../../../common/graphql/types/time-range.input.js';
import { CONTAINS } from '../../../common/lists/page.js';
import { addressRules } from '../../../common/base/email-address.js';
import { containedText, MAX_NAME, text } from '../../../common/base/text.js';
import { MailTagInput } from '../acceptance/header.inputs.js';
import { EmailStatus } from '../models/email.model.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

export const EmailMessagesFilter = input(
  'EmailMessagesFilter',
  { registerIn: EmailSchema, description: 'Filter of messages. All given fields must match.' },
  {
    id: id(text({ max: MAX_NAME }))
      .nullish()
      .describe('Id of the message.'),
    to: addressRules.nullish().describe('Address in to; excludes cc and bcc.'),
    contains: containedText.nullish().describe(`Part of the subject, or of an address in to, cc or bcc: ${CONTAINS}`),
    status: z.enum(EmailStatus).nullish().describe('Status of the messages.'),
    createdAt: nested(timeRangeInput(EmailSchema)).nullish().describe('Range of acceptance times.'),
    tag: nested(MailTagInput).nullish().describe('Tag with name and value.'),
    scheduled: z
      .boolean()
      .nullish()
      .describe('true selects messages waiting for their sendAt, before any attempt; false selects the others.'),
  },
);
export type EmailMessagesFilter = Given<typeof EmailMessagesFilter>;
export type MessagesWanted = Checked<typeof EmailMessagesFilter>;
