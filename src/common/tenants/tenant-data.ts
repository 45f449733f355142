import { Injectable } from '@nestjs/common';
import type { RetentionPeriods } from '../config/retention-periods.js';
import { Database } from '../database/database.js';
import { withoutCase } from '../database/sql/text-conditions.js';
import { lowerAscii } from '../base/text.js';
import { join, raw, scan, type Sql, sql } from '../database/sql/sql.js';

/** Rows that one statement of a deletion or an erasure changes at most. */
const ROWS_PER_STATEMENT = 1_000;
/** Rows that are counted at most. */
export const MAX_LEFT_COUNTED = 10_000;

/** One kind of data of a tenant. */
export interface KindOfData {
  /** Its plural, such as `files`. */
  kind: string;
  /** Returns how much is left, up to MAX_LEFT_COUNTED. */
  count(tenantId: string): Promise<number>;
  /** Removes a bounded part. Returns how much that was: 0 once nothing is left. Can be repeated after a crash. */
  remove(tenantId: string): Promise<number>;
}

export interface RetentionStep {
  /** How much was removed. */
  removed: number;
  /** Whether there may be more to remove. */
  more: boolean;
}

/** One kind of data with a retention period. */
export interface RetainedKind {
  kind: keyof RetentionPeriods;
  /** Removes up to `limit` items of a tenant that are older than a time. Can be repeated after a crash. */
  remove(tenantId: string, olderThan: Date, bounds: { limit: number }): Promise<RetentionStep>;
}

/** Identifiers of a person. Null means unknown, and is not searched for. */
export interface Person {
  /** The id as an author. */
  authorId: string | null;
  /** The name as a recipient of messages. */
  recipient: string | null;
  /** An email address, whose case does not matter. */
  emailAddress: string | null;
}

export interface ErasureStep {
  /** How much was erased. */
  erased: number;
  /** Whether there may be more to erase. */
  more: boolean;
}

/** One kind of data that names persons. */
export interface KindOfTrace {
  /** Its plural, such as `messages`. */
  kind: string;
  /**
   * Erases a bounded part of the data of a tenant on a person. Can be repeated after a crash.
   * @throws AppError that says why the erasure must wait, without naming the person
   */
  erase(tenantId: string, person: Person): Promise<ErasureStep>;
}

export const NOTHING_ERASED: ErasureStep = { erased: 0, more: false };

/**
 * Registry of the data of tenants: of all kinds, of those with a retention period, and of those that name persons. Each service
 * adds its own while it is constructed. Kinds are removed and erased in the order of the registry. A test compares all kinds
 * with the tables that have a tenantId.
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

  /** Adds a kind with steps of its own. */
  add(kind: KindOfData): void {
    this.had.push(kind);
  }

  addRetained(kind: RetainedKind): void {
    this.kept.push(kind);
  }

  addTrace(kind: KindOfTrace): void {
    this.named.push(kind);
  }

  /** Adds the rows of a table with a tenantId, and the columns of its primary key. */
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

  /** Adds the authors of a table with a tenantId and an id, where they are stored as JSON. The rows are kept. */
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

/** A member as JSON.stringify writes it, which no text in a JSON text contains: quotes are escaped there. */
const member = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;
