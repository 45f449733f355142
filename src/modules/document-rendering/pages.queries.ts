import { type PageStatement, type PageWanted, readPage } from '../../common/bounds/page-rows.js';
import { type ColumnKinds, columnsOf, rowReader } from '../../common/database/columns.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, sizedColumns } from '../../common/database/sized-rows.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { nameHash, type ShownCssRow } from './css-row.js';
import type { ShownTemplateRow } from './template-row.js';

/** Which templates or stylesheets are wanted. */
export interface NamedQuery {
  tenantId: string;
  ids: string[] | null | undefined;
  name: string | null | undefined;
  /** Later ids only. */
  after: string | undefined;
}

export interface TemplatesQuery extends NamedQuery {
  active: boolean | null | undefined;
}

const CSS: ColumnKinds<ShownCssRow> = {
  id: 'as it is',
  name: 'as it is',
  text: 'as it is',
  author: 'as it is',
  createdAt: 'time',
  updatedAt: 'time',
};
const TEMPLATE: ColumnKinds<ShownTemplateRow> = {
  id: 'as it is',
  name: 'as it is',
  type: 'as it is',
  active: 'boolean',
  subject: 'as it is',
  body: 'as it is',
  css: 'as it is',
  parentCssId: 'as it is',
  contentType: 'as it is',
  comment: 'as it is',
  author: 'as it is',
  createdAt: 'time',
  updatedAt: 'time',
};
const toCssRow = rowReader(CSS);
const toTemplateRow = rowReader(TEMPLATE);

/** In the order of their creation. */
export async function pageOfCss(prisma: PrismaService, isPostgres: boolean, query: NamedQuery, page: PageWanted) {
  const all = columnsOf(isPostgres, CSS, 't');
  const bytes = bytesOf(['t."name"', 't."text"', 't."author"']);
  const statement: PageStatement = (limit, wanted) => {
    const sql = new SqlValues(isPostgres);
    const columns = sizedColumns(isPostgres, wanted, limit, { all, key: 't."id"', bytes, long: ['t."text"', 't."author"'] });
    const where = conditionsOf(sql, query).join(' AND ');
    const text = `SELECT ${columns} FROM "Css" AS t WHERE ${where} ORDER BY t."id" LIMIT ${sql.value(limit)}`;
    return { text, values: sql.values, wanted };
  };
  const { rows, more } = await readPage(prisma, [statement], page);
  return { rows: rows.map(toCssRow), more };
}

/** The same. Each counts with its parent, which comes with each, but is loaded once. */
export async function pageOfTemplates(prisma: PrismaService, isPostgres: boolean, query: TemplatesQuery, page: PageWanted) {
  const all = columnsOf(isPostgres, TEMPLATE, 't');
  const texts = ['t."name"', 't."subject"', 't."body"', 't."css"', 't."comment"', 't."author"'];
  const bytes = bytesOf([...texts, 'c."name"', 'c."text"', 'c."author"']);
  const parent = 'LEFT JOIN "Css" AS c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"';
  const statement: PageStatement = (limit, wanted) => {
    const sql = new SqlValues(isPostgres);
    const columns = sizedColumns(isPostgres, wanted, limit, { all, key: 't."id"', bytes, long: [] });
    const conditions = conditionsOf(sql, query);
    if (typeof query.active === 'boolean') conditions.push(query.active ? 't."active"' : 'NOT t."active"');
    const where = conditions.join(' AND ');
    const text = `SELECT ${columns} FROM "Template" AS t ${parent} WHERE ${where} ORDER BY t."id" LIMIT ${sql.value(limit)}`;
    return { text, values: sql.values, wanted };
  };
  const { rows, more } = await readPage(prisma, [statement], { ...page, sizesFirst: true });
  const templates = rows.map(toTemplateRow);
  const ids = new Set(templates.flatMap(({ parentCssId }) => parentCssId ?? []));
  const parents = ids.size === 0 ? [] : await prisma.css.findMany({ where: { tenantId: query.tenantId, id: { in: [...ids] } } });
  const byId = new Map(parents.map((css) => [css.id, css]));
  return { rows: templates.map((row) => ({ ...row, parentCss: byId.get(row.parentCssId ?? '') ?? null })), more };
}

function conditionsOf(sql: SqlValues, { tenantId, ids, name, after }: NamedQuery): string[] {
  const conditions = [`t."tenantId" = ${sql.value(tenantId)}`];
  if (ids) conditions.push(ids.length > 0 ? `t."id" IN (${ids.map((id) => sql.value(id)).join()})` : '1 = 0');
  if (after !== undefined) conditions.push(`t."id" > ${sql.value(after)}`);
  if (typeof name === 'string') conditions.push(`t."nameHash" = ${sql.value(nameHash(name))}`);
  return conditions;
}
