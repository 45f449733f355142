import { setTimeout } from 'node:timers/promises';
import type {
  ConnectionInfo,
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { LONG_STATEMENT } from '../sql/long-statement.js';
import { UpTo } from '../sql/up-to.js';
import { adapterError, type Rows, type Statement } from './sqlite-orders.js';
import { SqliteThread } from './sqlite-thread.js';

/** As better-sqlite3 is compiled. Prisma assumes 999, and then a list of 1,000 ids is an error. */
const MAX_BIND_VALUES = 32_766;

/** How long a statement waits for a lock of another process, such as the command line. Other work goes on meanwhile. */
const LOCK_PATIENCE_MS = 8_000;
const LOCK_LOOK_MS = 10;

/** Statements that may wait. Further callers are refused at once. */
const MAX_PENDING = 5_000;

const NAMES = { provider: 'sqlite', adapterName: '@prisma/adapter-better-sqlite3' } as const;

/** Connects Prisma to a SQLite file through a thread that owns the connection. */
export class SqliteAdapterFactory implements SqlDriverAdapterFactory {
  readonly provider = NAMES.provider;
  readonly adapterName = NAMES.adapterName;

  constructor(private readonly file: string) {}

  async connect(): Promise<SqliteAdapter> {
    return new SqliteAdapter(this.file, await openThread(this.file));
  }
}

/** @throws the error with which the file could not be opened */
async function openThread(file: string): Promise<SqliteThread> {
  const thread = new SqliteThread();
  try {
    await thread.ask({ do: 'open', file });
    return thread;
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/**
 * There is one connection to the file, so a statement sent from outside an open interactive transaction would run
 * inside it and be lost with its rollback. The gate makes outsiders wait until the transaction has ended.
 */
export class SqliteAdapter implements SqlDriverAdapter {
  readonly provider = NAMES.provider;
  readonly adapterName = NAMES.adapterName;
  private gate: Promise<void> | undefined;
  private pending = 0;
  private reopening: Promise<void> | undefined;
  private isDisposed = false;

  constructor(
    private readonly file: string,
    private thread: SqliteThread,
  ) {}

  getConnectionInfo(): ConnectionInfo {
    return { supportsRelationJoins: false, maxBindValues: MAX_BIND_VALUES };
  }

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.afterGate((thread) => queryOn(thread, query));
  }

  executeRaw(query: SqlQuery): Promise<number> {
    return this.afterGate((thread) => executeOn(thread, query));
  }

  executeScript(sql: string): Promise<void> {
    return this.afterGate((thread) => thread.ask({ do: 'script', sql }));
  }

  /** Runs statements as one transaction that takes one message there and one back, and returns the rows of each. */
  atomically(queries: SqlQuery[]): Promise<SqlResultSet[]> {
    const statements = queries.map((query) => statementOf(query));
    return this.afterGate((thread) => thread.ask({ do: 'atomically', statements }));
  }

  async startTransaction(isolation?: IsolationLevel): Promise<Transaction> {
    if (isolation && isolation !== 'SERIALIZABLE') throw adapterError({ kind: 'InvalidIsolationLevel', level: isolation });
    return this.afterGate((thread) => this.begin(thread));
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.thread.close();
  }

  /** Repeats a statement that met a lock, since it has done nothing. Other statements have a turn in between. */
  private async afterGate<T>(run: (thread: SqliteThread) => Promise<T>): Promise<T> {
    if (this.pending >= MAX_PENDING) throw adapterError({ kind: 'TooManyConnections', cause: 'Too many wait for the database' });
    this.pending++;
    try {
      return await untilUnlocked(async () => {
        for (;;) {
          if (this.gate) await this.gate;
          else if (this.thread.hasEnded && !this.isDisposed) await this.reopen();
          else return run(this.thread);
        }
      });
    } finally {
      this.pending--;
    }
  }

  private reopen(): Promise<void> {
    this.reopening ??= openThread(this.file)
      .then((thread) => void (this.thread = thread))
      .finally(() => (this.reopening = undefined));
    return this.reopening;
  }

  private async begin(thread: SqliteThread): Promise<Transaction> {
    let open!: () => void;
    this.gate = new Promise((resolve) => {
      open = () => {
        this.gate = undefined;
        resolve();
      };
    });
    try {
      await thread.ask({ do: 'begin' });
    } catch (error) {
      open();
      throw error;
    }
    return new SqliteTransaction(thread, open);
  }
}

async function untilUnlocked<T>(run: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + LOCK_PATIENCE_MS; ;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || performance.now() > until) throw error;
      await setTimeout(LOCK_LOOK_MS * (0.5 + Math.random()));
    }
  }
}

/** Prisma sends COMMIT or ROLLBACK as a statement, and calls `commit` or `rollback` after it. */
class SqliteTransaction implements Transaction {
  readonly provider = NAMES.provider;
  readonly adapterName = NAMES.adapterName;
  readonly options = { usePhantomQuery: false };

  private isOver = false;

  constructor(
    private readonly thread: SqliteThread,
    private readonly openGate: () => void,
  ) {}

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return queryOn(this.thread, query);
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    const changes = await executeOn(this.thread, query);
    if (query.sql === 'COMMIT' || query.sql === 'ROLLBACK') this.isOver = true;
    return changes;
  }

  commit(): Promise<void> {
    return this.end();
  }

  rollback(): Promise<void> {
    return this.end();
  }

  createSavepoint(name: string): Promise<void> {
    return this.thread.ask({ do: 'script', sql: `SAVEPOINT ${name}` });
  }

  rollbackToSavepoint(name: string): Promise<void> {
    return this.thread.ask({ do: 'script', sql: `ROLLBACK TO ${name}` });
  }

  releaseSavepoint(name: string): Promise<void> {
    return this.thread.ask({ do: 'script', sql: `RELEASE SAVEPOINT ${name}` });
  }

  /** Opens the gate before the end is confirmed: statements sent from now on run after it. */
  private async end(): Promise<void> {
    const ended = this.isOver ? undefined : this.thread.ask<void>({ do: 'end' });
    this.openGate();
    await ended;
  }
}

async function queryOn(thread: SqliteThread, query: SqlQuery): Promise<SqlResultSet> {
  const end = query.args.at(-1);
  if (!(end instanceof UpTo)) return thread.ask({ do: 'query', statement: statementOf(query) });
  const statement = { ...statementOf(query, -1), upTo: end.limit };
  const rows = await thread.ask<Rows>({ do: 'query', statement });
  end.bytes = rows.bytes!;
  return rows;
}

function executeOn(thread: SqliteThread, query: SqlQuery): Promise<number> {
  return thread.ask({ do: 'execute', statement: statementOf(query) });
}

function statementOf({ sql, args, argTypes }: SqlQuery, end?: number): Statement {
  const types = argTypes.slice(0, end).map(({ scalarType }) => scalarType);
  return { sql, values: args.slice(0, end), types, isLong: sql.startsWith(LONG_STATEMENT) };
}

/** Recognizes a lock as Prisma's adapter names it, which is a time-out, or as the driver does. */
function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { kind?: string } };
  return code === 'SQLITE_BUSY' || cause?.kind === 'SocketTimeout';
}
