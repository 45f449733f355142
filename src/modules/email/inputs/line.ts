import { text } from '../../../common/validation/text.js';

/** Includes the line breaks of Unicode, since some mail programs end a header line there. */
export const BREAK = /[\p{Cc}\u2028\u2029]/u;
export const ONE_LINE = 'must not contain line breaks or other control characters';

export const line = (bounds: { min?: number; max: number }) => text(bounds).refine((value) => !BREAK.test(value), ONE_LINE);
