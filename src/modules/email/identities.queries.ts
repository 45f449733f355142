import type { Statements } from './outbox.queries.js';

/** What is counted by day: a table with a row for each key, and how many may be in it. */
interface DailyCount {
  table: 'EmailValidationCount' | 'EmailValidationTotal';
  key: 'address' | 'tenantId';
  value: string;
  max: number;
}

/** Counts one more mail on this day (UTC), unless there were so many. Returns whether it was counted. */
export async function countOfDay(database: Statements, isPostgres: boolean, { table, key, value, max }: DailyCount) {
  const day = new Date().toISOString().slice(0, 10);
  const [of, on, most] = isPostgres ? ['$1', '$2', '$3'] : ['?', '?', '?'];
  const statement = `
    INSERT INTO "${table}" ("${key}", "day", "mails") VALUES (${of}, ${on}, 1)
    ON CONFLICT ("${key}") DO UPDATE SET
      "mails" = CASE WHEN "${table}"."day" = excluded."day" THEN "${table}"."mails" + 1 ELSE 1 END,
      "day" = excluded."day"
    WHERE "${table}"."day" <> excluded."day" OR "${table}"."mails" < ${most}
    RETURNING "mails"`;
  return (await database.$queryRawUnsafe<unknown[]>(statement, value, day, max)).length > 0;
}
