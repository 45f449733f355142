import type { Statements } from './outbox.queries.js';

/** Counts one more mail to an address on this day (UTC), unless it had so many. Answers with whether it was counted. */
export async function countValidationMail(
  database: Statements,
  isPostgres: boolean,
  address: string,
  max: number,
): Promise<boolean> {
  const day = new Date().toISOString().slice(0, 10);
  const [at, on, most] = isPostgres ? ['$1', '$2', '$3'] : ['?', '?', '?'];
  const statement = `
    INSERT INTO "EmailValidationCount" ("address", "day", "mails") VALUES (${at}, ${on}, 1)
    ON CONFLICT ("address") DO UPDATE SET
      "mails" = CASE WHEN "EmailValidationCount"."day" = excluded."day" THEN "EmailValidationCount"."mails" + 1 ELSE 1 END,
      "day" = excluded."day"
    WHERE "EmailValidationCount"."day" <> excluded."day" OR "EmailValidationCount"."mails" < ${most}
    RETURNING "mails"`;
  return (await database.$queryRawUnsafe<unknown[]>(statement, address, day, max)).length > 0;
}
