import type { Type } from '@nestjs/common';
import { Field, Int, ObjectType } from '@nestjs/graphql';
import { DateTime } from './date-time.scalar.js';
import { MaxItems } from '../../scheduling/list-size.js';
import { countedFrom, everyPeriod, onePeriod, type PeriodKind } from '../../lists/periods.js';

interface ActivityOf<F extends PeriodKind['field'], N extends string> {
  name: string;
  /** Plural name of the counted objects, such as messages. */
  what: string;
  kind: PeriodKind<F>;
  /** Description of a period. */
  period: string;
  /** Description of each count. */
  counts: Record<N, string>;
}

/** Activity of a tenant: counts by hour or by day. */
type Activity<F extends PeriodKind['field'], N extends string> = { countedFrom: Date } & Record<
  F,
  ({ from: Date } & Record<N, number>)[]
>;

/** Creates the object types of an activity query. `registerIn` selects their schema. */
export function activityOf<F extends PeriodKind['field'], N extends string>(
  registerIn: Type,
  { name, what, kind, period, counts }: ActivityOf<F, N>,
): Type<Activity<F, N>> {
  const one = onePeriod(kind);

  @ObjectType(`${name}${one[0]!.toUpperCase()}${one.slice(1)}`, { registerIn, description: period })
  class PeriodType {
    @Field(() => DateTime, { nullable: true, description: `Start of the ${one} (UTC).` })
    from: Date;
  }
  for (const [count, description] of Object.entries<string>(counts)) {
    Field(() => Int, { nullable: true, description })(PeriodType.prototype, count);
  }

  @ObjectType(name, { registerIn, description: `Number of ${what} per ${one}.` })
  class ActivityType {
    @Field(() => DateTime, { nullable: true, description: countedFrom(kind, what) })
    countedFrom: Date;
  }
  MaxItems(kind.max, { counted: kind.byDefault })(ActivityType.prototype, kind.field);
  Field(() => [PeriodType], { nullable: 'itemsAndList', description: everyPeriod(kind) })(ActivityType.prototype, kind.field);
  return ActivityType as unknown as Type<Activity<F, N>>;
}
