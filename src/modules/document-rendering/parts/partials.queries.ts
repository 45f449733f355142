import type { Database } from '../../../common/database/database.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { bytesOf, sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { allOf, oneOf, type Sql, sql } from '../../../common/database/sql/sql.js';
import { type PageStatement, type PageWanted, readPage } from '../../../common/pages/page-rows.js';
import { nameHash } from './named-row.js';
import type { ShownPartialRow } from './partial-row.js';

/** Selects templates, stylesheets or partials of a tenant. */
export interface NamedQuery {
  tenantId: string;
  ids: string[] | null | undefined;
  name: string | null | undefined;
  /** Selects only ids after this one. */
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

/** Returns a page of partials in the order of their creation. */
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
export function conditionsOf({ tenantId, ids, name, after }: NamedQuery): Sql[] {
  const conditions = [sql`t."tenantId" = ${tenantId}`];
  if (ids) conditions.push(oneOf('t."id"', ids));
  if (after !== undefined) conditions.push(sql`t."id" > ${after}`);
  if (typeof name === 'string') conditions.push(sql`t."nameHash" = ${nameHash(name)}`);
  return conditions;
}
