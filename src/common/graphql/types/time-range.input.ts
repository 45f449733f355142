import type { Type } from '@nestjs/common';
import { z } from 'zod';
import { input } from './input.js';

/** Message for a range that ends before it begins, optionally below one of its bounds. */
type Refusal = string | { path: ['from']; message: string };

/** Declares the DateTimeFilter of a service. Each schema requires its own class. */
export const timeRangeInput = (
  registerIn: Type,
  description = 'Time range. Both bounds are inclusive and optional.',
  refusal: Refusal = 'from must not be after to',
) =>
  input(
    'DateTimeFilter',
    { registerIn, description },
    {
      from: z.date().nullish().describe('Earliest time, inclusive; no lower bound by default.'),
      to: z.date().nullish().describe('Latest time, inclusive; no upper bound by default.'),
    },
    (range) => inOrder(range, refusal),
  );

/** Adds the rule that a range must not end before it begins. */
export const inOrder = <R extends z.ZodType<{ from?: Date | null; to?: Date | null }>>(
  range: R,
  refusal: Refusal = 'from must not be after to',
): R => range.refine(({ from, to }) => !from || !to || from <= to, refusal);
