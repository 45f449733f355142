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
  { registerIn, description: 'Header to add to a message.' },
  {
    name: line({ min: 1, max: MAX_HEADER_NAME })
      .superRefine((name, context) => {
        const fault = headerNameFault(name);
        if (fault) context.addIssue({ code: 'custom', message: fault });
      })
      .describe(
        `Name: X-…, List-…, In-Reply-To, References, Precedence, Feedback-ID or Auto-Submitted, in any letter case, up to ${MAX_HEADER_NAME} ` +
          'characters. BAD_USER_INPUT for all others, including List-Unsubscribe and List-Unsubscribe-Post.',
      ),
    value: line({ min: 1, max: MAX_HEADER_VALUE })
      .refine((value) => value.trim() !== '', 'must not be blank')
      .describe(
        `Value: 1 to ${MAX_HEADER_VALUE} characters on one line. Non-ASCII letters, encoded by RFC 2047, are allowed only in X-…, ` +
          'Feedback-ID and the text of List-Id (RFC 2919). In-Reply-To and References are message ids in angle brackets (RFC 5322).',
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
    if (again >= 0) context.addIssue({ code: 'custom', path: [again, 'name'], message: 'is repeated; send it once' });
    const bytes = headers.reduce((sum, { name, value }) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
    if (bytes > MAX_HEADERS_BYTES)
      context.addIssue({ code: 'custom', message: `have ${bytes} bytes together; send at most ${MAX_HEADERS_BYTES}` });
  });

export const MailTagInput = input(
  'MailTagInput',
  { registerIn, description: 'Tag for finding messages, invisible to recipients.' },
  {
    name: line({ min: 1, max: MAX_TAG_NAME }).describe(`Name: 1 to ${MAX_TAG_NAME} characters on one line, case-sensitive.`),
    value: line({ max: MAX_TAG_VALUE }).describe(`Value: up to ${MAX_TAG_VALUE} characters on one line, case-sensitive.`),
  },
);

export const tagsRules = z
  .array(nested(MailTagInput))
  .max(MAX_TAGS, `must have at most ${MAX_TAGS} tags`)
  .superRefine((tags, context) => {
    const again = tags.findIndex(({ name }, index) => tags.findIndex((one) => one.name === name) < index);
    if (again >= 0) context.addIssue({ code: 'custom', path: [again, 'name'], message: 'is repeated; send it once' });
  });
