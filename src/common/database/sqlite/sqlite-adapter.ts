import { setTimeout as pause } from 'node:timers/promises';
import type {
  ConnectionInfo,
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { isScan, LONG_STATEMENT } from '../sql/sql.js';
import { UpTo } from '../sql/up-to.js';
import { adapterError, type Rows, type Statement } from './sqlite-orders.js';
import { SqliteThread } from './sqlite-thread.js';

/** Limit compiled into better-sqlite3. Prisma assumes 999, and a list of 1,000 ids would then fail. */
const MAX_BIND_VALUES = 32_766;

/** Maximum wait of a statement for a lock of another process, such as the command line. Other work continues meanwhile. */
const LOCK_PATIENCE_MS = 8_000;
const LOCK_LOOK_MS = 10;
/** Time after which the idle thread of a reader is stopped. */
const IDLE_MS = 60_000;

/** Maximum number of pending statements. Further callers are refused at once. */
const MAX_PENDING = 5_000;

const NAMES = { provider: 'sqlite', adapterName: '@prisma/adapter-better-sqlite3' } as const;

/** Connects Prisma to a SQLite file through a thread that owns the connection. */
export class SqliteAdapterFactory implements SqlDriverAdapterFactory {
  readonly provider = NAMES.provider;
  readonly adapterName = NAMES.adapterName;

  constructor(private readonly file: string) {}

  async connect(): Promise<SqliteAdapter> {
    return new SqliteAdapter(this.file).open();
  }
}

/**
 * Connection to the file, owned by a thread. A terminated thread is replaced at the next order. The thread of a reader takes 10 MiB, so
 * it is stopped when idle.
 */
class Connection {
  private thread: SqliteThread | undefined;
  private opening: Promise<SqliteThread> | undefined;
  private isClosed = false;
  private uses = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly file: string,
    private readonly isReader: boolean,
  ) {}

  async run<T>(work: (thread: SqliteThread) => Promise<T>): Promise<T> {
    this.uses++;
    clearTimeout(this.idle);
    try {
      return await work(await this.open());
    } finally {
      if (--this.uses === 0 && this.isReader && !this.isClosed) this.idle = setTimeout(() => this.rest(), IDLE_MS).unref();
    }
  }

  /** Returns the thread, or a promise of it. @throws the error with which the file could not be opened */
  open(): SqliteThread | Promise<SqliteThread> {
    if (this.thread && (!this.thread.hasEnded || this.isClosed)) return this.thread;
    return (this.opening ??= this.start().finally(() => (this.opening = undefined)));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.idle);
    await this.opening?.catch(() => undefined);
    await this.thread?.close();
  }

  private rest(): void {
    void this.thread?.close().catch(() => undefined);
    this.thread = undefined;
  }

  private async start(): Promise<SqliteThread> {
    const thread = new SqliteThread();
    try {
      await thread.ask({ do: 'open', file: this.file, isReader: this.isReader });
      return (this.thread = thread);
    } catch (error) {
      await thread.close();
      throw error;
    }
  }
}

/**
 * Uses one connection for changes and for reads by an index, and another for scans. SQLite reads beside its writer, so short
 * statements do not wait for scans.
 */
export class SqliteAdapter implements SqlDriverAdapter {
  readonly provider = NAMES.provider;
  readonly adapterName = NAMES.adapterName;
  private readonly main: Connection;
  private readonly reader: Connection;
  private pending = 0;

  constructor(file: string) {
    this.main = new Connection(file, false);
    this.reader = new Connection(file, true);
  }

  /** Opens the file. @throws the error with which it could not be opened */
  async open(): Promise<this> {
    await this.main.open();
    return this;
  }

  getConnectionInfo(): ConnectionInfo {
    return { supportsRelationJoins: false, maxBindValues: MAX_BIND_VALUES };
  }

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.run((thread) => queryOn(thread, query), isScan(query.sql) ? this.reader : this.main);
  }

  executeRaw(query: SqlQuery): Promise<number> {
    return this.run((thread) => executeOn(thread, query));
  }

  executeScript(sql: string): Promise<void> {
    return this.run((thread) => thread.ask({ do: 'script', sql }));
  }

  /** Runs statements as one transaction, in one round trip to the thread, and returns the rows of each. */
  atomically(queries: SqlQuery[]): Promise<SqlResultSet[]> {
    const statements = queries.map((query) => statementOf(query));
    return this.run((thread) => thread.ask({ do: 'atomically', statements }));
  }

  /** Compares the rows of a query with those seen by a second connection. @throws Error if a change is uncommitted */
  check(sql: string): Promise<void> {
    return this.run((thread) => thread.ask({ do: 'check', sql }));
  }

  async startTransaction(isolation?: IsolationLevel): Promise<Transaction> {
    if (isolation && isolation !== 'SERIALIZABLE') throw adapterError({ kind: 'InvalidIsolationLevel', level: isolation });
    return this.run(async (thread) => new SqliteTransaction(thread, await thread.begin()));
  }

  async dispose(): Promise<void> {
    await Promise.all([this.main.close(), this.reader.close()]);
  }

  /** Retries a statement refused by a lock, since it has changed nothing. Other statements run in between. */
  private async run<T>(work: (thread: SqliteThread) => Promise<T>, on = this.main): Promise<T> {
    if (this.pending >= MAX_PENDING)
      throw adapterError({ kind: 'TooManyConnections', cause: 'Too many statements are waiting for the database' });
    this.pending++;
    try {
      return await untilUnlocked(() => on.run(work));
    } finally {
      this.pending--;
    }
  }
}

async function untilUnlocked<T>(run: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + LOCK_PATIENCE_MS; ;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || performance.now() > until) throw error;
      await pause(LOCK_LOOK_MS * (0.5 + Math.random()));
    }
  }
}

/** Transaction of Prisma, which sends COMMIT or ROLLBACK as a statement and calls `commit` or `rollback` after it. */
class SqliteTransaction implements Transaction {
  readonly provider = NAMES.provider;
  readonly adapterName = NAMES.adapterName;
  readonly options = { usePhantomQuery: false };

  private isOver = false;

  constructor(
    private readonly thread: SqliteThread,
    private readonly number: number,
  ) {}

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return queryOn(this.thread, query, this.number);
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    const changes = await executeOn(this.thread, query, this.number);
    if (query.sql === 'COMMIT' || query.sql === 'ROLLBACK') this.isOver = true;
    return changes;
  }

  async commit(): Promise<void> {
    this.end();
  }

  async rollback(): Promise<void> {
    this.end();
  }

  createSavepoint(name: string): Promise<void> {
    return this.script(`SAVEPOINT ${name}`);
  }

  rollbackToSavepoint(name: string): Promise<void> {
    return this.script(`ROLLBACK TO ${name}`);
  }

  releaseSavepoint(name: string): Promise<void> {
    return this.script(`RELEASE SAVEPOINT ${name}`);
  }

  private script(sql: string): Promise<void> {
    return this.thread.ask({ do: 'script', sql }, this.number);
  }

  /** Abandons the transaction on the thread, ahead of all statements sent later. */
  private end(): void {
    if (!this.isOver) this.thread.withdraw([this.number]);
    this.isOver = true;
  }
}

async function queryOn(thread: SqliteThread, query: SqlQuery, transaction?: number): Promise<SqlResultSet> {
  const end = query.args.at(-1);
  if (!(end instanceof UpTo)) return thread.ask({ do: 'query', statement: statementOf(query) }, transaction);
  const statement = { ...statementOf(query, -1), upTo: end.limit };
  const rows = await thread.ask<Rows>({ do: 'query', statement }, transaction);
  end.bytes = rows.bytes!;
  return rows;
}

function executeOn(thread: SqliteThread, query: SqlQuery, transaction?: number): Promise<number> {
  return thread.ask({ do: 'execute', statement: statementOf(query) }, transaction);
}

function statementOf({ sql, args, argTypes }: SqlQuery, end?: number): Statement {
  const types = argTypes.slice(0, end).map(({ scalarType }) => scalarType);
  return { sql, values: args.slice(0, end), types, isLong: sql.startsWith(LONG_STATEMENT) };
}

/** Returns whether an error reports a lock, as Prisma's adapter names it (a timeout) or as the driver does. */
function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { kind?: string } };
  return code === 'SQLITE_BUSY' || cause?.kind === 'SocketTimeout';
}
