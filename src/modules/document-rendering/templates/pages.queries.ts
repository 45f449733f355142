import type { Database } from '../../../common/database/database.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { bytesOf, sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { sql } from '../../../common/database/sql/sql.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { Walk } from '../../../common/database/sql/index-walks.js';
import type { PageWanted } from '../../../common/pages/page-rows.js';
import { columnsOf, comparedTo, cursorIn, type SortKey, timeKey } from '../../../common/pages/sort-key.js';
import { readSteppedPage, type SteppedList } from '../../../common/pages/stepped-pages.js';
import { indexKey } from '../../../common/validation/index-key.js';
import { SORTED_CHARACTERS, TemplatesOrder } from '../models/template.model.js';
import { conditionsOf, type NamedQuery } from '../parts/partials.queries.js';
import { madeOf } from '../parts/parts.queries.js';
import type { ShownTemplateRow } from './template-row.js';

export interface TemplatesQuery extends NamedQuery {
  active: boolean | null | undefined;
  /** Selects only what is made of a partial or of a layout. */
  partId: string | null | undefined;
  /** OLDEST unless given. */
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

/**
 * Returns a page of templates. The size of each includes that of its parent stylesheet, which is
 * loaded only once.
 */
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

/** The list of templates that match a filter. Exported so that a test can explain its statements. */
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

/** The column that templates are sorted by before their ids; undefined for the order of ids. */
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
