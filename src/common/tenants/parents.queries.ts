import type { AllTenantsTransaction } from '../database/database.js';
import { AppError, badInput, quoted } from '../base/app-error.js';
import { isId } from '../base/ids.js';
import type { Dialect } from '../database/sql/dialect.js';
import { sql } from '../database/sql/sql.js';

/** PostgreSQL advisory lock of changes of parents. */
export const PARENTS_LOCK = 7_274_561_903;

/** Makes other changes of parents wait until the transaction ends, so that one level and the order of `parentSetAt` hold. */
export async function lockParents(transaction: AllTenantsTransaction, dialect: Dialect): Promise<void> {
  const lock = sql`SELECT pg_advisory_xact_lock(${PARENTS_LOCK}::bigint)`;
  await dialect.pick({ sqlite: () => Promise.resolve(0), postgresql: () => transaction.$executeRaw(lock) })();
}

export const countChildren = ({ tenant }: AllTenantsTransaction, id: string): Promise<number> =>
  tenant.count({ where: { parentId: id } });

export const asTenants = (count: number): string => (count === 1 ? '1 tenant' : `${count} tenants`);

/** Checks a new parent, under the lock. @throws BAD_USER_INPUT, NOT_FOUND or FAILED_PRECONDITION, naming the field */
export async function checkNewParent(
  transaction: AllTenantsTransaction,
  id: string,
  parentId: string,
  field: string,
): Promise<void> {
  const refused = (message: string) => new AppError('FAILED_PRECONDITION', `${field}: ${message}`, { field });
  if (parentId === id) throw badInput(field, 'must be another tenant');
  const parent = isId(parentId) ? await transaction.tenant.findUnique({ where: { id: parentId } }) : null;
  if (!parent) throw new AppError('NOT_FOUND', `${field}: Tenant ${quoted(parentId)} does not exist`, { field });
  if (parent.deletingAt) throw refused(`Tenant ${parentId} is being deleted; choose another`);
  if (parent.parentId !== null)
    throw refused(`Tenant ${parentId} has a parent itself, ${parent.parentId}; there is one level only`);
  const children = await countChildren(transaction, id);
  if (children > 0)
    throw refused(`Tenant ${id} is the parent of ${asTenants(children)}, so it can have none; there is one level only`);
}

/** Returns the columns of a change, under the lock. Its time is after that of every other change, also on a clock that is slow. */
export async function parentChange({ tenant }: AllTenantsTransaction, parentId: string | null) {
  const where = { parentSetAt: { not: null } };
  const last = await tenant.findFirst({ where, orderBy: { parentSetAt: 'desc' }, select: { parentSetAt: true } });
  return { parentId, parentSetAt: new Date(Math.max(Date.now(), (last?.parentSetAt?.getTime() ?? 0) + 1)) };
}
