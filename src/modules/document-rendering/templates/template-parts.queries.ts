import type { Database } from '../../../common/database/database.js';
import { oneOf, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { nameHash } from './template-row.js';

/** A template or a layout with all columns that determine a rendering. */
export interface TextsRow {
  id: string;
  name: string;
  type: 'email' | 'document';
  contentType: 'plain' | 'html';
  subject: string | null;
  body: string;
  css: string | null;
  parentText: string | null;
  layoutId: string | null;
  locale: string | null;
}

/** The texts of a template in another language. They are null if they were not loaded, and the subject too if it has none. */
export interface TranslationText {
  templateId: string;
  locale: string;
  subject: string | null;
  body: string | null;
}

/** A partial with the columns that determine a rendering. */
export interface PartialTextRow {
  name: string;
  contentType: 'plain' | 'html';
  body: string;
}

/** A part of templates: a partial, a template that is their layout, or the stylesheet of their layout. */
export type PartKey = { partialId: string } | { layoutId: string } | { stylesheetId: string };

/** A template that is made of a part. */
export interface UserRow {
  id: string;
  name: string;
}

/** Reads templates of a tenant with the texts of their stylesheets. */
export async function textsOf(database: Database, tenantId: string, ids: readonly string[]): Promise<TextsRow[]> {
  if (ids.length === 0) return [];
  return database.of(tenantId).$queryRaw<TextsRow[]>(sql`
    SELECT t."id", t."name", t."type", t."contentType", t."subject", t."body", t."css", c."text" AS "parentText", t."layoutId", t."locale"
    FROM "Template" t LEFT JOIN "Css" c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"
    WHERE t."tenantId" = ${tenantId} AND ${oneOf('t."id"', ids)}`);
}

/** Reads the translations of templates, in some languages with their texts and in all others without. */
export async function translationsOf(
  database: Database,
  tenantId: string,
  templateIds: readonly string[],
  languages: readonly string[] | 'all',
): Promise<TranslationText[]> {
  if (templateIds.length === 0) return [];
  const isWanted = languages === 'all' ? sql`1 = 1` : oneOf('"locale"', languages);
  return database.of(tenantId).$queryRaw<TranslationText[]>(sql`
    SELECT "templateId", "locale", CASE WHEN ${isWanted} THEN "subject" END AS "subject", CASE WHEN ${isWanted} THEN "body" END AS "body"
    FROM "TemplateTranslation" WHERE "tenantId" = ${tenantId} AND ${oneOf('"templateId"', templateIds)}
    ORDER BY "templateId", "locale"`);
}

/** Reads partials of a tenant by their names. */
export async function partialsNamed(database: Database, tenantId: string, names: readonly string[]): Promise<PartialTextRow[]> {
  if (names.length === 0) return [];
  return database.of(tenantId).$queryRaw<PartialTextRow[]>(sql`
    SELECT "name", "contentType", "body" FROM "TemplatePartial"
    WHERE "tenantId" = ${tenantId} AND ${oneOf('"nameHash"', names.map(nameHash))}`);
}

/** Returns how many characters the bodies of partials have together. */
export async function lengthOfPartials(database: Database, tenantId: string, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0;
  const [[length] = []] = await database.of(tenantId).$cells(sql`
    SELECT sum(length("body")) FROM "TemplatePartial" WHERE "tenantId" = ${tenantId} AND ${oneOf('"nameHash"', names.map(nameHash))}`);
  return Number(length);
}

/** Reads the templates that are made of a part, through other parts too, in the order of their creation. */
export async function usersOf(own: Reader, part: PartKey, limit: number): Promise<UserRow[]> {
  const { tenantId } = own;
  return own.$queryRaw<UserRow[]>(sql`
    ${usersOfPart(tenantId, part)}
    SELECT t."id", t."name" FROM "Template" t
    WHERE t."tenantId" = ${tenantId} AND t."id" IN (SELECT "id" FROM "users") ORDER BY t."id" LIMIT ${limit}`);
}

/** Selects the ids of what is made of a partial or of a layout, by its id. */
export function madeOf(tenantId: string, partId: string): Sql {
  return sql`${usersOfPart(tenantId, { partId })} SELECT "id" FROM "users"`;
}

type Reader = Pick<TenantTransaction, 'tenantId' | '$queryRaw'>;

/** Raises the revision of all templates that are made of a part, so that every node renders them anew. */
export async function renew(own: TenantTransaction, part: PartKey): Promise<void> {
  const { tenantId } = own;
  await own.$executeRaw(sql`
    ${usersOfPart(tenantId, part)}
    UPDATE "Template" SET "revision" = "revision" + 1 WHERE "tenantId" = ${tenantId} AND "id" IN (SELECT "id" FROM "users")`);
}

function usersOfPart(tenantId: string, part: PartKey | { partId: string }): Sql {
  return sql`
    WITH RECURSIVE "users"("id") AS (
      ${nearestUsers(tenantId, part)}
      UNION
      SELECT e."userId" FROM "users" u JOIN (
        SELECT "partialId" AS "partId", "userId" FROM "PartialUse" WHERE "tenantId" = ${tenantId}
        UNION ALL
        SELECT "layoutId", "id" FROM "Template" WHERE "tenantId" = ${tenantId} AND "layoutId" IS NOT NULL
      ) e ON e."partId" = u."id"
    )`;
}

function nearestUsers(tenantId: string, part: PartKey | { partId: string }): Sql {
  if ('partId' in part) {
    const [partialId, layoutId] = [part.partId, part.partId];
    return sql`${nearestUsers(tenantId, { partialId })} UNION ${nearestUsers(tenantId, { layoutId })}`;
  }
  if ('partialId' in part) {
    return sql`SELECT "userId" FROM "PartialUse" WHERE "tenantId" = ${tenantId} AND "partialId" = ${part.partialId}`;
  }
  if ('layoutId' in part)
    return sql`SELECT "id" FROM "Template" WHERE "tenantId" = ${tenantId} AND "layoutId" = ${part.layoutId}`;
  return sql`
    SELECT t."id" FROM "Template" l JOIN "Template" t ON t."tenantId" = l."tenantId" AND t."layoutId" = l."id"
    WHERE l."tenantId" = ${tenantId} AND l."parentCssId" = ${part.stylesheetId}`;
}

/** Reads the names of the templates and partials that name a part themselves, in the order of their creation. */
export async function directUsersOf(
  own: Reader,
  part: PartKey,
  limit: number,
): Promise<(Pick<UserRow, 'name'> & { kind: 'template' | 'partial' })[]> {
  const { tenantId } = own;
  const users = nearestUsers(tenantId, part);
  return own.$queryRaw(sql`
    SELECT "name", "kind" FROM (
      SELECT "id", "name", 'template' AS "kind" FROM "Template" WHERE "tenantId" = ${tenantId} AND "id" IN (${users})
      UNION ALL
      SELECT "id", "name", 'partial' AS "kind" FROM "TemplatePartial" WHERE "tenantId" = ${tenantId} AND "id" IN (${users})
    ) AS "users" ORDER BY "id" LIMIT ${limit}`);
}

/** Replaces the partials that a template or partial includes itself. A name without a partial is left out. */
export async function storeIncludes(own: TenantTransaction, userId: string, names: readonly string[]): Promise<void> {
  const { tenantId } = own;
  await own.$executeRaw(sql`DELETE FROM "PartialUse" WHERE "tenantId" = ${tenantId} AND "userId" = ${userId}`);
  if (names.length === 0) return;
  await own.$executeRaw(sql`
    INSERT INTO "PartialUse" ("tenantId", "partialId", "userId")
    SELECT "tenantId", "id", ${userId} FROM "TemplatePartial" WHERE "tenantId" = ${tenantId} AND ${oneOf('"nameHash"', names.map(nameHash))}`);
}

/** Returns how often the parts of a tenant changed. */
export async function partsRevision(database: Database, tenantId: string): Promise<number> {
  const row = await database.of(tenantId).partsRevision.findUnique({ where: { tenantId } });
  return row?.revision ?? 0;
}

/**
 * Counts a change of the tenant's parts, and returns whether there was none since `seen` was read. The row stays locked until the
 * transaction ends, so that parts and the templates made of them change one after another.
 */
export async function countChange(own: TenantTransaction, seen: number): Promise<boolean> {
  const { tenantId } = own;
  const count = await own.$executeRaw(sql`
    INSERT INTO "PartsRevision" ("tenantId", "revision") VALUES (${tenantId}, 1)
    ON CONFLICT ("tenantId") DO UPDATE SET "revision" = "PartsRevision"."revision" + 1
    WHERE "PartsRevision"."tenantId" = ${tenantId} AND "PartsRevision"."revision" = ${seen}`);
  return count > 0;
}
