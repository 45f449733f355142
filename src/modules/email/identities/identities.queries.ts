import type { Statements } from '../../../common/database/database.js';
import { raw, sql } from '../../../common/database/sql/sql.js';

/** Daily counter: table with a row per key, the key, and the maximum. */
interface DailyCount {
  table: 'EmailValidationCount' | 'EmailValidationTotal';
  key: 'address' | 'tenantId';
  value: string;
  max: number;
}

/** Counts a mail of this UTC day. Returns false if the maximum is reached. */
export async function countToday(database: Statements, { table, key, value, max }: DailyCount): Promise<boolean> {
  const day = new Date().toISOString().slice(0, 10);
  const [counts, keyColumn] = [raw(`"${table}"`), raw(`"${key}"`)];
  const counted = await database.$queryRaw<unknown[]>(sql`
    INSERT INTO ${counts} (${keyColumn}, "day", "mails") VALUES (${value}, ${day}, 1)
    ON CONFLICT (${keyColumn}) DO UPDATE SET
      "mails" = CASE WHEN ${counts}."day" = excluded."day" THEN ${counts}."mails" + 1 ELSE 1 END,
      "day" = excluded."day"
    WHERE ${counts}."day" <> excluded."day" OR ${counts}."mails" < ${max}
    RETURNING "mails"`);
  return counted.length > 0;
}
