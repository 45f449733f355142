import type { Database } from '../../../common/database/database.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { bytesOf, sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { allOf, oneOf, type Sql, sql } from '../../../common/database/sql/sql.js';
import { type PageStatement, type PageWanted, readPage } from '../../../common/lists/page-rows.js';
import { nameHash, type ShownCssRow, type ShownPartialRow, type ShownTemplateRow, type ShownVersionRow } from './template-row.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { Walk } from '../../../common/database/sql/index-walks.js';
import { columnsOf, comparedTo, cursorIn, type SortKey, timeKey } from '../../../common/lists/sort-key.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import { indexKey } from '../../../common/base/text.js';
import { SORTED_CHARACTERS, TemplatesOrder } from '../models/template.model.js';
import { madeOf } from './template-parts.queries.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { MAX_VERSIONS, MAX_VERSIONS_SIZE } from '../models/limits.js';

/** Filter of templates, stylesheets or partials. */
export interface NamedQuery {
  tenantId: string;
  ids: string[] | null | undefined;
  name: string | null | undefined;
  /** Id after which the page begins. */
  after: string | undefined;
}

const PARTIAL = mapper<ShownPartialRow>({
  id: 'as it is',
  name: 'as it is',
  contentType: 'as it is',
  body: 'as it is',
  author: 'as it is',
  createdAt: 'time',
  updatedAt: 'time',
});

/** Returns a page of partials, oldest first. */
export async function pageOfPartials(database: Database, query: NamedQuery, page: PageWanted) {
  const { dialect } = database;
  const all = PARTIAL.columns(dialect, 't');
  const bytes = bytesOf(['t."name"', 't."body"', 't."author"']);
  const statement: PageStatement = (limit, wanted) => {
    const columns = sizedColumns(dialect, wanted, limit, { all, key: 't."id"', bytes, long: ['t."body"', 't."author"'] });
    const where = allOf(conditionsOf(query));
    return {
      statement: sql`SELECT ${columns} FROM "TemplatePartial" AS t WHERE ${where} ORDER BY t."id" LIMIT ${limit}`,
      wanted,
    };
  };
  const { rows, more } = await readPage(database.of(query.tenantId), [statement], page);
  return { rows: rows.map(PARTIAL.row), more };
}

/** Returns the conditions on a table with the alias t. */
function conditionsOf({ tenantId, ids, name, after }: NamedQuery): Sql[] {
  const conditions = [sql`t."tenantId" = ${tenantId}`];
  if (ids) conditions.push(oneOf('t."id"', ids));
  if (after !== undefined) conditions.push(sql`t."id" > ${after}`);
  if (typeof name === 'string') conditions.push(sql`t."nameHash" = ${nameHash(name)}`);
  return conditions;
}

const CSS = mapper<ShownCssRow>({
  id: 'as it is',
  name: 'as it is',
  text: 'as it is',
  author: 'as it is',
  createdAt: 'time',
  updatedAt: 'time',
});

/** Returns a page of stylesheets, oldest first. */
export async function pageOfCss(database: Database, query: NamedQuery, page: PageWanted) {
  const { dialect } = database;
  const all = CSS.columns(dialect, 't');
  const bytes = bytesOf(['t."name"', 't."text"', 't."author"']);
  const statement: PageStatement = (limit, wanted) => {
    const columns = sizedColumns(dialect, wanted, limit, { all, key: 't."id"', bytes, long: ['t."text"', 't."author"'] });
    const where = allOf(conditionsOf(query));
    return { statement: sql`SELECT ${columns} FROM "Css" AS t WHERE ${where} ORDER BY t."id" LIMIT ${limit}`, wanted };
  };
  const { rows, more } = await readPage(database.of(query.tenantId), [statement], page);
  return { rows: rows.map(CSS.row), more };
}

export interface TemplatesQuery extends NamedQuery {
  active: boolean | null | undefined;
  /** Partial or layout that the templates use. */
  partId: string | null | undefined;
  order?: TemplatesOrder | null;
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

const TEXTS = ['t."name"', 't."subject"', 't."body"', 't."css"', 't."sampleParams"', 't."comment"', 't."author"'];
const BYTES = bytesOf([...TEXTS, 'c."name"', 'c."text"', 'c."author"']);

/** Returns a page of templates. The size of each includes its parent stylesheet, which is loaded only once. */
export async function pageOfTemplates(database: Database, query: TemplatesQuery, page: PageWanted) {
  const own = database.of(query.tenantId);
  const { rows, more } = await readSteppedPage(own, templatesList(database.dialect, query), {
    ...page,
    sizesFirst: true,
    after: query.after,
  });
  const templates = rows.map(TEMPLATE.row);
  const ids = new Set(templates.flatMap(({ parentCssId }) => parentCssId ?? []));
  const parents = ids.size === 0 ? [] : await database.of(query.tenantId).css.findMany({ where: { id: { in: [...ids] } } });
  const byId = new Map(parents.map((css) => [css.id, css]));
  return { rows: templates.map((row) => ({ ...row, parentCss: byId.get(row.parentCssId ?? '') ?? null })), more };
}

/** Returns the list of templates that match a filter. Exported for tests of the query plans. */
export function templatesList(dialect: Dialect, query: TemplatesQuery): SteppedList {
  const { tenantId, active, partId } = query;
  const all = TEMPLATE.columns(dialect, 't');
  const key = sortKeyOf(dialect, query.order);
  const sorted = { id: 't."id"', key, ascending: query.order !== TemplatesOrder.RECENTLY_UPDATED };
  const others = conditionsOf({ ...query, after: undefined }).slice(1);
  if (typeof active === 'boolean') others.push(active ? sql`t."active"` : sql`NOT t."active"`);
  if (typeof partId === 'string') others.push(sql`t."id" IN (${madeOf(tenantId, partId)})`);
  const walk: Walk = {
    table: '"Template"',
    alias: 't',
    rowKey: ['rowid'],
    order: columnsOf(sorted),
    ascending: sorted.ascending,
    cursor: cursorIn(dialect, sorted),
    served: ({ after, downTo }) => [
      sql`t."tenantId" = ${tenantId}`,
      ...(key ? [] : others),
      ...(after === undefined ? [] : [comparedTo(dialect, sorted, 'behind', after)]),
      ...(downTo === undefined ? [] : [comparedTo(dialect, sorted, 'down to', downTo)]),
    ],
    join: sql`LEFT JOIN "Css" AS c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"`,
    rest: key ? others : [],
  };
  return {
    dialect,
    columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, { all, key: 't."id"', bytes: BYTES, long: [] }),
    columnCount: TEMPLATE.count,
    parts: [[walk]],
  };
}

/** Returns the sort column of templates before the id; undefined for the order of ids. */
export function sortKeyOf(
  dialect: Dialect,
  order: TemplatesOrder | null | undefined,
): SortKey<Pick<ShownTemplateRow, 'id' | 'name' | 'updatedAt'>> | undefined {
  if (order === TemplatesOrder.RECENTLY_UPDATED) return timeKey('t."updatedAt"', ({ updatedAt }) => updatedAt);
  if (order !== TemplatesOrder.NAME) return undefined;
  const prefix = dialect.prefix('t."name"', SORTED_CHARACTERS);
  const column = dialect.pick({ sqlite: prefix, postgresql: `${prefix} COLLATE "C"` });
  const of = ({ name }: { name: string }) => indexKey(name, SORTED_CHARACTERS);
  return { column, text: () => column, value: (_dialect, text) => sql`${text}`, of };
}

const VERSION = mapper<ShownVersionRow>({
  version: 'as it is',
  contentType: 'as it is',
  subject: 'as it is',
  body: 'as it is',
  css: 'as it is',
  parentCssId: 'as it is',
  layoutId: 'as it is',
  locale: 'as it is',
  sampleParams: 'as it is',
  comment: 'as it is',
  author: 'as it is',
  createdAt: 'time',
});

interface VersionsQuery {
  tenantId: string;
  templateId: string;
  /** Version before which the page begins. */
  before: number | undefined;
}

/** Returns a page of a template's versions, newest first. */
export async function pageOfVersions(database: Database, { tenantId, templateId, before }: VersionsQuery, page: PageWanted) {
  const { dialect } = database;
  const all = VERSION.columns(dialect, 't');
  const long = ['t."body"', 't."css"', 't."sampleParams"', 't."author"'];
  const bytes = bytesOf(['t."subject"', 't."comment"', ...long]);
  const older = before === undefined ? sql`` : sql`AND t."version" < ${before}`;
  const statement: PageStatement = (limit, wanted) => ({
    statement: sql`
      SELECT ${sizedColumns(dialect, wanted, limit, { all, key: 't."version"', bytes, long })} FROM "TemplateVersion" AS t
      WHERE t."tenantId" = ${tenantId} AND t."templateId" = ${templateId} ${older} ORDER BY t."version" DESC LIMIT ${limit}`,
    wanted,
  });
  const { rows, more } = await readPage(database.of(tenantId), [statement], page);
  return { rows: rows.map(VERSION.row), more };
}

/** Removes the oldest versions over the maximum number or size. The newest is never removed. */
export async function removeOldVersions(own: TenantTransaction, templateId: string): Promise<void> {
  const { tenantId } = own;
  await own.$executeRaw(sql`
    DELETE FROM "TemplateVersion" WHERE "tenantId" = ${tenantId} AND "templateId" = ${templateId} AND "version" IN (
      SELECT "version" FROM (
        SELECT "version", row_number() OVER (ORDER BY "version" DESC) AS "place", sum("size") OVER (ORDER BY "version" DESC) AS "total"
        FROM "TemplateVersion" WHERE "tenantId" = ${tenantId} AND "templateId" = ${templateId}
      ) AS "kept" WHERE "place" > ${MAX_VERSIONS} OR ("place" > 1 AND "total" > ${MAX_VERSIONS_SIZE})
    )`);
}
