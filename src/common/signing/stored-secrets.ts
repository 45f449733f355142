import { Injectable } from '@nestjs/common';
import { type AllTenants, Database } from '../database/database.js';
import { join, raw, sql } from '../database/sql/sql.js';
import { SealedTexts } from './sealed-texts.js';

const ROWS_PER_STEP = 500;

/** Columns with sealed or null texts, by table. A table has rows of tenants with an id. */
const SEALED = {
  EmailDomain: ['privateKeys', 'nextPrivateKeys'],
  LogStream: ['secret'],
  Webhook: ['secret', 'previousSecret', 'olderSecrets'],
} as const satisfies Record<string, readonly string[]>;

type SealedTable = keyof typeof SEALED;
type Row = { id: string } & Record<string, string | null>;

/** Secrets stored sealed in rows of tenants. `rotate` reseals them after SECRET_KEY was replaced. */
@Injectable()
export class StoredSecrets {
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly sealed: SealedTexts,
    database: Database,
  ) {
    this.everyTenant = database.acrossTenants('the secrets of all tenants are resealed');
  }

  /** Seals a text for one row. It cannot be opened in any other. */
  seal(table: SealedTable, id: string, text: string): string {
    return this.sealed.seal(text, contextOf(table, id));
  }

  /** Opens a text. @throws Error for another row, an altered text, or a secret unknown to this node */
  open(table: SealedTable, id: string, text: string): string {
    return this.sealed.open(text, contextOf(table, id));
  }

  /** Reseals all secrets under SECRET_KEY, so that old ones can be removed, and returns the number of rows. Repeatable after a crash. */
  async renewAll(): Promise<number> {
    let renewed = 0;
    for (const table of TABLES) {
      for await (const rows of this.steps(table)) {
        for (const row of rows) if (await this.renew(table, row)) renewed++;
      }
    }
    return renewed;
  }

  /** Returns how many rows need each secret, by its id. Reads up to `limit` rows of each table. */
  async needed(limit = Infinity): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const table of TABLES) {
      let looked = 0;
      for await (const rows of this.steps(table)) {
        for (const row of rows) {
          const ids = new Set(textsOf(table, row).map(([, text]) => this.sealed.secretOf(text)));
          for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
        }
        if ((looked += rows.length) >= limit) break;
      }
    }
    return counts;
  }

  private async *steps(table: SealedTable): AsyncGenerator<Row[]> {
    const columns = raw(['id', ...SEALED[table]].map((name) => `"${name}"`).join());
    for (let after = ''; ;) {
      const rows = await this.everyTenant.$queryRaw<Row[]>(
        sql`SELECT ${columns} FROM ${raw(`"${table}"`)} WHERE "id" > ${after} ORDER BY "id" LIMIT ${ROWS_PER_STEP}`,
      );
      yield rows;
      if (rows.length < ROWS_PER_STEP) return;
      after = rows.at(-1)!.id;
    }
  }

  /** Skips a row whose secrets were replaced meanwhile, which sealed them under SECRET_KEY. */
  private async renew(table: SealedTable, row: Row): Promise<boolean> {
    const texts = textsOf(table, row);
    if (texts.every(([, text]) => this.sealed.isCurrent(text))) return false;
    const resealed = texts.map(
      ([name, text]) => sql`${raw(`"${name}"`)} = ${this.seal(table, row.id, this.open(table, row.id, text))}`,
    );
    const isSame = texts.map(([name, text]) => sql`${raw(`"${name}"`)} = ${text}`);
    const update = sql`UPDATE ${raw(`"${table}"`)} SET ${join(resealed)} WHERE "id" = ${row.id} AND ${join(isSame, ' AND ')}`;
    return (await this.everyTenant.$executeRaw(update)) > 0;
  }
}

const TABLES = Object.keys(SEALED) as SealedTable[];
const contextOf = (table: SealedTable, id: string): string => `${table} ${id}`;

/** Returns the sealed texts of a row, with the names of their columns. */
function textsOf(table: SealedTable, row: Row): [string, string][] {
  return SEALED[table].flatMap((name): [string, string][] => {
    const text = row[name];
    return typeof text === 'string' ? [[name, text]] : [];
  });
}
