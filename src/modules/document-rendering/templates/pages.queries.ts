import type { Database } from '../../../common/database/database.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { bytesOf, sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { allOf, sql } from '../../../common/database/sql/sql.js';
import { type PageStatement, type PageWanted, readPage } from '../../../common/pages/page-rows.js';
import { conditionsOf, type NamedQuery } from '../parts/partials.queries.js';
import { madeOf } from '../parts/parts.queries.js';
import type { ShownTemplateRow } from './template-row.js';

export interface TemplatesQuery extends NamedQuery {
  active: boolean | null | undefined;
  /** Selects only what is made of a partial or of a layout. */
  partId: string | null | undefined;
}

const TEMPLATE = mapper<ShownTemplateRow>({
  id: 'as it is',
  name: 'as it is',
  type: 'as it is',
  active: 'boolean',
  subject: 'as it is',
  body: 'as it is',
  css: 'as it is',
  parentCssId: 'as it is',
  layoutId: 'as it is',
  locale: 'as it is',
  sampleParams: 'as it is',
  version: 'as it is',
  contentType: 'as it is',
  comment: 'as it is',
  author: 'as it is',
  createdAt: 'time',
  updatedAt: 'time',
});

/**
 * Returns a page of templates in the order of their creation. The size of each includes that of its parent stylesheet, which is
 * loaded only once.
 */
export async function pageOfTemplates(database: Database, query: TemplatesQuery, page: PageWanted) {
  const { dialect } = database;
  const all = TEMPLATE.columns(dialect, 't');
  const texts = ['t."name"', 't."subject"', 't."body"', 't."css"', 't."sampleParams"', 't."comment"', 't."author"'];
  const bytes = bytesOf([...texts, 'c."name"', 'c."text"', 'c."author"']);
  const conditions = conditionsOf(query);
  if (typeof query.active === 'boolean') conditions.push(query.active ? sql`t."active"` : sql`NOT t."active"`);
  if (typeof query.partId === 'string') conditions.push(sql`t."id" IN (${madeOf(query.tenantId, query.partId)})`);
  const where = allOf(conditions);
  const statement: PageStatement = (limit, wanted) => {
    const columns = sizedColumns(dialect, wanted, limit, { all, key: 't."id"', bytes, long: [] });
    return {
      statement: sql`
        SELECT ${columns} FROM "Template" AS t
        LEFT JOIN "Css" AS c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"
        WHERE ${where} ORDER BY t."id" LIMIT ${limit}`,
      wanted,
    };
  };
  const { rows, more } = await readPage(database.of(query.tenantId), [statement], { ...page, sizesFirst: true });
  const templates = rows.map(TEMPLATE.row);
  const ids = new Set(templates.flatMap(({ parentCssId }) => parentCssId ?? []));
  const parents = ids.size === 0 ? [] : await database.of(query.tenantId).css.findMany({ where: { id: { in: [...ids] } } });
  const byId = new Map(parents.map((css) => [css.id, css]));
  return { rows: templates.map((row) => ({ ...row, parentCss: byId.get(row.parentCssId ?? '') ?? null })), more };
}
