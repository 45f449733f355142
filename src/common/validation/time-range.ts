import { z } from 'zod';

/** A range of time; both bounds are inclusive, and either can be left out. */
export const timeRangeRules = z
  .strictObject({ from: z.date().nullish(), to: z.date().nullish() })
  .refine(({ from, to }) => !from || !to || from <= to, 'from must not be after to');
