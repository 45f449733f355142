import type { Database } from '../../../common/database/database.js';
import type { Rows } from '../../../common/database/rows.js';
import type { Mapper } from '../../../common/database/sql/columns.js';
import type { Walk } from '../../../common/database/sql/index-walks.js';
import { raw, sql } from '../../../common/database/sql/sql.js';
import { rowsOfBoth, type TenantReader } from '../../../common/database/tenant-database.js';

/** List of a tenant, which includes what it inherits. */
interface Inheriting {
  tenantId: string;
  parent?: TenantReader | undefined;
}

/** Mark of a row of the parent. */
export interface Inherited {
  inherited?: boolean;
}

/** Marks a row of the parent. Its author is a person of the parent. */
export const inherited = <Row extends object>(row: Row): Row & Inherited => ({ ...row, author: null, inherited: true });

export const rowsFor = (database: Database, { tenantId, parent }: Inheriting): Rows =>
  parent ? rowsOfBoth(database.of(tenantId), parent) : database.of(tenantId);

/** Number of cells that `withOwner` adds. */
export const OWNER_CELLS = 2;

/** Adds the place in the order of the list, by which the rows of both tenants are merged, and the owner to the columns. */
export function withOwner<C extends { all: string; key: string }>({ parent }: Inheriting, place: string, columns: C): C {
  return parent ? { ...columns, key: place, all: `${place}, t."tenantId", ${columns.all}` } : columns;
}

/** Returns a reader of the rows with these columns. */
export function readerOf<Row extends object>(
  { row }: Mapper<Row>,
  { parent }: Inheriting,
): (cells: unknown[]) => Row & Inherited {
  if (!parent) return row;
  return (cells) => {
    const found = row(cells.slice(OWNER_CELLS));
    return cells[1] === parent.tenantId ? inherited(found) : found;
  };
}

/** Returns the parts of a list: the rows of the tenant, and those of its parent whose name the tenant has not used. */
export function partsOf({ tenantId, parent }: Inheriting, walkOf: (tenantId: string) => Walk): [Walk][] {
  const own = walkOf(tenantId);
  if (!parent) return [[own]];
  const walk = walkOf(parent.tenantId);
  const used = sql`SELECT 1 FROM ${raw(walk.table)} AS o WHERE o."tenantId" = ${tenantId} AND o."nameHash" = t."nameHash"`;
  return [[own], [{ ...walk, rest: [...walk.rest, sql`NOT EXISTS (${used})`] }]];
}
