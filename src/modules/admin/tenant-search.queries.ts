import type { Database } from '../../common/database/database.js';
import type { Dialect } from '../../common/database/sql/dialect.js';
import { containing } from '../../common/database/sql/text-conditions.js';
import { bytesOf, sizedColumns } from '../../common/database/sql/sized-rows.js';
import { type Sql, sql } from '../../common/database/sql/sql.js';
import type { PageRows, PageWanted } from '../../common/lists/page-rows.js';
import { TEXT_SEARCH_MS } from '../../common/lists/page.js';
import { readSteppedPage, type SteppedList } from '../../common/lists/stepped-pages.js';
import { ADMIN_TENANT } from '../../common/tenants/tenant-names.js';

interface TenantSearch {
  contains: string;
  name: string | null | undefined;
  /** Last id of the previous page. */
  after: string | undefined;
}

/** Reads the ids of a page of matching tenants, in creation order. */
export async function idsOfTenants(
  database: Database,
  search: TenantSearch,
  page: PageWanted,
): Promise<{ ids: string[]; more: PageRows['more'] }> {
  const everyTenant = database.acrossTenants('the operator searches all tenants');
  const list = tenantsList(database.dialect, search);
  const { rows, more } = await readSteppedPage(everyTenant, list, { ...page, after: search.after });
  return { ids: rows.map(([id]) => id as string), more };
}

/** Builds the list of matching tenants. Exported for a query plan test. */
export function tenantsList(dialect: Dialect, { contains, name }: Omit<TenantSearch, 'after'>): SteppedList {
  const rest = [containing(dialect, 't."name"', contains)];
  if (typeof name === 'string') rest.push(sql`t."name" = ${name}`);
  const sized = { all: 't."id", t."name"', key: 't."id"', bytes: bytesOf(['t."name"']), long: ['t."name"'] };
  return {
    dialect,
    columns: (limit, wanted) => sizedColumns(dialect, wanted, limit, sized),
    columnCount: 2,
    searchMs: TEXT_SEARCH_MS,
    parts: [
      [
        {
          table: '"Tenant"',
          alias: 't',
          rowKey: ['rowid'],
          order: ['t."id"'],
          ascending: true,
          cursor: 't."id"',
          served: ({ after = '', downTo }) => {
            const conditions: Sql[] = [sql`t."id" > ${after}`, sql`t."id" <> ${ADMIN_TENANT}`];
            if (downTo !== undefined) conditions.push(sql`t."id" <= ${downTo}`);
            return conditions;
          },
          rest,
        },
      ],
    ],
  };
}
