import { z } from 'zod';
import { parseAddress } from '../../../common/validation/email-address.js';
import { MAX_NAME, text, textFault } from '../../../common/validation/text.js';
import { EmailStatus } from '../models/email.model.js';

const MAX_SUBJECT = 998;
const MAX_BODY = 5 * 1024 * 1024;
const MAX_KEY = 256;
const MAX_FILE_NAME = 255;
const MAX_ATTACHMENTS = 50;
/** Far more than may be: so many are not even compared with each other. */
const MAX_NAMED = 1_000;

/** Line breaks of Unicode too: what ends a line somewhere must not stand in a header. */
const BREAK = /[\p{Cc}\u2028\u2029]/u;
const ONE_LINE = 'must not contain line breaks or other control characters';

const line = (bounds: { min?: number; max: number }) => text(bounds).refine((value) => !BREAK.test(value), ONE_LINE);

/** Brings an address into the form in which equal ones are equal. */
const address = z.string('is required').transform((value, context): string => {
  const parsed = parseAddress(value);
  if ('address' in parsed) return parsed.address;
  context.addIssue({ code: 'custom', message: BREAK.test(value) ? ONE_LINE : parsed.fault });
  return z.NEVER;
});

const named = z
  .strictObject({ address, name: line({ max: MAX_NAME }).nullish() })
  .transform(({ address, name }) => ({ address, name: name?.trim() || null }));

const people = z.array(named).max(MAX_NAMED, 'must have far fewer addresses: at most 50 over to, cc and bcc');

const attachment = z.strictObject({
  name: line({ min: 1, max: MAX_FILE_NAME }).refine(
    (value) => !value.split(/[\\/]/).includes('..'),
    'must not have a .. segment',
  ),
  fileId: text({ min: 1, max: MAX_NAME }),
});

const body = text({ max: MAX_BODY }).nullish();

export const sendMessageRules = z.strictObject({
  to: people.min(1, 'must have at least one address'),
  from: named.nullish(),
  subject: line({ max: MAX_SUBJECT }).nullish(),
  htmlBody: body,
  attachments: z.array(attachment).max(MAX_ATTACHMENTS, `must have at most ${MAX_ATTACHMENTS} attachments`).nullish(),
  cc: people.nullish(),
  bcc: people.nullish(),
  replyTo: named.nullish(),
  textBody: body,
  templateName: text({ min: 1, max: MAX_NAME }).nullish(),
  params: z.string().nullish(),
  strict: z.boolean('must be true or false').nullish(),
  idempotencyKey: text({ min: 1, max: MAX_KEY }).nullish(),
});
export type MessageGiven = z.infer<typeof sendMessageRules>;
export type NamedAddress = z.infer<typeof named>;

/** The subject that a template made, as a header takes it; what is wrong with it otherwise. */
export function asSubject(rendered: string): { subject: string } | { fault: string } {
  const subject = rendered.replaceAll(new RegExp(BREAK, 'gu'), ' ');
  const fault = textFault(subject, { max: MAX_SUBJECT });
  return fault === undefined ? { subject } : { fault: `renders a subject that ${fault}` };
}

export const identityRules = address;

const dateTimeRange = z
  .strictObject({ from: z.date().nullish(), to: z.date().nullish() })
  .refine(({ from, to }) => !from || !to || from <= to, 'from must not be after to');

export const messagesFilterRules = z.strictObject({
  id: text({ max: MAX_NAME }).nullish(),
  to: address.nullish(),
  status: z.enum(EmailStatus).nullish(),
  createdAt: dateTimeRange.nullish(),
});
export type MessagesWanted = z.infer<typeof messagesFilterRules>;
