import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { lowerAscii, withoutCase } from '../database/sql/letter-case.js';
import { join, raw, type Sql, sql } from '../database/sql/sql.js';

/** Rows that one statement changes at most. */
const ROWS_PER_STATEMENT = 1_000;

/** The names of a person; null: not known, so not looked for. */
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

/** One kind of what names persons. */
export interface KindOfTrace {
  /** Its plural, such as `messages`. */
  kind: string;
  /**
   * Erases a bounded part of what a tenant has of a person. Can be repeated after a crash.
   * @throws AppError that says why it must wait, without naming the person
   */
  erase(tenantId: string, person: Person): Promise<ErasureStep>;
}

export const NOTHING_ERASED: ErasureStep = { erased: 0, more: false };

/** Everything in which a tenant names persons, as the services add it, in the order of its erasure. */
@Injectable()
export class PersonData {
  private readonly list: KindOfTrace[] = [];

  constructor(private readonly database: Database) {}

  get kinds(): readonly KindOfTrace[] {
    return this.list;
  }

  /** Adds a kind. A service calls it while it is constructed. */
  add(kind: KindOfTrace): void {
    this.list.push(kind);
  }

  /** Adds the authors, JSON texts, of a table with a tenantId and an id. What they made stays. */
  addAuthors(kind: string, table: string): void {
    this.add({ kind, erase: (tenantId, person) => this.eraseAuthors(table, tenantId, person) });
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
    const find = this.database.dialect.pick({ sqlite: raw('instr'), postgresql: raw('strpos') });
    return sql`${find}(${column}, ${text}) > 0`;
  }
}

/** A member as JSON.stringify writes it, which no text in a JSON text contains: quotes are escaped there. */
const member = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;
