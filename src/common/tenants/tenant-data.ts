import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { raw, type Sql, sql } from '../database/sql/sql.js';

/** Rows that one statement of a deletion removes at most. */
const ROWS_PER_STATEMENT = 1_000;
/** Rows that are counted at most. */
export const MAX_LEFT_COUNTED = 10_000;

/** One kind of what a tenant has. */
export interface KindOfData {
  /** Its plural, such as `files`. */
  kind: string;
  /** Returns how much is left, up to MAX_LEFT_COUNTED. */
  count(tenantId: string): Promise<number>;
  /** Removes a bounded part. Returns how much that was: 0 once nothing is left. Can be repeated after a crash. */
  remove(tenantId: string): Promise<number>;
}

/**
 * Everything that belongs to a tenant, as the services add it, in the order of its removal. A test compares it with all tables
 * that have a tenantId.
 */
@Injectable()
export class TenantData {
  private readonly list: KindOfData[] = [];

  constructor(private readonly database: Database) {}

  get kinds(): readonly KindOfData[] {
    return this.list;
  }

  /** Adds a kind with steps of its own. */
  add(kind: KindOfData): void {
    this.list.push(kind);
  }

  /** Adds the rows of a table with a tenantId, and the columns of its primary key. */
  addRows(kind: string, table: string, ...key: string[]): void {
    this.add({
      kind,
      count: (tenantId) => this.countRows(table, tenantId),
      remove: (tenantId) => this.database.of(tenantId).$executeRaw(removal({ table, key, tenantId })),
    });
  }

  /** Counts the rows of a table with a tenantId. */
  async countRows(table: string, tenantId: string): Promise<number> {
    const rows = sql`SELECT 1 FROM ${raw(`"${table}"`)} WHERE "tenantId" = ${tenantId} LIMIT ${MAX_LEFT_COUNTED}`;
    const [[count] = []] = await this.database.of(tenantId).$cells(sql`SELECT count(*) FROM (${rows}) AS "rows"`);
    return Number(count);
  }
}

function removal({ table, key, tenantId }: { table: string; key: string[]; tenantId: string }): Sql {
  const [from, columns] = [raw(`"${table}"`), raw(key.map((column) => `"${column}"`).join())];
  const some = sql`SELECT ${columns} FROM ${from} WHERE "tenantId" = ${tenantId} LIMIT ${ROWS_PER_STATEMENT}`;
  return sql`DELETE FROM ${from} WHERE (${columns}) IN (${some})`;
}
