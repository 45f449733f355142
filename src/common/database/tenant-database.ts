import type { Prisma } from '../../generated/sqlite/client.js';
import type { AllTenants, AllTenantsTransaction, Rows, Statements } from './database.js';
import { Sql, sql } from './sql/sql.js';
import type { Compiled, Dialect } from './sql/dialect.js';
import type { Mapper } from './sql/columns.js';
import { type RowsUpTo, rowsUpTo, type SizedStatement } from './sql/sized-rows.js';
import { requireTenant } from './tenant-parameters.js';
import { addModels, type SharedModels, type TenantModels } from './tenant-models.js';

/** What a transaction of one tenant does. */
export interface TenantTransaction extends TenantModels, SharedModels, Statements {
  readonly tenantId: string;
  /** The same transaction over the rows of all tenants. The reason says why the tenant cannot be named. */
  acrossTenants(reason: string): AllTenantsTransaction;
}

/**
 * The rows of one tenant. Each call of a model gets the tenant as a further condition, and writes rows of the tenant only. A
 * statement of our own is refused unless it compares a `"tenantId"` with the tenant. So a forgotten condition is an error, and
 * never another tenant's row.
 */
export interface TenantDatabase extends TenantTransaction, Rows {
  $transaction<T>(work: (transaction: TenantTransaction) => Promise<T>): Promise<T>;
  $transaction(steps: Prisma.PrismaPromise<unknown>[]): Promise<unknown[]>;
}

/** A transaction of one tenant; the models are getters of its prototype. */
class OneTenantTransaction<Client extends AllTenantsTransaction> {
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

class OneTenant extends OneTenantTransaction<AllTenants> implements Rows {
  $query(compiled: Compiled): Promise<unknown[][]> {
    requireTenant(compiled, this.tenantId);
    return this.client.$query(compiled);
  }

  $cells(statement: Sql): Promise<unknown[][]> {
    return this.$query(this.dialect.compile(statement));
  }

  async $rows<T>(mapper: Mapper<T>, statement: Sql): Promise<T[]> {
    return (await this.$cells(statement)).map(mapper.row);
  }

  $cellsUpTo(statement: SizedStatement, maxBytes: number): Promise<RowsUpTo> {
    return rowsUpTo(this, statement, maxBytes);
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

/** Returns the rows of one tenant. */
export function tenantDatabase(all: AllTenants, tenantId: string): TenantDatabase {
  return new OneTenant(all, tenantId, all.dialect) as unknown as TenantDatabase;
}
