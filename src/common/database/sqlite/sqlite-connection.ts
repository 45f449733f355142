import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { ArgType, SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import type { ColumnDefinition, Database, RunResult, Statement as Prepared } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { UpTo } from '../sql/up-to.js';
import type { Rows, Statement } from './sqlite-orders.js';
import { openSqlite } from './sqlite-driver.js';
import { SqliteReserve } from './sqlite-reserve.js';

/**
 * FULL keeps acknowledged writes through a power cut. Frequently rewritten pages reach the main file once in 16 MiB of the log
 * instead of 4: 15 % less time for inserts into the table of logs on the bare driver. A statement in a transaction that changes
 * more than 64 KiB of pages keeps a journal. As a file, it would be created and deleted for each batch of records with events.
 * Large sorts, which would stay in memory too, run on the reader.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = 0;
  PRAGMA cache_size = -65536;
  PRAGMA temp_store = MEMORY;
`;

/** Pragmas of the reader. Scans read most pages once. */
const READER_PRAGMAS = `
  PRAGMA query_only = ON;
  PRAGMA busy_timeout = 0;
  PRAGMA cache_size = -8192;
`;

const COMMIT: Statement = { sql: 'COMMIT', values: [], types: [], isLong: false };

const KEPT_STATEMENTS = 500;
/** Maximum length of a cached statement. Longer ones carry lists of values and rarely recur. */
const LONGEST_KEPT = 4_096;

interface Adapter extends SqlDriverAdapter {
  client: Database;
}

/** Connection to the file, in the thread that owns it: for all changes, or for reading. Prisma's adapter converts values, rows and errors. */
export class SqliteConnection {
  private readonly beginning: Prepared;
  private readonly reserve: SqliteReserve;
  /** Second connection, which sees only committed changes. */
  private outsider: Database | undefined;

  private constructor(
    private readonly adapter: Adapter,
    isReader: boolean,
  ) {
    this.reserve = new SqliteReserve(adapter.client);
    if (!isReader) this.reserve.watch();
    // Takes the lock at once: a deferred BEGIN that reads first fails if another process (the CLI) wrote in between.
    this.beginning = adapter.client.prepare('BEGIN IMMEDIATE');
    keepStatements(adapter.client, this.reserve);
  }

  static async open(file: string, isReader: boolean): Promise<SqliteConnection> {
    // SQLite has no type for times. Milliseconds since 1970, the format of Prisma's own engine, compare as numbers.
    const adapter = await new PrismaBetterSqlite3({ url: `file:${file}` }, { timestampFormat: 'unixepoch-ms' }).connect();
    await adapter.executeScript(isReader ? READER_PRAGMAS : PRAGMAS);
    return new SqliteConnection(adapter as unknown as Adapter, isReader);
  }

  get isInTransaction(): boolean {
    return this.adapter.client.inTransaction;
  }

  async query(statement: Statement): Promise<Rows> {
    const query = queryOf(statement);
    if (!statement.upTo) return this.adapter.queryRaw(query);
    const end = new UpTo(statement.upTo);
    query.args.push(end);
    query.argTypes.push(typeOf('unknown'));
    const rows = await this.adapter.queryRaw(query);
    return { ...rows, bytes: end.bytes };
  }

  async execute(statement: Statement): Promise<number> {
    return this.adapter.executeRaw(queryOf(statement));
  }

  /** Runs statements as one transaction. This thread handles one order after another, so nothing comes in between. */
  async atomically(statements: Statement[]): Promise<Rows[]> {
    this.begin();
    try {
      const results: Rows[] = [];
      for (const statement of statements) results.push(await this.query(statement));
      await this.execute(COMMIT);
      return results;
    } finally {
      this.end();
    }
  }

  async script(sql: string): Promise<void> {
    await this.adapter.executeScript(sql);
  }

  begin(): void {
    this.reserve.beforeTransaction();
    this.beginning.run();
  }

  /** Rolls back the open transaction, if any, including one left open by a failed COMMIT (disk full). */
  end(): void {
    if (this.isInTransaction) this.adapter.client.exec('ROLLBACK');
  }

  /**
   * Compares the rows of a query with those seen by a second connection.
   * @throws Error if they differ though nothing changed meanwhile: then changes of this connection are uncommitted
   */
  check(sql: string): void {
    this.outsider ??= openSqlite(this.adapter.client.name, { readonly: true });
    const [before, outside, after] = [this.adapter.client, this.outsider, this.adapter.client].map((on) => rowsOf(on, sql));
    if (before === after && before !== outside) throw new Error('Another connection does not see what was committed');
  }

  async close(): Promise<void> {
    this.outsider?.close();
    await this.reserve.close();
    await this.adapter.dispose();
  }
}

/** Returns rows as a comparable text. Cached statements are bound with each call. */
const rowsOf = (on: Database, sql: string): string => String(on.prepare(sql).bind([]).raw().all());

const typeOf = (scalarType: string): ArgType => ({ scalarType: scalarType as ArgType['scalarType'], arity: 'scalar' });

function queryOf({ sql, values, types }: Statement): SqlQuery {
  return { sql, args: values, argTypes: types.map(typeOf) };
}

/** Statement as the adapter calls it: `prepare(sql).bind(values)`, then `run()`, or `columns()` and `raw().all()`. */
interface Bound {
  reader: boolean;
  columns(): ColumnDefinition[];
  run(): RunResult;
  raw(): { all(): unknown[] };
}

/**
 * Caches statements. The adapter prepares every statement again, which costs more than running most of them, and leaves it to the
 * garbage collector. Values can be bound to a statement only once, so cached ones receive theirs with each call.
 */
function keepStatements(client: Database, reserve: SqliteReserve): void {
  const prepare = client.prepare.bind(client);
  const kept = new LRUCache<string, { bind(values: unknown[]): Bound }>({ max: KEPT_STATEMENTS });
  client.prepare = ((sql: string) => {
    let statement = kept.get(sql);
    if (!statement) {
      statement = rebindable(prepare(sql), reserve);
      if (sql.length <= LONGEST_KEPT) kept.set(sql, statement);
    }
    return statement;
  }) as unknown as typeof client.prepare;
}

function rebindable(statement: Prepared, reserve: SqliteReserve) {
  const columns = statement.reader ? statement.raw().columns() : [];
  const { database, source: sql } = statement;
  const done = <R>(run: () => R): R => {
    const alone = !database.inTransaction;
    try {
      return run();
    } catch (error) {
      return reserve.again(error, { sql, alone }, run);
    }
  };
  const bind = (values: unknown[]): Bound => {
    const end = values.at(-1);
    const read = end instanceof UpTo ? () => end.take(statement.iterate(values.slice(0, -1))) : () => statement.all(values);
    return {
      reader: statement.reader,
      columns: () => columns,
      run: () => done(() => statement.run(values)),
      raw: () => ({ all: () => done(read) }),
    };
  };
  return { bind };
}
