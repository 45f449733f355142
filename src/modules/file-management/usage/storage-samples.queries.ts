import { Columns, mapper } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { long, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { StorageSample } from './storage.model.js';
import { KEEP_HOURLY_MS, MAX_HISTORY_DAYS } from '../models/limits.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Maximum number of samples checked per statement. */
const SAMPLES_PER_STATEMENT = 500;

export const SAMPLE = mapper(
  new Columns<StorageSample>('StorageSample', { at: 'time', fileSize: 'bigint', fileCount: 'bigint' }),
);

/** Returns the start of the hour of a time. */
export const hourOf = (time: number): Date => new Date(time - (time % HOUR_MS));

/** Returns the start of the hour a number of days before a time. */
export const daysBefore = (time: Date, days: number): Date => hourOf(time.getTime() - days * DAY_MS);

interface History {
  tenantId: string;
  since: Date;
  until: Date;
  limit: number;
}

/**
 * Selects the samples of a period, newest first, and the last one before it, which is valid until the first in the period. Exported
 * for tests of the query plan.
 */
export function historyStatement(dialect: Dialect, { tenantId, since, until, limit }: History): Sql {
  const before = sql`SELECT max(b."at") FROM "StorageSample" AS b WHERE b."tenantId" = ${tenantId} AND b."at" <= ${dialect.time(since)}`;
  return sql`
    SELECT ${raw(SAMPLE.columns(dialect, 's'))} FROM "StorageSample" AS s
    WHERE s."tenantId" = ${tenantId} AND s."at" <= ${dialect.time(until)} AND s."at" >= coalesce((${before}), ${dialect.time(since)})
    ORDER BY s."at" DESC LIMIT ${limit}`;
}

/** Writes a sample for each tenant whose sums differ from its last sample. */
export function takeSamples(dialect: Dialect, now: Date): Sql {
  const hour = hourOf(now.getTime());
  const [at, sweepAt] = [dialect.time(hour), dialect.time(new Date(hour.getTime() + KEEP_HOURLY_MS))];
  const last = sql`SELECT max(l."at") FROM "StorageSample" AS l WHERE l."tenantId" = u."tenantId" AND l."at" <= ${at}`;
  return long(sql`
    INSERT INTO "StorageSample" ("tenantId", "at", "fileSize", "fileCount", "sweepAt")
    SELECT u."tenantId", ${at}, u."fileSize", u."fileCount", ${sweepAt} FROM (
      SELECT "tenantId", CAST(sum("fileSize") AS BIGINT) AS "fileSize", CAST(sum("fileCount") AS BIGINT) AS "fileCount"
      FROM "FileUsage" GROUP BY "tenantId"
    ) AS u
    WHERE NOT EXISTS (
      SELECT 1 FROM "StorageSample" AS s WHERE s."tenantId" = u."tenantId" AND s."at" = (${last})
        AND s."fileSize" = u."fileSize" AND s."fileCount" = u."fileCount")
    ON CONFLICT ("tenantId", "at") DO NOTHING`);
}

/**
 * Thins samples whose `sweepAt` has passed: keeps the last of each day, and the last of all over 400 days old, since a sample is
 * valid until the next one. The first statement reschedules samples to keep, the second deletes the others; each handles up to 500
 * and is idempotent.
 */
export function thinSamples(dialect: Dialect, now: Date): [keep: Sql, remove: Sql] {
  const oldest = daysBefore(now, MAX_HISTORY_DAYS);
  const isOld = sql`"StorageSample"."at" <= ${dialect.time(oldest)}`;
  const nextDay = dialect.pick({
    sqlite: `("StorageSample"."at" / ${DAY_MS} + 1) * ${DAY_MS}`,
    postgresql: `date_trunc('day', "StorageSample"."at") + interval '1 day'`,
  });
  const end = sql`CASE WHEN ${isOld} THEN ${dialect.time(new Date(oldest.getTime() + 1))} ELSE ${raw(nextDay)} END`;
  const later = sql`
    SELECT 1 FROM "StorageSample" AS l
    WHERE l."tenantId" = "StorageSample"."tenantId" AND l."at" > "StorageSample"."at" AND l."at" < ${end}`;
  const due = sql`
    ("tenantId", "at") IN (
      SELECT "tenantId", "at" FROM "StorageSample" WHERE "sweepAt" <= ${dialect.time(now)} ORDER BY "sweepAt" LIMIT ${raw(String(SAMPLES_PER_STATEMENT))})`;
  const atMaxDays = dialect.pick({
    sqlite: `"StorageSample"."at" + ${MAX_HISTORY_DAYS * DAY_MS}`,
    postgresql: `"StorageSample"."at" + interval '${MAX_HISTORY_DAYS} days'`,
  });
  const tomorrow = dialect.time(new Date(now.getTime() + DAY_MS));
  return [
    sql`
      UPDATE "StorageSample" SET "sweepAt" = CASE WHEN ${isOld} THEN ${tomorrow} ELSE ${raw(atMaxDays)} END
      WHERE ${due} AND NOT EXISTS (${later})`,
    sql`DELETE FROM "StorageSample" WHERE ${due} AND EXISTS (${later})`,
  ];
}
