import { z } from 'zod';
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
import { line } from './line.js';

const header = z
  .strictObject({
    name: line({ min: 1, max: MAX_HEADER_NAME }).superRefine((name, context) => {
      const fault = headerNameFault(name);
      if (fault) context.addIssue({ code: 'custom', message: fault });
    }),
    value: line({ min: 1, max: MAX_HEADER_VALUE }).refine((value) => value.trim() !== '', 'must not be blank'),
  })
  .superRefine(({ name, value }, context) => {
    const fault = headerValueFault(name, value);
    if (fault) context.addIssue({ code: 'custom', path: ['value'], message: fault });
  });

export const headersRules = z
  .array(header)
  .max(MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`)
  .superRefine((headers, context) => {
    const names = headers.map(({ name }) => name.toLowerCase());
    const again = names.findIndex((name, index) => names.indexOf(name) < index);
    if (again >= 0) context.addIssue({ code: 'custom', path: [again, 'name'], message: 'must be given once' });
    const bytes = headers.reduce((sum, { name, value }) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
    if (bytes > MAX_HEADERS_BYTES)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_HEADERS_BYTES} bytes together, have ${bytes}` });
  });

export const tagRules = z.strictObject({
  name: line({ min: 1, max: MAX_TAG_NAME }),
  value: line({ max: MAX_TAG_VALUE }),
});

export const tagsRules = z
  .array(tagRules)
  .max(MAX_TAGS, `must have at most ${MAX_TAGS} tags`)
  .superRefine((tags, context) => {
    const again = tags.findIndex(({ name }, index) => tags.findIndex((one) => one.name === name) < index);
    if (again >= 0) context.addIssue({ code: 'custom', path: [again, 'name'], message: 'must be given once' });
  });
