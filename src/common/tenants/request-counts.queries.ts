import type { AllTenants, Database } from '../database/database.js';
import { oneOf, raw, scan, type Sql, sql } from '../database/sql/sql.js';

/** Requests of a key in an hour. */
export interface Counted {
  tenantId: string;
  /** Start of the hour, in milliseconds. */
  hour: number;
  service: string;
  keyId: string;
  /** OK, an error code, or the HTTP status of a request that was refused before its operation. */
  code: string;
  requests: number;
}

const MAX_KEYS = 100;
const ROWS_PER_STEP = 500;

/** Adds counts in one statement, in the order of their keys so that nodes do not wait for each other. Skips deleted tenants. */
export async function addCounts(everyTenant: AllTenants, counts: Counted[]): Promise<void> {
  const { dialect } = everyTenant;
  const rows = counts
    .map(({ tenantId, hour, service, keyId, code, requests }) => [tenantId, hour, service, keyId, code, requests])
    .sort((a, b) => (String(a) < String(b) ? -1 : 1));
  const number = dialect.pick({ sqlite: sql`c.value ->> 5`, postgresql: sql`(c.value ->> 5)::int` });
  await everyTenant.$executeRaw(sql`
    INSERT INTO "RequestCount" ("tenantId", "hour", "service", "keyId", "code", "requests")
    SELECT c.value ->> 0, ${hourOf(dialect)}, c.value ->> 2, c.value ->> 3, c.value ->> 4, ${number}
    FROM ${dialect.elements(sql`${JSON.stringify(rows)}`, 'c')}
    WHERE EXISTS (SELECT 1 FROM "Tenant" AS t WHERE t."id" = c.value ->> 0 AND t."deletingAt" IS NULL)
    ON CONFLICT ("tenantId", "hour", "service", "keyId", "code")
    DO UPDATE SET "requests" = "RequestCount"."requests" + excluded."requests"`);
}

const hourOf = ({ timeOf }: AllTenants['dialect']): Sql => raw(timeOf('(c.value ->> 1)'));

/** Removes counts older than a time in steps. Returns whether there may be more. */
export async function removeCounts(everyTenant: AllTenants, before: Date): Promise<boolean> {
  const columns = raw('"tenantId", "hour", "service", "keyId", "code"');
  const removed = await everyTenant.$executeRaw(sql`
    DELETE FROM "RequestCount" WHERE (${columns}) IN (
      SELECT ${columns} FROM "RequestCount" WHERE "hour" < ${everyTenant.dialect.time(before)} ORDER BY "hour" LIMIT ${ROWS_PER_STEP})`);
  return removed === ROWS_PER_STEP;
}

interface Wanted {
  tenantId: string;
  services: readonly string[];
  from: Date;
}

/** Sums the requests and the errors of each hour. Hours without requests are left out. */
export async function countsByHour(
  database: Database,
  wanted: Wanted,
): Promise<{ at: number; requests: number; errors: number }[]> {
  const { dialect } = database;
  const rows = await database.of(wanted.tenantId).$cells(
    scan(sql`
    SELECT ${raw(dialect.milliseconds('r."hour"'))}, sum(r."requests"), sum(CASE r."code" WHEN 'OK' THEN 0 ELSE r."requests" END)
    FROM "RequestCount" AS r WHERE ${conditions(database, wanted)} GROUP BY r."hour" ORDER BY r."hour"`),
  );
  return rows.map(([at, requests, errors]) => ({ at: Number(at), requests: Number(requests), errors: Number(errors) }));
}

/** Sums the requests by service, key and code, the most first, up to 100. */
export async function countsByKey(database: Database, wanted: Wanted): Promise<Omit<Counted, 'tenantId' | 'hour'>[]> {
  const rows = await database.of(wanted.tenantId).$cells(
    scan(sql`
    SELECT r."service", r."keyId", r."code", sum(r."requests") AS "sum" FROM "RequestCount" AS r
    WHERE ${conditions(database, wanted)} GROUP BY r."service", r."keyId", r."code"
    ORDER BY "sum" DESC, r."service", r."keyId", r."code" LIMIT ${MAX_KEYS}`),
  );
  return rows.map(([service, keyId, code, requests]) => ({
    service: String(service),
    keyId: String(keyId),
    code: String(code),
    requests: Number(requests),
  }));
}

const conditions = ({ dialect }: Database, { tenantId, services, from }: Wanted): Sql =>
  sql`r."tenantId" = ${tenantId} AND r."hour" >= ${dialect.time(from)} AND ${oneOf('r."service"', services)}`;
