import { z } from 'zod';
import { authorRules } from '../../../common/validation/author.js';
import { MAX_COMMENT, MAX_NAME, text } from '../../../common/validation/text.js';
import { ContentType, MAX_TEXT, TemplateType } from '../models/template.model.js';
import { cssFilterRules, nameRules, stylesheetRules } from './css.rules.js';
import { MAX_SUBJECT } from '../models/limits.js';

const fields = {
  name: nameRules,
  subject: text({ max: MAX_SUBJECT }).nullish(),
  body: text({ max: MAX_TEXT }),
  contentType: z.enum(ContentType),
  comment: text({ max: MAX_COMMENT }).nullish(),
  author: authorRules.nullish(),
  css: stylesheetRules.nullish(),
  parentCssId: text({ max: MAX_NAME }).nullish(),
  layoutId: text({ max: MAX_NAME }).nullish(),
};

export const createTemplateRules = z.strictObject({ ...fields, type: z.enum(TemplateType) });

export const previewTemplateRules = z.strictObject({
  type: z.enum(TemplateType),
  subject: fields.subject,
  body: fields.body,
  contentType: fields.contentType,
  css: fields.css,
  parentCssId: fields.parentCssId,
  layoutId: fields.layoutId,
});

export const updateTemplateRules = z.strictObject({
  ...fields,
  name: nameRules.optional(),
  active: z.boolean('must be true or false').optional(),
});

export const templatesFilterRules = cssFilterRules.extend({ active: z.boolean().nullish() });
