import { z } from 'zod';
import { input, nested } from '../../../common/graphql/types/input.js';
import { line } from '../../../common/base/text.js';
import {
  headerNameFault,
  headerValueFault,
  MAX_HEADER_NAME,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_HEADERS_BYTES,
  MAX_TAG_NAME,
  MAX_TAG_VALUE,
  MAX_TAGS,
} from '../models/header-names.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = EmailSchema;

const MailHeaderInput = input(
  'MailHeaderInput',
  { registerIn, description: 'A header to write into a message.' },
  {
    name: line({ min: 1, max: MAX_HEADER_NAME })
      .superRefine((name, context) => {
        const fault = headerNameFault(name);
        if (fault) context.addIssue({ code: 'custom', message: fault });
      })
      .describe(
        `X-…, List-…, In-Reply-To, References, Precedence, Feedback-ID or Auto-Submitted, in any letter case, up to ${MAX_HEADER_NAME} ` +
          'characters; List-Unsubscribe, List-Unsubscribe-Post and all others are BAD_USER_INPUT.',
      ),
    value: line({ min: 1, max: MAX_HEADER_VALUE })
      .refine((value) => value.trim() !== '', 'must not be blank')
      .describe(
        `1 to ${MAX_HEADER_VALUE} characters on one line. Letters outside of ASCII are encoded (RFC 2047), and are allowed in X-…, ` +
          'Feedback-ID and the text of List-Id (RFC 2919) only. In-Reply-To and References are message ids in angle brackets (RFC 5322).',
      ),
  },
  (rules) =>
    rules.superRefine(({ name, value }, context) => {
      const fault = headerValueFault(name, value);
      if (fault) context.addIssue({ code: 'custom', path: ['value'], message: fault });
    }),
);

export const headersRules = z
  .array(nested(MailHeaderInput))
  .max(MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`)
  .superRefine((headers, context) => {
    const names = headers.map(({ name }) => name.toLowerCase());
    const again = names.findIndex((name, index) => names.indexOf(name) < index);
    if (again >= 0) context.addIssue({ code: 'custom', path: [again, 'name'], message: 'must be given once' });
    const bytes = headers.reduce((sum, { name, value }) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
    if (bytes > MAX_HEADERS_BYTES)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_HEADERS_BYTES} bytes together, have ${bytes}` });
  });

export const MailTagInput = input(
  'MailTagInput',
  { registerIn, description: 'A tag, by which messages are found; recipients do not see it.' },
  {
    name: line({ min: 1, max: MAX_TAG_NAME }).describe(`1 to ${MAX_TAG_NAME} characters on one line; the letter case counts.`),
    value: line({ max: MAX_TAG_VALUE }).describe(`Up to ${MAX_TAG_VALUE} characters on one line; the letter case counts.`),
  },
);

export const tagsRules = z
  .array(nested(MailTagInput))
  .max(MAX_TAGS, `must have at most ${MAX_TAGS} tags`)
  .superRefine((tags, context) => {
    const again = tags.findIndex(({ name }, index) => tags.findIndex((one) => one.name === name) < index);
    if (again >= 0) context.addIssue({ code: 'custom', path: [again, 'name'], message: 'must be given once' });
  });
