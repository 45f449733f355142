import type { Database } from '../../../common/database/database.js';
import { bytesOf } from '../../../common/database/sql/sized-rows.js';
import { oneOf, raw, sql } from '../../../common/database/sql/sql.js';
import type { TemplateTranslationModel } from '../../../generated/sqlite/models.js';
import type { TemplateTranslation } from '../models/template.model.js';
import { toAuthor } from '../parts/named-row.js';

export type TranslationRow = TemplateTranslationModel;

/** Returns how many bytes the translations of templates have, by the ids of the templates that have some. */
export async function sizesOfTranslations(
  database: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const bytes = bytesOf(['t."subject"', 't."body"', 't."author"']);
  const rows = await database.of(tenantId).$cells(sql`
    SELECT t."templateId", sum(${raw(bytes)}) FROM "TemplateTranslation" t
    WHERE t."tenantId" = ${tenantId} AND ${oneOf('t."templateId"', ids)} GROUP BY t."templateId"`);
  return new Map(rows.map(([id, size]) => [id as string, Number(size)]));
}

/** Reads the translations of templates in the order of their tags. */
export function translationRows(database: Database, tenantId: string, ids: readonly string[]): Promise<TranslationRow[]> {
  const where = { templateId: { in: [...ids] } };
  return database.of(tenantId).templateTranslation.findMany({ where, orderBy: [{ templateId: 'asc' }, { locale: 'asc' }] });
}

/** Makes the translation that callers see from its row, without what is loaded on request. */
export function toTranslation(row: TranslationRow): Omit<TemplateTranslation, 'loadUnusedParams'> {
  const { locale, subject, body, author, createdAt, updatedAt } = row;
  return { locale, subject, body, author: toAuthor(author), createdAt, updatedAt };
}
