import { TenantScheduler } from '../../scheduling/tenant-scheduler.js';
import { tenantOfStatement } from '../sql/tenant-parameters.js';
import { type Call, notAnswered, type Order } from './sqlite-orders.js';
import type { SqliteConnection } from './sqlite-connection.js';

/**
 * Decides which order the thread runs next. While a transaction is open, only its own orders run; all others wait in the thread,
 * which learns of the end of the transaction first. Without one, tenants alternate.
 */
export class SqliteTurns {
  private readonly lines = new TenantScheduler<Call>();
  private readonly withdrawn = new Set<number>();
  private inside: Call[] = [];
  private open: number | undefined;

  /** @param refuse called with each dropped order, and the reason */
  constructor(
    private readonly connection: () => Pick<SqliteConnection, 'isInTransaction' | 'end'> | undefined,
    private readonly refuse: (call: Call, reason: Error) => void,
  ) {}

  /** True if a transaction is open that has no pending order. */
  get waitsForOwner(): boolean {
    return this.open !== undefined && this.inside.length === 0;
  }

  add(call: Call): void {
    if (call.transaction === undefined) this.lines.add(tenantOf(call.order), call);
    else if (call.transaction === this.open) this.inside.push(call);
    else this.refuse(call, over());
  }

  /** Drops orders not yet started. Rolls back the open transaction if it is among them. */
  withdraw(calls: number[]): void {
    for (const number of calls) {
      if (number === this.open) this.rollBack();
      else this.withdrawn.add(number);
    }
  }

  next(): Call | undefined {
    for (;;) {
      const call = this.open === undefined ? this.lines.next() : this.inside.shift();
      if (!call) {
        if (this.lines.waiting === 0) this.withdrawn.clear();
        return undefined;
      }
      if (!this.withdrawn.delete(call.number)) return call;
      this.refuse(call, notAnswered('did not begin in time'));
    }
  }

  /**
   * Checks the open transaction. Call it before and after each order that begins none.
   * @throws Error if the open transaction has no owner: orders in it would be lost
   */
  requireOwner({ transaction }: Call): void {
    const connection = this.connection();
    if (transaction !== undefined || !connection?.isInTransaction) return;
    connection.end();
    throw notAnswered('had a transaction open that nobody owns');
  }

  /** Updates the open transaction. Call it after each order: some begin a transaction, some end it, as a full disk does. */
  carriedOut({ number, order }: Call): void {
    const isOpen = this.connection()?.isInTransaction ?? false;
    if (order.do === 'begin' && isOpen) this.open = number;
    else if (this.open !== undefined && !isOpen) this.close();
  }

  /** Rolls back the open transaction: its owner abandoned it, or is silent. */
  rollBack(): void {
    try {
      this.connection()?.end();
    } finally {
      this.close();
    }
  }

  private close(): void {
    this.open = undefined;
    for (const call of this.inside.splice(0)) this.refuse(call, over());
  }
}

function tenantOf(order: Order): string {
  const [statement] = 'statements' in order ? order.statements : 'statement' in order ? [order.statement] : [];
  return (statement && tenantOfStatement(statement.sql, statement.values)) ?? '';
}

const over = (): Error => notAnswered('has ended this transaction');
