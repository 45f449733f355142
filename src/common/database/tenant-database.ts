import type { Prisma } from '../../generated/sqlite/client.js';
import type { AllTenants, AllTenantsTransaction, Statements } from './database.js';
import { eventLoop } from '../scheduling/event-loop.js';
import { FROM_QUERY, type Rows } from './rows.js';
import { Sql, sql } from './sql/sql.js';
import type { Compiled, Dialect } from './sql/dialect.js';
import { tenantOfStatement, tenantParameters } from './sql/tenant-parameters.js';
import { MANY_ROWS } from './sql/up-to.js';
import { addModels, READ_ONLY, type ReadModels, type SharedModels, type TenantModels } from './tenant-models.js';

/** Transaction of one tenant. */
export interface TenantTransaction extends TenantModels, SharedModels, Statements {
  readonly tenantId: string;
  /** Returns the same transaction over the rows of all tenants. The reason says why the tenant cannot be named. */
  acrossTenants(reason: string): AllTenantsTransaction;
}

/**
 * Rows of one tenant. Each model call gets the tenant as an additional condition, and writes only rows of the tenant. A raw
 * statement is refused unless it compares a `"tenantId"` with the tenant. A forgotten condition is therefore an error, never
 * another tenant's row.
 */
export interface TenantDatabase extends TenantTransaction, Rows {
  $transaction<T>(work: (transaction: TenantTransaction) => Promise<T>): Promise<T>;
  $transaction(steps: Prisma.PrismaPromise<unknown>[]): Promise<unknown[]>;
}

/** Rows of one tenant, for reading. */
export interface TenantReader extends ReadModels, Rows, Pick<Statements, '$queryRaw'> {
  readonly tenantId: string;
}

/** Transaction of one tenant. The models are getters of its prototype. */
class OneTenantTransaction<Client extends AllTenantsTransaction> {
  readonly isReadOnly: boolean = false;

  constructor(
    readonly client: Client,
    readonly tenantId: string,
    readonly dialect: Dialect,
  ) {}

  $queryRaw(statement: Sql | TemplateStringsArray, ...values: unknown[]): Prisma.PrismaPromise<unknown> {
    return this.client.$queryRaw(this.own(statement, values));
  }

  $executeRaw(statement: Sql | TemplateStringsArray, ...values: unknown[]): Prisma.PrismaPromise<number> {
    return this.client.$executeRaw(this.own(statement, values));
  }

  acrossTenants(_reason: string): Client {
    return this.client;
  }

  private own(statement: Sql | TemplateStringsArray, values: unknown[]): Sql {
    const whole = statement instanceof Sql ? statement : sql(statement, ...values);
    requireTenant(this.dialect.compile(whole), this.tenantId);
    return whole;
  }
}
addModels(OneTenantTransaction.prototype);

class OneTenant extends OneTenantTransaction<AllTenants> {
  /** Returns many rows within a slice of the event loop: otherwise the results of many statements would be processed in one turn. */
  $query(compiled: Compiled): Promise<unknown[][]> {
    requireTenant(compiled, this.tenantId);
    return this.client.$query(compiled).then(async (rows) => {
      if (rows.length >= MANY_ROWS && eventLoop.sliceUsed) await eventLoop.yield(this.tenantId);
      return rows;
    });
  }

  $atomically(statements: Sql[]): Promise<unknown[][][]> {
    for (const statement of statements) requireTenant(this.dialect.compile(statement), this.tenantId);
    return this.client.$atomically(statements);
  }

  $transaction(work: ((transaction: TenantTransaction) => Promise<unknown>) | Prisma.PrismaPromise<unknown>[]): Promise<unknown> {
    if (typeof work !== 'function') return this.client.$transaction(work);
    return this.client.$transaction((client) => {
      const transaction = new OneTenantTransaction(client, this.tenantId, this.dialect);
      return work(transaction as unknown as TenantTransaction);
    });
  }
}
Object.assign(OneTenant.prototype, FROM_QUERY);

/** Rows of a parent. Refuses what could write, at compile time by its type, and at run time. */
class ParentRows extends OneTenant {
  override readonly isReadOnly = true;

  override $query(compiled: Compiled): Promise<unknown[][]> {
    if (WRITING.test(compiled.text)) throw new Error(READ_ONLY);
    return super.$query(compiled);
  }

  override $queryRaw(statement: Sql | TemplateStringsArray, ...values: unknown[]): Prisma.PrismaPromise<unknown> {
    if (WRITING.test(statement instanceof Sql ? statement.sql : statement.join('?'))) throw new Error(READ_ONLY);
    return super.$queryRaw(statement, ...values);
  }

  override $executeRaw(): never {
    throw new Error(READ_ONLY);
  }

  override $atomically(): never {
    throw new Error(READ_ONLY);
  }

  override $transaction(): never {
    throw new Error(READ_ONLY);
  }

  override acrossTenants(): never {
    throw new Error(READ_ONLY);
  }
}

const WRITING = /\b(INSERT|UPDATE|DELETE)\b/;

/** Returns the rows of a parent, for its children. */
export function parentRows(all: AllTenants, tenantId: string): TenantReader {
  return new ParentRows(all, tenantId, all.dialect) as unknown as TenantReader;
}

/** Runs statements of one list on the rows of a tenant, and on those of its parent. Each compares its own tenant first. */
export function rowsOfBoth(own: Rows, parent: TenantReader): Rows {
  const { dialect } = own;
  const isOfParent = ({ text, values }: Compiled) => tenantOfStatement(text, values) === parent.tenantId;
  return {
    ...FROM_QUERY,
    dialect,
    $query: (compiled) => (isOfParent(compiled) ? parent : own).$query(compiled),
    $atomically: (statements) => own.$atomically(statements),
  };
}

/** Returns the rows of one tenant. */
export function tenantDatabase(all: AllTenants, tenantId: string): TenantDatabase {
  return new OneTenant(all, tenantId, all.dialect) as unknown as TenantDatabase;
}

/**
 * Makes other locking transactions of the tenant wait until this one ends, so that its counts and reads stay valid. On SQLite
 * every transaction locks.
 */
export async function lockTenant(transaction: TenantTransaction, dialect: Dialect): Promise<void> {
  const all = transaction.acrossTenants('a row of tenants has no "tenantId"');
  const lock = sql`SELECT 1 FROM "Tenant" WHERE "id" = ${transaction.tenantId} FOR NO KEY UPDATE`;
  await dialect.pick({ sqlite: () => Promise.resolve(0), postgresql: () => all.$executeRaw(lock) })();
}

/**
 * Refuses a statement that neither compares a `"tenantId"` with this tenant nor inserts rows of it.
 * @throws Error with the statement, without its values
 */
function requireTenant({ text, values }: Pick<Compiled, 'text' | 'values'>, tenantId: string): void {
  const parameters = tenantParameters(text);
  if (parameters.compared.some((index) => values[index] === tenantId)) return;
  if (parameters.inserts && values.includes(tenantId)) return;
  throw new Error(`a statement of one tenant compares no "tenantId" with that tenant: ${text}`);
}
