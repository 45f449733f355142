import { oneOf, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { TenantReader, TenantTransaction } from '../../../common/database/tenant-database.js';
import { nameHash } from './template-row.js';

/** Template or layout with all columns that determine a rendering. */
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

/** Texts of a template in another language. Null if not loaded; the subject is also null if none was set. */
export interface TranslationText {
  templateId: string;
  locale: string;
  subject: string | null;
  body: string | null;
}

/** Partial with the columns that determine a rendering. */
export interface PartialTextRow {
  name: string;
  contentType: 'plain' | 'html';
  body: string;
}

/** Part of templates: a partial, a layout, or the stylesheet of a layout. */
export type PartKey = { partialId: string } | { layoutId: string } | { stylesheetId: string };

/** Template that uses a part. */
export interface UserRow {
  id: string;
  name: string;
}

/** Reads templates with the texts of their stylesheets. */
export async function textsOf(own: TenantReader, ids: readonly string[]): Promise<TextsRow[]> {
  if (ids.length === 0) return [];
  const { tenantId } = own;
  return own.$queryRaw<TextsRow[]>(sql`
    SELECT t."id", t."name", t."type", t."contentType", t."subject", t."body", t."css", c."text" AS "parentText", t."layoutId", t."locale"
    FROM "Template" t LEFT JOIN "Css" c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"
    WHERE t."tenantId" = ${tenantId} AND ${oneOf('t."id"', ids)}`);
}

/** Reads the translations of templates, with texts for some languages only. */
export async function translationsOf(
  own: TenantReader,
  templateIds: readonly string[],
  languages: readonly string[] | 'all',
): Promise<TranslationText[]> {
  if (templateIds.length === 0) return [];
  const { tenantId } = own;
  const isWanted = languages === 'all' ? sql`1 = 1` : oneOf('"locale"', languages);
  return own.$queryRaw<TranslationText[]>(sql`
    SELECT "templateId", "locale", CASE WHEN ${isWanted} THEN "subject" END AS "subject", CASE WHEN ${isWanted} THEN "body" END AS "body"
    FROM "TemplateTranslation" WHERE "tenantId" = ${tenantId} AND ${oneOf('"templateId"', templateIds)}
    ORDER BY "templateId", "locale"`);
}

/** Reads partials by name. */
export async function partialsNamed(own: TenantReader, names: readonly string[]): Promise<PartialTextRow[]> {
  if (names.length === 0) return [];
  return own.$queryRaw<PartialTextRow[]>(sql`
    SELECT "name", "contentType", "body" FROM "TemplatePartial"
    WHERE "tenantId" = ${own.tenantId} AND ${oneOf('"nameHash"', names.map(nameHash))}`);
}

/** Returns the total number of characters of partials. */
export async function lengthOfPartials(own: TenantReader, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0;
  const [[length] = []] = await own.$cells(sql`
    SELECT sum(length("body")) FROM "TemplatePartial" WHERE "tenantId" = ${own.tenantId} AND ${oneOf('"nameHash"', names.map(nameHash))}`);
  return Number(length);
}

/** Reads the templates that use a part, directly or through other parts, oldest first. */
export async function usersOf(own: Reader, part: PartKey, limit: number): Promise<UserRow[]> {
  const { tenantId } = own;
  return own.$queryRaw<UserRow[]>(sql`
    ${usersOfPart(tenantId, part)}
    SELECT t."id", t."name" FROM "Template" t
    WHERE t."tenantId" = ${tenantId} AND t."id" IN (SELECT "id" FROM "users") ORDER BY t."id" LIMIT ${limit}`);
}

/** Selects the ids of templates and partials that use a partial or layout. */
export function madeOf(tenantId: string, partId: string): Sql {
  return sql`${usersOfPart(tenantId, { partId })} SELECT "id" FROM "users"`;
}

type Reader = Pick<TenantTransaction, 'tenantId' | '$queryRaw'>;

/** Increments the revision of all templates that use a part, so that every node reloads them. */
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

/** Reads the names of templates and partials that use a part directly, oldest first. */
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

/** Replaces the list of partials that a template or partial includes. Omits names without a partial. */
export async function storeIncludes(own: TenantTransaction, userId: string, names: readonly string[]): Promise<void> {
  const { tenantId } = own;
  await own.$executeRaw(sql`DELETE FROM "PartialUse" WHERE "tenantId" = ${tenantId} AND "userId" = ${userId}`);
  if (names.length === 0) return;
  await own.$executeRaw(sql`
    INSERT INTO "PartialUse" ("tenantId", "partialId", "userId")
    SELECT "tenantId", "id", ${userId} FROM "TemplatePartial" WHERE "tenantId" = ${tenantId} AND ${oneOf('"nameHash"', names.map(nameHash))}`);
}

/** Returns the number of changes of a tenant's parts. */
export async function partsRevision({ tenantId, partsRevision: table }: TenantReader): Promise<number> {
  const row = await table.findUnique({ where: { tenantId } });
  return row?.revision ?? 0;
}

/**
 * Counts a change of the tenant's parts. Returns false if another was counted since `seen` was read. The row stays locked until the
 * transaction ends, which serializes the tenant's changes.
 */
export async function countChange(own: TenantTransaction, seen: number): Promise<boolean> {
  const { tenantId } = own;
  const count = await own.$executeRaw(sql`
    INSERT INTO "PartsRevision" ("tenantId", "revision") VALUES (${tenantId}, 1)
    ON CONFLICT ("tenantId") DO UPDATE SET "revision" = "PartsRevision"."revision" + 1
    WHERE "PartsRevision"."tenantId" = ${tenantId} AND "PartsRevision"."revision" = ${seen}`);
  return count > 0;
}
