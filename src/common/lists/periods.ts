import { Args, Int } from '@nestjs/graphql';
import { badInput } from '../base/app-error.js';
import type { HeavyNeeds } from '../scheduling/heavy-run.js';
import { asCount } from '../base/amounts.js';

/** Periods of a chart. They begin at full hours or days, UTC. */
export interface PeriodKind<F extends 'hours' | 'days' = 'hours' | 'days'> {
  /** Name of the argument for the number of periods. */
  field: F;
  ms: number;
  max: number;
  byDefault: number;
}

/** Maximum number of index entries that a count reads, the newest ones. */
export const MAX_COUNTED = 50_000;
/** Memory and cost of a count: one statement, and one row per period. */
export const COUNTING: HeavyNeeds = { memoryBytes: 1024 * 1024, cost: MAX_COUNTED / 100 };
const HOUR_MS = 3_600_000;
export const HOURS: PeriodKind<'hours'> = { field: 'hours', ms: HOUR_MS, max: 336, byDefault: 24 };
export const DAYS: PeriodKind<'days'> = { field: 'days', ms: 24 * HOUR_MS, max: 90, byDefault: 30 };

/** Returns the singular name of a period. */
export const onePeriod = ({ field }: PeriodKind): string => field.slice(0, -1);

/** Describes `countedFrom` of a count of `what`. */
export const countedFrom = (kind: PeriodKind, what: string): string =>
  `Start of the counted time: that of the first ${onePeriod(kind)} requested, or later if there are more than ` +
  `${asCount(MAX_COUNTED)} ${what}.`;

/** Describes the list of periods of a count. */
export function everyPeriod({ field }: PeriodKind): string {
  return (
    `All ${field} from that of countedFrom to the current one, oldest first, including empty ones. ` +
    'The first is counted only from countedFrom on.'
  );
}

/** Argument of a counting query: the number of periods. */
export const Periods = ({ field, max, byDefault }: PeriodKind): ParameterDecorator =>
  Args(field, {
    type: () => Int,
    nullable: true,
    description: `Number of ${field} (UTC) to count, including the current one, 1 to ${max}; ${byDefault} by default.`,
  });

/**
 * Returns the starts of the last periods, oldest first, ending with the current period.
 * @throws BAD_USER_INPUT for a number out of bounds
 */
export function startsOf({ field, ms, max, byDefault }: PeriodKind, wanted: number | null | undefined): number[] {
  const count = wanted ?? byDefault;
  if (count < 1 || count > max) throw badInput(field, `must be from 1 to ${max}`);
  const current = Math.floor(Date.now() / ms) * ms;
  return Array.from({ length: count }, (_, index) => current - (count - 1 - index) * ms);
}
