import type { Walk } from './index-walks.js';
import type { SqlValues } from './sql-values.js';

export type Conditions = (sql: SqlValues) => string[];
export const NO_CONDITION: Conditions = () => [];

/** A filter in SQL: as a whole; and by the index that serves it, if one does, with what is left for the row to show. */
export interface FilterSql {
  whole: Conditions;
  indexed?: Conditions;
  left?: Conditions;
}

/** The walks that are led by the index of a filter each; and that of `base`, when it is wanted or there are no others. */
export function walksBy(filters: FilterSql[], base: Omit<Walk, 'rest'>, { alsoBase = false } = {}): [Walk, ...Walk[]] {
  const walks = filters.flatMap((leading): Walk[] => {
    if (!leading.indexed) return [];
    const served: Walk['served'] = (sql, range) => [...base.served(sql, range), ...leading.indexed!(sql)];
    const rest: Conditions = (sql) =>
      filters.flatMap((filter) => (filter === leading ? (leading.left ?? NO_CONDITION) : filter.whole)(sql));
    return [{ ...base, served, rest }];
  });
  const whole: Walk = { ...base, rest: (sql) => filters.flatMap((filter) => filter.whole(sql)) };
  const [first, ...others] = walks;
  if (!first) return [whole];
  return alsoBase ? [whole, first, ...others] : [first, ...others];
}
