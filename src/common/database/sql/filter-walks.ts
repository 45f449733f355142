import type { Walk } from './index-walks.js';
import type { Sql } from './sql.js';

/** A filter in SQL: as a whole; and, if an index serves it, for that index, with the conditions left to check on the row. */
export interface FilterSql {
  whole: Sql[];
  indexed?: Sql[];
  left?: Sql[];
}

/** Returns one walk for each filter with an index; and that of `base`, if it is asked for or there are no others. */
export function walksBy(filters: FilterSql[], base: Omit<Walk, 'rest'>, { alsoBase = false } = {}): [Walk, ...Walk[]] {
  const walks = filters.flatMap((leading): Walk[] => {
    const { indexed, left = [] } = leading;
    if (!indexed) return [];
    const served: Walk['served'] = (range) => [...base.served(range), ...indexed];
    return [{ ...base, served, rest: filters.flatMap((filter) => (filter === leading ? left : filter.whole)) }];
  });
  const whole: Walk = { ...base, rest: filters.flatMap((filter) => filter.whole) };
  const [first, ...others] = walks;
  if (!first) return [whole];
  return alsoBase ? [whole, first, ...others] : [first, ...others];
}
