import type { Database } from '../../../common/database/database.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { bytesOf, sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { Walk } from '../../../common/database/sql/index-walks.js';
import type { PageWanted } from '../../../common/pages/page-rows.js';
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
  const key = sortKey(dialect, query.order);
  const others = conditionsOf({ ...query, after: undefined }).slice(1);
  if (typeof active === 'boolean') others.push(active ? sql`t."active"` : sql`NOT t."active"`);
  if (typeof partId === 'string') others.push(sql`t."id" IN (${madeOf(tenantId, partId)})`);
  const compared = (isBehind: boolean, cursor: string): Sql => {
    if (!key) return sql`t."id" ${raw(isBehind ? '>' : '<=')} ${cursor}`;
    const sign = raw(key.ascending ? (isBehind ? '>' : '<=') : isBehind ? '<' : '>=');
    return sql`(${raw(key.column)}, t."id") ${sign} (${key.value(cursor.slice(ID_LENGTH))}, ${cursor.slice(0, ID_LENGTH)})`;
  };
  const walk: Walk = {
    table: '"Template"',
    alias: 't',
    rowKey: ['rowid'],
    order: key ? [key.column, 't."id"'] : ['t."id"'],
    ascending: key?.ascending ?? true,
    cursor: key ? `t."id" || ${key.text}` : 't."id"',
    served: ({ after, downTo }) => [
      sql`t."tenantId" = ${tenantId}`,
      ...(key ? [] : others),
      ...(after === undefined ? [] : [compared(true, after)]),
      ...(downTo === undefined ? [] : [compared(false, downTo)]),
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

const ID_LENGTH = 36;

/** What templates are sorted by before their ids; undefined for the order of ids. */
function sortKey(dialect: Dialect, order: TemplatesOrder | null | undefined) {
  const prefix = dialect.prefix('t."name"', SORTED_CHARACTERS);
  const name = dialect.pick({ sqlite: prefix, postgresql: `${prefix} COLLATE "C"` });
  const time = 't."updatedAt"';
  if (order === TemplatesOrder.NAME) return { column: name, text: name, ascending: true, value: (text: string) => sql`${text}` };
  if (order !== TemplatesOrder.RECENTLY_UPDATED) return undefined;
  const value = (text: string) => dialect.time(new Date(Number(text)));
  return { column: time, text: dialect.milliseconds(time), ascending: false, value };
}

/** The cursor of a template, in the order of a list. */
export function cursorOf(
  order: TemplatesOrder | null,
  { id, name, updatedAt }: Pick<ShownTemplateRow, 'id' | 'name' | 'updatedAt'>,
) {
  if (order === TemplatesOrder.NAME) return `${id}${indexKey(name, SORTED_CHARACTERS)}`;
  return order === TemplatesOrder.RECENTLY_UPDATED ? `${id}${updatedAt.getTime()}` : id;
}
