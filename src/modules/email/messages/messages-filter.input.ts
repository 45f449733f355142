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
  { registerIn: EmailSchema, description: 'A message must match every given field.' },
  {
    id: id(text({ max: MAX_NAME }))
      .nullish()
      .describe('Id of the message.'),
    to: addressRules.nullish().describe('An address in to; cc and bcc are not searched.'),
    contains: containedText
      .nullish()
      .describe(`Any part of the subject, or of the address of a recipient in to, cc or bcc: ${CONTAINS}`),
    status: z.enum(EmailStatus).nullish().describe('Only messages with this status.'),
    createdAt: nested(timeRangeInput(EmailSchema)).nullish().describe('When the message was accepted.'),
    tag: nested(MailTagInput).nullish().describe('A tag of the message, by its name and value.'),
    scheduled: z
      .boolean()
      .nullish()
      .describe('true: only messages that wait for their sendAt, with no attempt begun. false: only the others.'),
  },
);
export type EmailMessagesFilter = Given<typeof EmailMessagesFilter>;
export type MessagesWanted = Checked<typeof EmailMessagesFilter>;
