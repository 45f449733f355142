import type { AllTenants } from '../../src/common/database/database.js';
import { POSTGRESQL, SQLITE } from '../../src/common/database/sql/dialect.js';
import type { SizedStatement } from '../../src/common/database/sql/sized-rows.js';
import type { Sql } from '../../src/common/database/sql/sql.js';

declare const databaseKind: 'sqlite' | 'postgresql' | 'none';

/** Dialect of the database under test. */
export const dialect = databaseKind === 'postgresql' ? POSTGRESQL : SQLITE;

/** Prevents PostgreSQL from scanning small tables when an index serves. */
const WITHOUT_SCANS = 'SET LOCAL enable_seqscan = off';

interface Explained {
  text: string;
  plan: string;
}

/** Text of a statement, and its plan, one step per line. */
export async function explained(database: Pick<AllTenants, '$queryRawUnsafe'>, asked: Sql | SizedStatement): Promise<Explained> {
  const { text, values } = dialect.compile(
    'statement' in asked && typeof asked.statement === 'object' ? asked.statement : (asked as Sql),
  );
  const explain = dialect.pick({ sqlite: 'EXPLAIN QUERY PLAN', postgresql: 'EXPLAIN' });
  const lines = await database.$queryRawUnsafe<Record<string, unknown>[]>(`${explain} ${text}`, ...values);
  return { text, plan: lines.map((line) => line['QUERY PLAN'] ?? line.detail).join('\n') };
}

/** The same for tables with few rows here, and many elsewhere. */
export async function explainedForMany(database: AllTenants, asked: Sql | SizedStatement): Promise<Explained> {
  return database.$transaction(async (transaction) => {
    if (dialect.pick({ sqlite: false, postgresql: true })) await transaction.$executeRawUnsafe(WITHOUT_SCANS);
    return explained(transaction, asked);
  });
}

/** A prepared statement outlives its transaction, so each has a name of its own. */
let prepared = 0;

/** Returns the plan of a statement by its text alone, for tables with many rows elsewhere. */
export async function explainedText(database: AllTenants, text: string): Promise<string> {
  const plan = (lines: Record<string, unknown>[]) => lines.map((line) => line['QUERY PLAN'] ?? line.detail).join('\n');
  if (dialect.pick({ sqlite: true, postgresql: false })) {
    const values = Array.from(text.matchAll(/\?/g), () => null);
    return plan(await database.$queryRawUnsafe<Record<string, unknown>[]>(`EXPLAIN QUERY PLAN ${text}`, ...values));
  }
  const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  return database.$transaction(async (transaction) => {
    const name = `explained_${prepared++}`;
    for (const set of [WITHOUT_SCANS, 'SET LOCAL plan_cache_mode = force_generic_plan', `PREPARE ${name} AS ${text}`])
      await transaction.$executeRawUnsafe(set);
    const values = Array.from({ length: count }, () => 'NULL').join();
    const lines = await transaction.$queryRawUnsafe<Record<string, unknown>[]>(
      `EXPLAIN EXECUTE ${name}${count > 0 ? `(${values})` : ''}`,
    );
    return plan(lines);
  });
}
