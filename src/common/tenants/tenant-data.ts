import { Injectable } from '@nestjs/common';
import type { RetentionPeriods } from '../config/retention-periods.js';
import { Database } from '../database/database.js';
import { withoutCase } from '../database/sql/text-conditions.js';
import { lowerAscii } from '../base/text.js';
import { join, raw, scan, type Sql, sql } from '../database/sql/sql.js';

/** Maximum number of rows that one statement of a deletion or an erasure changes. */
const ROWS_PER_STATEMENT = 1_000;
/** Maximum number of rows counted. */
export const MAX_LEFT_COUNTED = 10_000;

/** Kind of data of a tenant. */
export interface KindOfData {
  /** Plural name, such as `files`. */
  kind: string;
  /** Returns the remaining number of items, up to MAX_LEFT_COUNTED. */
  count(tenantId: string): Promise<number>;
  /** Removes a limited part. Returns the number of removed items; 0 once none is left. Repeatable after a crash. */
  remove(tenantId: string): Promise<number>;
}

export interface RetentionStep {
  /** Number of removed items. */
  removed: number;
  /** True if there may be more to remove. */
  more: boolean;
}

/** Kind of data with a retention period. */
export interface RetainedKind {
  kind: keyof RetentionPeriods;
  /** Removes up to `limit` items of a tenant older than a time. Repeatable after a crash. */
  remove(tenantId: string, olderThan: Date, bounds: { limit: number }): Promise<RetentionStep>;
}

/** Identifiers of a person. Null means unknown, and is not searched for. */
export interface Person {
  /** Id as an author. */
  authorId: string | null;
  /** Name as a recipient of messages. */
  recipient: string | null;
  /** Email address, in any letter case. */
  emailAddress: string | null;
}

export interface ErasureStep {
  /** Number of erased items. */
  erased: number;
  /** True if there may be more to erase. */
  more: boolean;
}

/** Kind of data that names persons. */
export interface KindOfTrace {
  /** Plural name, such as `messages`. */
  kind: string;
  /**
   * Erases a limited part of the data of a tenant on a person. Repeatable after a crash.
   * @throws AppError with the reason why the erasure must wait, without naming the person
   */
  erase(tenantId: string, person: Person): Promise<ErasureStep>;
}

export const NOTHING_ERASED: ErasureStep = { erased: 0, more: false };

/**
 * Registry of tenant data: all kinds, those with a retention period, and those that name persons. Each service adds its own in its
 * constructor. Kinds are removed and erased in the order of the registry. A test compares all kinds with the tables that have a
 * tenantId.
 */
@Injectable()
export class TenantData {
  private readonly had: KindOfData[] = [];
  private readonly kept: RetainedKind[] = [];
  private readonly named: KindOfTrace[] = [];

  constructor(private readonly database: Database) {}

  /** All kinds of data of a tenant. */
  get kinds(): readonly KindOfData[] {
    return this.had;
  }

  /** Kinds of data with a retention period. */
  get retained(): readonly RetainedKind[] {
    return this.kept;
  }

  /** Kinds of data that name persons. */
  get traces(): readonly KindOfTrace[] {
    return this.named;
  }

  /** Adds a kind with its own steps. */
  add(kind: KindOfData): void {
    this.had.push(kind);
  }

  addRetained(kind: RetainedKind): void {
    this.kept.push(kind);
  }

  addTrace(kind: KindOfTrace): void {
    this.named.push(kind);
  }

  /** Adds the rows of a table with a tenantId and this primary key. */
  addRows(kind: string, table: string, ...key: string[]): void {
    this.add({
      kind,
      count: (tenantId) => this.countRows(table, tenantId),
      remove: (tenantId) => this.database.of(tenantId).$executeRaw(deletion({ table, key, tenantId })),
    });
  }

  /** Counts the rows of a table with a tenantId. */
  async countRows(table: string, tenantId: string): Promise<number> {
    const rows = sql`SELECT 1 FROM ${raw(`"${table}"`)} WHERE "tenantId" = ${tenantId} LIMIT ${MAX_LEFT_COUNTED}`;
    const [[count] = []] = await this.database.of(tenantId).$cells(scan(sql`SELECT count(*) FROM (${rows}) AS "rows"`));
    return Number(count);
  }

  /** Adds the authors in a table with a tenantId and an id, stored as JSON. Erasure removes only the author from the row. */
  addAuthors(kind: string, table: string): void {
    this.addTrace({ kind, erase: (tenantId, person) => this.eraseAuthors(table, tenantId, person) });
  }

  private async eraseAuthors(table: string, tenantId: string, { authorId, emailAddress }: Person): Promise<ErasureStep> {
    const is: Sql[] = [];
    if (authorId !== null) is.push(this.contains(raw('"author"'), member('id', authorId)));
    if (emailAddress !== null) {
      is.push(this.contains(withoutCase(this.database.dialect, '"author"'), lowerAscii(member('email', emailAddress))));
    }
    if (is.length === 0) return NOTHING_ERASED;
    const of = sql`${raw(`"${table}"`)}`;
    const some = sql`SELECT "id" FROM ${of} WHERE "tenantId" = ${tenantId} AND "author" IS NOT NULL AND (${join(is, ' OR ')}) LIMIT ${ROWS_PER_STATEMENT}`;
    const erased = await this.database
      .of(tenantId)
      .$executeRaw(sql`UPDATE ${of} SET "author" = NULL WHERE "tenantId" = ${tenantId} AND "id" IN (${some})`);
    return { erased, more: erased === ROWS_PER_STATEMENT };
  }

  private contains(column: Sql, text: string): Sql {
    return sql`${raw(this.database.dialect.position)}(${column}, ${text}) > 0`;
  }
}

function deletion({ table, key, tenantId }: { table: string; key: string[]; tenantId: string }): Sql {
  const [from, columns] = [raw(`"${table}"`), raw(key.map((column) => `"${column}"`).join())];
  const some = sql`SELECT ${columns} FROM ${from} WHERE "tenantId" = ${tenantId} LIMIT ${ROWS_PER_STATEMENT}`;
  return sql`DELETE FROM ${from} WHERE (${columns}) IN (${some})`;
}

/** Returns a member as JSON.stringify writes it. No text value contains it, since quotes in it are escaped. */
const member = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;
