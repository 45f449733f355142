import type { TenantDatabase } from '../database/tenant-database.js';
import { allOf, join, raw, scan, type Sql, sql } from '../database/sql/sql.js';
import type { Dialect } from '../database/sql/dialect.js';
import { lowestIdAt, timeOfId } from '../base/ids.js';
import { MAX_COUNTED, type PeriodKind } from './periods.js';

/** Column that an index is sorted by: ids that begin with their creation time, or times. */
interface OrderedBy {
  column: string;
  holds: 'ids' | 'times';
}

/**
 * Selection of rows to count. An index must serve the conditions of each count together with the column. Rows are counted on demand:
 * counters would cost an additional write each, and become wrong after erasures. Counting 50,000 messages by 168 hours takes 20 ms on
 * SQLite.
 */
export interface Counting {
  table: string;
  by: OrderedBy;
  /** Conditions of each count, besides those on tenant and column. */
  counts: readonly (readonly Sql[])[];
}

/** Counts of one period, in the order of `Counting.counts`. */
interface CountedPeriod {
  from: Date;
  counts: number[];
}

export interface Counted {
  /** Start of the first period, or the time from which entries are counted if there are more than MAX_COUNTED. */
  countedFrom: Date;
  periods: CountedPeriod[];
}

interface Range {
  starts: readonly number[];
  kind: PeriodKind;
  /** Overrides MAX_COUNTED in tests. */
  most?: number;
}

/** Counts the newest MAX_COUNTED entries by period, in one statement. Omits periods that end before the oldest of them. */
export async function countPeriods(database: TenantDatabase, counting: Counting, range: Range): Promise<Counted> {
  const { starts, kind } = range;
  const rows = await database.$cells(countStatement(database, counting, range));
  const reached = rows[0]?.[1] ?? null;
  const countedFrom = reached === null ? starts[0]! : timeAfter(counting.by, reached);
  const periods = rows
    .map(([at, , ...counts]) => ({ from: new Date(starts[Number(at)]!), counts: counts.map(Number) }))
    .filter(({ from }) => from.getTime() + kind.ms > countedFrom)
    .sort((a, b) => a.from.getTime() - b.from.getTime());
  return { countedFrom: new Date(countedFrom), periods };
}

/**
 * Builds the statement. First finds the entry after the newest MAX_COUNTED, then counts each period by a range of the index. Exported
 * for a query plan test.
 */
export function countStatement(
  { dialect, tenantId }: TenantDatabase,
  counting: Counting,
  { starts, kind, most = MAX_COUNTED }: Range,
): Sql {
  const { table, by, counts } = counting;
  const { column } = by;
  const tenant = sql`"tenantId" = ${tenantId}`;
  const [bound, reached] = spellings(dialect, by);
  const bounds = [...starts, starts.at(-1)! + kind.ms].map((ms) => (by.holds === 'ids' ? lowestIdAt(ms) : ms));
  const json = JSON.stringify(starts.map((_, index) => [index, bounds[index], bounds[index + 1]]));
  const whole = JSON.stringify([[0, bounds[0], bounds.at(-1)]]);
  const later = raw(dialect.pick({ sqlite: 'max', postgresql: 'greatest' }));
  const inPeriod = sql`${raw(column)} >= ${later}(${raw(bound(1))}, coalesce(reached."at", ${raw(bound(1))})) AND ${raw(column)} < ${raw(bound(2))}`;
  const columns = counts.map(
    (conditions) => sql`(SELECT count(*) FROM ${raw(table)} WHERE ${allOf([tenant, ...conditions, inPeriod])})`,
  );
  const shown = by.holds === 'ids' ? 'reached."at"' : dialect.milliseconds('reached."at"');
  return scan(sql`
    WITH reached AS MATERIALIZED (
      SELECT (
        SELECT ${raw(reached)} FROM ${raw(table)}
        WHERE ${tenant} AND ${raw(column)} >= ${raw(bound(1))} AND ${raw(column)} < ${raw(bound(2))}
        ORDER BY ${raw(column)} DESC LIMIT 1 OFFSET ${raw(String(most))}
      ) AS "at" FROM ${dialect.elements(sql`${whole}`, 'p')}
    )
    SELECT p.value ->> 0, ${raw(shown)}, ${join(columns)} FROM reached CROSS JOIN ${dialect.elements(sql`${json}`, 'p')}`);
}

/**
 * Returns the SQL for a bound of a period `p`, and for the lowest value after an entry. That value also skips other entries of the
 * same millisecond.
 */
function spellings(dialect: Dialect, { column, holds }: OrderedBy): [bound: (member: number) => string, behind: string] {
  if (holds === 'ids')
    return [(member) => `(p.value ->> ${member})`, `substr(${column}, 1, 13) || '-ffff-ffff-ffff-ffffffffffff'`];
  const next = dialect.pick({ sqlite: `${column} + 1`, postgresql: `${column} + interval '1 millisecond'` });
  return [(member) => dialect.timeOf(`(p.value ->> ${member})`), next];
}

function timeAfter({ holds }: OrderedBy, reached: unknown): number {
  return holds === 'ids' ? timeOfId(String(reached)) + 1 : Number(reached);
}
