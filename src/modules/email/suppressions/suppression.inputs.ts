import { z } from 'zod';
import { type Checked, type Given, input } from '../../../common/graphql/types/input.js';
import { addressRules, MAX_ADDRESS } from '../../../common/base/email-address.js';
import { line, lowerAscii } from '../../../common/base/text.js';
import { futureTime } from '../../../common/base/time.js';
import { MAX_LIST_BYTES } from '../models/limits.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';
import { SuppressionReason } from '../models/suppression.model.js';

const registerIn = EmailSchema;

export const listRules = line({ min: 1, max: MAX_LIST_BYTES })
  .refine((name) => Buffer.byteLength(name) <= MAX_LIST_BYTES, `must have at most ${MAX_LIST_BYTES} bytes in UTF-8`)
  .refine((name) => name.trim() !== '', 'must not be blank');
/** An address as suppressions store it. */
export const suppressedRules = addressRules.transform(lowerAscii);

export const CreateSuppressionInput = input(
  'CreateSuppressionInput',
  { registerIn, description: 'An address that mails must not be sent to.' },
  {
    address: suppressedRules.describe(`At most ${MAX_ADDRESS} characters; the letter case does not count.`),
    reason: z
      .enum(SuppressionReason)
      .nullable()
      .default(SuppressionReason.MANUAL)
      .describe('Why: MANUAL by default. The others are for what another service has found.'),
    list: listRules
      .nullish()
      .describe(`The list whose mails are meant, 1 to ${MAX_LIST_BYTES} bytes on one line; all mails of the tenant if left out.`),
    expiresAt: futureTime.nullish().describe('When it ends, a time in the future; never if left out.'),
  },
);
export type CreateSuppressionInput = Given<typeof CreateSuppressionInput>;

export const SuppressionsFilter = input(
  'SuppressionsFilter',
  { registerIn, description: 'A suppression must match every given field.' },
  {
    address: suppressedRules.nullish().describe('The address; its letter case does not count.'),
    reason: z.enum(SuppressionReason).nullish().describe('Only suppressions with this reason.'),
    list: listRules.nullish().describe('Only suppressions of this list.'),
  },
);
export type SuppressionsFilter = Given<typeof SuppressionsFilter>;
export type SuppressionsWanted = Checked<typeof SuppressionsFilter>;

const IGNORABLE = [SuppressionReason.UNSUBSCRIBED, SuppressionReason.MANUAL] as const;

/** Suppression reasons that a message can ignore. */
export const ignoredRules = z
  .array(z.enum(SuppressionReason))
  .max(IGNORABLE.length, `must have at most ${IGNORABLE.length} reasons`)
  .superRefine((reasons, context) => {
    const at = reasons.findIndex((reason) => !(IGNORABLE as readonly string[]).includes(reason));
    if (at >= 0)
      context.addIssue({
        code: 'custom',
        path: [at],
        message: `must be ${IGNORABLE.join(' or ')}; ${reasons[at]} always counts: delete the suppression if it is wrong`,
      });
  });
