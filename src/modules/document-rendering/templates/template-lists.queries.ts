import type { Database } from '../../../common/database/database.js';
import { type Columns, mapper } from '../../../common/database/sql/columns.js';
import { sizedColumns, sizesOf } from '../../../common/database/sql/sized-rows.js';
import { allOf, oneOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { type PageStatement, type PageWanted, readPage } from '../../../common/lists/page-rows.js';
import { nameHash, SHOWN_CSS, SHOWN_PARTIAL, SHOWN_TEMPLATE, SHOWN_VERSION, type ShownTemplateRow } from './template-row.js';
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
interface NamedQuery {
  tenantId: string;
  ids: string[] | null | undefined;
  name: string | null | undefined;
  /** Id after which the page begins. */
  after: string | undefined;
}

/** Returns a reader of pages of a table in the order of creation. */
function pagesOf<T>(shown: Columns<T>) {
  const read = mapper(shown);
  const sizes = sizesOf(shown, 't');
  const from = raw(`FROM "${shown.table}" AS t`);
  return async (database: Database, query: NamedQuery, page: PageWanted) => {
    const all = read.columns(database.dialect, 't');
    const statement: PageStatement = (limit, wanted) => {
      const columns = sizedColumns(database.dialect, wanted, limit, { all, ...sizes });
      return {
        statement: sql`SELECT ${columns} ${from} WHERE ${allOf(conditionsOf(query))} ORDER BY t."id" LIMIT ${limit}`,
        wanted,
      };
    };
    const { rows, more } = await readPage(database.of(query.tenantId), [statement], page);
    return { rows: rows.map(read.row), more };
  };
}
export const pageOfPartials = pagesOf(SHOWN_PARTIAL);
export const pageOfCss = pagesOf(SHOWN_CSS);

/** Returns the conditions on a table with the alias t. */
function conditionsOf({ tenantId, ids, name, after }: NamedQuery): Sql[] {
  const conditions = [sql`t."tenantId" = ${tenantId}`];
  if (ids) conditions.push(oneOf('t."id"', ids));
  if (after !== undefined) conditions.push(sql`t."id" > ${after}`);
  if (typeof name === 'string') conditions.push(sql`t."nameHash" = ${nameHash(name)}`);
  return conditions;
}

export interface TemplatesQuery extends NamedQuery {
  active: boolean | null | undefined;
  /** Partial or layout that the templates use. */
  partId: string | null | undefined;
  order?: TemplatesOrder | null;
}

const TEMPLATE = mapper(SHOWN_TEMPLATE);
const OWN = sizesOf(SHOWN_TEMPLATE, 't');
const SIZES = { ...OWN, bytes: `${OWN.bytes} + ${sizesOf(SHOWN_CSS, 'c').bytes}` };

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
    columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, { all, ...SIZES }),
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

const VERSION = mapper(SHOWN_VERSION);
const SIZES_OF_VERSION = sizesOf(SHOWN_VERSION, 't');

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
  const older = before === undefined ? sql`` : sql`AND t."version" < ${before}`;
  const statement: PageStatement = (limit, wanted) => ({
    statement: sql`
      SELECT ${sizedColumns(dialect, wanted, limit, { all, ...SIZES_OF_VERSION })} FROM "TemplateVersion" AS t
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
