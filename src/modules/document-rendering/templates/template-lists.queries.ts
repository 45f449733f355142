import type { Database } from '../../../common/database/database.js';
import { type Columns, mapper } from '../../../common/database/sql/columns.js';
import { sizedColumns, sizesOf } from '../../../common/database/sql/sized-rows.js';
import { oneOf, type Sql, sql } from '../../../common/database/sql/sql.js';
import { type PageStatement, type PageWanted, readPage } from '../../../common/lists/page-rows.js';
import { nameHash, SHOWN_CSS, SHOWN_PARTIAL, SHOWN_TEMPLATE, SHOWN_VERSION, type ShownTemplateRow } from './template-row.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { between, columnsOf, cursorIn, ID_LENGTH, type SortKey, timeKey } from '../../../common/lists/sort-key.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import { indexKey } from '../../../common/base/text.js';
import { SORTED_CHARACTERS, TemplatesOrder } from '../models/template.model.js';
import { madeOf } from './template-parts.queries.js';
import type { TenantReader, TenantTransaction } from '../../../common/database/tenant-database.js';
import { inherited, OWNER_CELLS, partsOf, readerOf, rowsFor, withOwner } from './inherited.queries.js';
import { MAX_VERSIONS, MAX_VERSIONS_SIZE } from '../models/limits.js';

/** Filter of templates, stylesheets or partials. */
interface NamedQuery {
  tenantId: string;
  /** Rows of the tenant's parent, which the list includes. */
  parent?: TenantReader | undefined;
  ids: string[] | null | undefined;
  name: string | null | undefined;
  /** Id after which the page begins. */
  after: string | undefined;
}

/** Returns a reader of pages of a table in the order of creation. */
function pagesOf<T>(shown: Columns<T>) {
  const read = mapper(shown);
  const sizes = sizesOf(shown, 't');
  return async (database: Database, query: NamedQuery, page: PageWanted) => {
    const { dialect } = database;
    const sorted = { id: 't."id"', ascending: true };
    const walk = {
      table: `"${shown.table}"`,
      alias: 't',
      rowKey: ['rowid'],
      order: columnsOf(sorted),
      ascending: true,
      cursor: sorted.id,
    };
    const sized = withOwner(query, sorted.id, { all: read.columns(dialect, 't'), ...sizes });
    const list: SteppedList = {
      dialect,
      columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, sized),
      columnCount: read.count + (query.parent ? OWNER_CELLS : 0),
      parts: partsOf(query, (tenantId) => ({
        ...walk,
        served: (range) => [sql`t."tenantId" = ${tenantId}`, ...conditionsOf(query), ...between(dialect, sorted, range)],
        rest: [],
      })),
    };
    const { rows, more } = await readSteppedPage(rowsFor(database, query), list, { ...page, after: query.after });
    return { rows: rows.map(readerOf(read, query)), more };
  };
}
export const pageOfPartials = pagesOf(SHOWN_PARTIAL);
export const pageOfCss = pagesOf(SHOWN_CSS);

/** Returns the conditions on a table with the alias t. */
function conditionsOf({ ids, name }: NamedQuery): Sql[] {
  const conditions: Sql[] = [];
  if (ids) conditions.push(oneOf('t."id"', ids));
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
  const { rows, more } = await readSteppedPage(rowsFor(database, query), templatesList(database.dialect, query), {
    ...page,
    sizesFirst: true,
    after: query.after,
  });
  const templates = rows.map(readerOf(TEMPLATE, query));
  const sheets = await Promise.all(
    [database.of(query.tenantId), ...(query.parent ? [query.parent] : [])].map(async ({ css, tenantId }) => {
      const isInherited = tenantId !== query.tenantId;
      const ids = templates.flatMap(({ parentCssId, inherited = false }) =>
        inherited === isInherited ? (parentCssId ?? []) : [],
      );
      const found = ids.length === 0 ? [] : await css.findMany({ where: { id: { in: [...new Set(ids)] } } });
      return isInherited ? found.map(inherited) : found;
    }),
  );
  const byId = new Map(sheets.flat().map((css) => [css.id, css]));
  return { rows: templates.map((row) => ({ ...row, parentCss: byId.get(row.parentCssId ?? '') ?? null })), more };
}

/** Returns the list of templates that match a filter. Exported for tests of the query plans. */
export function templatesList(dialect: Dialect, query: TemplatesQuery): SteppedList {
  const { active, partId } = query;
  const key = sortKeyOf(dialect, query.order);
  const sorted = { id: 't."id"', key, ascending: query.order !== TemplatesOrder.RECENTLY_UPDATED };
  const place = key ? `${placeIn(dialect, key, query.order)} || ${sorted.id}` : sorted.id;
  const sized = withOwner(query, place, { all: TEMPLATE.columns(dialect, 't'), ...SIZES });
  return {
    dialect,
    columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, sized),
    columnCount: TEMPLATE.count + (query.parent ? OWNER_CELLS : 0),
    placeOf: key && ((cursor) => placeOfCursor(cursor, query.order)),
    parts: partsOf(query, (tenantId) => {
      const others = conditionsOf(query);
      if (typeof active === 'boolean') others.push(active ? sql`t."active"` : sql`NOT t."active"`);
      if (typeof partId === 'string') others.push(sql`t."id" IN (${madeOf(tenantId, partId)})`);
      return {
        table: '"Template"',
        alias: 't',
        rowKey: ['rowid'],
        order: columnsOf(sorted),
        ascending: sorted.ascending,
        cursor: cursorIn(dialect, sorted),
        served: (range) => [sql`t."tenantId" = ${tenantId}`, ...(key ? [] : others), ...between(dialect, sorted, range)],
        join: sql`LEFT JOIN "Css" AS c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"`,
        rest: key ? others : [],
      };
    }),
  };
}

/** Writes the sort column of a list of two tenants as a text, whose order by code units is that of the list. */
function placeIn<Row>(dialect: Dialect, key: SortKey<Row>, order: TemplatesOrder | null | undefined): string {
  if (order !== TemplatesOrder.NAME) return key.text(dialect);
  const hex = dialect.pick({ sqlite: `hex(${key.column})`, postgresql: `encode(convert_to(${key.column}, 'UTF8'), 'hex')` });
  return `${hex} || ' '`;
}

/** Returns the place of a cursor, which is an id and the value of the sort column. */
function placeOfCursor(cursor: string, order: TemplatesOrder | null | undefined): string {
  const [id, value] = [cursor.slice(0, ID_LENGTH), cursor.slice(ID_LENGTH)];
  return order === TemplatesOrder.NAME ? `${Buffer.from(value).toString('hex')} ${id}` : value + id;
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
  templateId: string;
  /** Version before which the page begins. */
  before: number | undefined;
}

/** Returns a page of a template's versions, newest first. */
export async function pageOfVersions(own: TenantReader, { templateId, before }: VersionsQuery, page: PageWanted) {
  const { dialect, tenantId } = own;
  const all = VERSION.columns(dialect, 't');
  const older = before === undefined ? sql`` : sql`AND t."version" < ${before}`;
  const statement: PageStatement = (limit, wanted) => ({
    statement: sql`
      SELECT ${sizedColumns(dialect, wanted, limit, { all, ...SIZES_OF_VERSION })} FROM "TemplateVersion" AS t
      WHERE t."tenantId" = ${tenantId} AND t."templateId" = ${templateId} ${older} ORDER BY t."version" DESC LIMIT ${limit}`,
    wanted,
  });
  const { rows, more } = await readPage(own, [statement], page);
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
