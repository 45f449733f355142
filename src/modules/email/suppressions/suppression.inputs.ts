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
/** Rule of a suppressed address, in its stored form. */
export const suppressedRules = addressRules.transform(lowerAscii);

export const CreateSuppressionInput = input(
  'CreateSuppressionInput',
  { registerIn, description: 'Suppression to store.' },
  {
    address: suppressedRules.describe(`Email address to suppress, at most ${MAX_ADDRESS} characters, in any letter case.`),
    reason: z
      .enum(SuppressionReason)
      .nullable()
      .default(SuppressionReason.MANUAL)
      .describe('Reason, by default MANUAL. Use the others to import the findings of another service.'),
    list: listRules
      .nullish()
      .describe(`List to suppress, 1 to ${MAX_LIST_BYTES} bytes on one line; all mails of the tenant by default.`),
    expiresAt: futureTime.nullish().describe('Future time of expiry; never by default.'),
  },
);
export type CreateSuppressionInput = Given<typeof CreateSuppressionInput>;

export const SuppressionsFilter = input(
  'SuppressionsFilter',
  { registerIn, description: 'Filter of suppressions. All given fields must match.' },
  {
    address: suppressedRules.nullish().describe('Email address, in any letter case.'),
    reason: z.enum(SuppressionReason).nullish().describe('Reason of the suppressions.'),
    list: listRules.nullish().describe('List of the suppressions.'),
  },
);
export type SuppressionsFilter = Given<typeof SuppressionsFilter>;
export type SuppressionsWanted = Checked<typeof SuppressionsFilter>;

const IGNORABLE = [SuppressionReason.UNSUBSCRIBED, SuppressionReason.MANUAL] as const;

/** Rule of suppression reasons to ignore. */
export const ignoredRules = z
  .array(z.enum(SuppressionReason))
  .max(IGNORABLE.length, `must have at most ${IGNORABLE.length} reasons`)
  .superRefine((reasons, context) => {
    const at = reasons.findIndex((reason) => !(IGNORABLE as readonly string[]).includes(reason));
    if (at >= 0)
      context.addIssue({
        code: 'custom',
        path: [at],
        message: `must be ${IGNORABLE.join(' or ')}; ${reasons[at]} always applies: delete the suppression if it is wrong`,
      });
  });
