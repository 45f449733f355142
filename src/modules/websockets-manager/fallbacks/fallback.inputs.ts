import { z } from 'zod';
import { badInput } from '../../../common/base/app-error.js';
import { asCount } from '../../../common/base/amounts.js';
import { checkInput } from '../../../common/base/text.js';
import { emailAddressInput, type NamedAddress } from '../../../common/graphql/types/email-address.input.js';
import { type Checked, type Given, input, nested } from '../../../common/graphql/types/input.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';
import { FallbackCondition, MAX_AFTER, MIN_AFTER } from './message-fallback.model.js';

const FIELD = 'input.fallback';
const AFTER = `must be ${MIN_AFTER} to ${asCount(MAX_AFTER)} seconds`;
const named = nested(emailAddressInput(WebsocketsManagerSchema));

// The email service checks the fields of the mail.
export const FallbackInput = input(
  'FallbackInput',
  {
    registerIn: WebsocketsManagerSchema,
    description:
      'Mail to recipients who have not confirmed the message by a time. It is checked and rendered now, by the rules of sendMessage, whose ' +
      'scope entry email-api:mutation:sendMessage the key needs as well (FORBIDDEN).',
  },
  {
    after: z
      .int()
      .min(MIN_AFTER, AFTER)
      .max(MAX_AFTER, AFTER)
      .describe(`Time from the push to the mail: ${MIN_AFTER} to ${asCount(MAX_AFTER)} seconds.`),
    until: z
      .enum(FallbackCondition)
      .default(FallbackCondition.DELIVERED)
      .describe('Confirmation that makes the mail needless. READ requires inbox: true, else BAD_USER_INPUT.'),
    to: z.array(named).describe('Addresses, one for each of recipients, in their order. Each receives its own mail.'),
    from: named
      .nullish()
      .describe('Sender, as in sendMessage: EMAIL_FROM by default; any other must be VERIFIED, also when the mail is due.'),
    templateName: z.string().nullish().describe('Name of a template of type email. Excludes subject and textBody.'),
    params: z.string().nullish().describe('Parameters of the template: a JSON object as text. Requires templateName.'),
    locale: z.string().nullish().describe('Language of the template, as in sendMessage. Requires templateName.'),
    subject: z.string().nullish().describe('Subject, as in sendMessage.'),
    textBody: z.string().nullish().describe('Plain text body, as in sendMessage. Required without templateName.'),
  },
  (rules) =>
    rules.superRefine(({ textBody, templateName }, context) => {
      if (typeof textBody === 'string' || typeof templateName === 'string') return;
      context.addIssue({ code: 'custom', path: ['textBody'], message: 'is missing; send textBody or templateName' });
    }),
);
export type FallbackInput = Given<typeof FallbackInput>;

/** Fallback of a push, with the address of each distinct recipient. */
export interface CheckedFallback extends Omit<Checked<typeof FallbackInput>, 'to'> {
  addresses: ReadonlyMap<string, NamedAddress>;
}

/** Checks a fallback, except its mail. A repeated recipient has the first of its addresses. @throws BAD_USER_INPUT that names the field */
export function checkedFallback(fallback: FallbackInput, recipients: readonly string[], inbox: boolean): CheckedFallback {
  const { length } = fallback.to;
  if (length !== recipients.length)
    throw badInput(`${FIELD}.to`, `must have one address for each of the ${recipients.length} recipients, has ${length}`);
  const { to, ...checked } = checkInput(FallbackInput.rules, fallback, FIELD);
  if (checked.until === FallbackCondition.READ && !inbox)
    throw badInput(`${FIELD}.until`, 'READ needs inbox: true, since only a message in the inbox can be read; send DELIVERED');
  const addresses = new Map<string, NamedAddress>();
  recipients.forEach((recipient, index) => addresses.has(recipient) || addresses.set(recipient, to[index]!));
  return { ...checked, addresses };
}
