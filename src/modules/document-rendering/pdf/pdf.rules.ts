import { z } from 'zod';
import { KEY_BOUNDS } from '../../../common/idempotency/idempotency-key.js';
import { checkText, MAX_NAME, text } from '../../../common/validation/text.js';
import { DEFAULT_MARGIN_MM, MAX_EMBEDDED, MAX_MARGIN_MM } from '../models/limits.js';
import { PaperSize } from '../models/rendered-file.model.js';

const MARGIN = `must be from 0 to ${MAX_MARGIN_MM} mm`;

export const pdfRules = z.strictObject({
  paper: z
    .enum(PaperSize)
    .nullish()
    .transform((paper) => paper ?? PaperSize.A4),
  landscape: z
    .boolean()
    .nullish()
    .transform((landscape) => landscape ?? false),
  marginsMm: z
    .array(z.number(MARGIN).min(0, MARGIN).max(MAX_MARGIN_MM, MARGIN))
    .refine(({ length }) => length === 1 || length === 4, 'must have one number, or four: top, right, bottom and left')
    .nullish()
    .transform((margins) => margins ?? [DEFAULT_MARGIN_MM]),
  headerTemplateName: text({ max: MAX_NAME }).nullish(),
  footerTemplateName: text({ max: MAX_NAME }).nullish(),
  archival: z
    .boolean()
    .nullish()
    .transform((archival) => archival ?? false),
  embed: z
    .array(text({ min: 1, max: MAX_NAME }))
    .max(MAX_EMBEDDED, `must have at most ${MAX_EMBEDDED} files`)
    .refine((ids) => new Set(ids).size === ids.length, 'must name each file once')
    .nullish()
    .transform((ids) => ids ?? []),
});
export type PdfOptions = z.infer<typeof pdfRules>;

/** @throws BAD_USER_INPUT */
export function checkKey(idempotencyKey: string | null | undefined): void {
  if (typeof idempotencyKey === 'string') checkText('input.idempotencyKey', idempotencyKey, KEY_BOUNDS);
}
