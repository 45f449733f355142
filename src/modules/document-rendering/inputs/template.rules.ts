import { z } from 'zod';
import { authorRules } from '../../../common/validation/author.js';
import { MAX_COMMENT, MAX_NAME, text } from '../../../common/validation/text.js';
import { ContentType, MAX_TEXT, TemplateType } from '../models/template.model.js';
import { changedAfterRules } from '../../../common/graphql/types/changed-after.js';
import { cssFilterRules, nameRules, stylesheetRules } from './css.rules.js';
import { MAX_SAMPLE_PARAMS, MAX_SUBJECT } from '../models/limits.js';
import { localeRules } from './reader.rules.js';
import { faultInParams } from '../rendering/params.js';

const sampleParamsRules = text({ max: MAX_SAMPLE_PARAMS }).superRefine((value, context) => {
  const message = faultInParams(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

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
  locale: localeRules.nullish(),
  sampleParams: sampleParamsRules.nullish(),
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
  locale: fields.locale,
});

export const translationRules = z.strictObject({
  subject: fields.subject,
  body: fields.body,
  author: fields.author,
  changedAfter: changedAfterRules,
});

export const restoreRules = z.strictObject({ author: fields.author });

export const updateTemplateRules = z.strictObject({
  ...fields,
  name: nameRules.optional(),
  active: z.boolean('must be true or false').optional(),
  changedAfter: changedAfterRules,
});

export const templatesFilterRules = cssFilterRules.extend({
  active: z.boolean().nullish(),
  partId: text({ max: MAX_NAME }).nullish(),
});
