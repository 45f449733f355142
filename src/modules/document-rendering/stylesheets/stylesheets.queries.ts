import type { Database } from '../../../common/database/database.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { bytesOf, sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { allOf, sql } from '../../../common/database/sql/sql.js';
import { type PageStatement, type PageWanted, readPage } from '../../../common/pages/page-rows.js';
import { conditionsOf, type NamedQuery } from '../parts/partials.queries.js';
import type { ShownCssRow } from './css-row.js';

const CSS = mapper<ShownCssRow>({
  id: 'as it is',
  name: 'as it is',
  text: 'as it is',
  author: 'as it is',
  createdAt: 'time',
  updatedAt: 'time',
});
/** Returns a page of stylesheets in the order of their creation. */
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
