import { setTimeout } from 'node:timers/promises';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import type { ColumnDefinition, Database, RunResult, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { SqliteReserve } from './sqlite-reserve.js';
import { UpTo } from './sized-rows.js';

/**
 * FULL: what was answered is on disk, also after a power cut. Pages that are written again and again go to the main file
 * once in 16 MiB of the log and not in 4: 15 % less time for inserts into the table of logs on the bare driver.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = 0;
  PRAGMA cache_size = -65536;
`;

/** As better-sqlite3 is compiled. Prisma assumes 999, and then a list of 1,000 ids is an error. */
const MAX_BIND_VALUES = 32_766;
const KEPT_STATEMENTS = 500;
/** Longer ones carry lists of values and hardly come again. */
const LONGEST_KEPT = 4_096;

interface Connection extends SqlDriverAdapter {
  client: Database;
}

/** How long a statement waits for a lock of another process, such as the command line; meanwhile everything else goes on. */
const LOCK_PATIENCE_MS = 8_000;
const LOCK_LOOK_MS = 10;

/**
 * There is one connection to the file, so a statement sent from outside an open interactive transaction would run
 * inside it and be lost with its rollback. The gate makes outsiders wait until the transaction has ended.
 */
export class GatedSqliteAdapter extends PrismaBetterSqlite3 {
  override async connect(): Promise<Awaited<ReturnType<PrismaBetterSqlite3['connect']>>> {
    const connection = await super.connect();
    await connection.executeScript(PRAGMAS);
    connection.getConnectionInfo = () => ({ supportsRelationJoins: false, maxBindValues: MAX_BIND_VALUES });
    const { client } = connection as unknown as Connection;
    const reserve = new SqliteReserve(client);
    closeGateDuringTransactions(connection as unknown as Connection, reserve);
    const dispose = connection.dispose.bind(connection);
    connection.dispose = () => reserve.close().then(dispose);
    return connection;
  }
}

function closeGateDuringTransactions(connection: Connection, reserve: SqliteReserve): void {
  const gate: { closed?: Promise<void> } = {};
  const afterGate =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      return untilUnlocked(async () => {
        while (gate.closed) await gate.closed;
        return run(...args);
      });
    };
  connection.queryRaw = afterGate(connection.queryRaw.bind(connection));
  connection.executeRaw = afterGate(connection.executeRaw.bind(connection));
  connection.executeScript = afterGate(connection.executeScript.bind(connection));

  keepStatements(connection.client, reserve);
  const writeLock = beginApart(connection.client);
  const begin = connection.startTransaction.bind(connection);
  const beginGated = async (...args: Parameters<typeof begin>): Promise<Transaction> => {
    while (gate.closed) await gate.closed;
    reserve.beforeTransaction();
    writeLock.run();
    let open!: () => void;
    gate.closed = new Promise((resolve) => {
      open = () => {
        // A COMMIT that failed (disk full) leaves the transaction open, and the next BEGIN would fail for ever.
        if (connection.client.inTransaction) connection.client.exec('ROLLBACK');
        gate.closed = undefined;
        resolve();
      };
    });
    try {
      return openGateAtEnd(await begin(...args), open);
    } catch (error) {
      open();
      throw error;
    }
  };
  // Others have their turn while it waits for the lock.
  connection.startTransaction = (...args) => untilUnlocked(() => beginGated(...args));
}

/** SQLite's own way of waiting for a lock stops the whole process. What met a lock has done nothing and is tried again. */
async function untilUnlocked<T>(run: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + LOCK_PATIENCE_MS; ;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || Date.now() > until) throw error;
      await setTimeout(LOCK_LOOK_MS * (0.5 + Math.random()));
    }
  }
}

/** In the words of the adapter, which calls a lock a time-out, or of the driver. */
function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { kind?: string } };
  return code === 'SQLITE_BUSY' || cause?.kind === 'SocketTimeout';
}

function openGateAtEnd(transaction: Transaction, open: () => void): Transaction {
  const commit = transaction.commit.bind(transaction);
  const rollback = transaction.rollback.bind(transaction);
  transaction.commit = () => commit().finally(open);
  transaction.rollback = () => rollback().finally(open);
  return transaction;
}

/**
 * Begins a transaction in place of the adapter, which would keep its mutex for good when that fails. A deferred BEGIN that
 * reads first fails with SQLITE_BUSY when another process (the CLI) wrote in between, so the lock is taken at once.
 */
function beginApart(client: Database): { run(): unknown } {
  const prepare = client.prepare.bind(client);
  const begun = { run: () => undefined };
  client.prepare = ((sql: string) => (sql === 'BEGIN' ? begun : prepare(sql))) as unknown as typeof client.prepare;
  return prepare('BEGIN IMMEDIATE');
}

/** What the adapter does with a statement: `prepare(sql).bind(values)`, then `run()`, or `columns()` and `raw().all()`. */
interface Bound {
  reader: boolean;
  columns(): ColumnDefinition[];
  run(): RunResult;
  raw(): { all(): unknown[] };
}

/**
 * The adapter prepares every statement anew, which costs more than most of them take to run, and leaves it to the
 * garbage collector. The values of a statement can be bound once only, so kept ones get theirs with each call.
 */
function keepStatements(client: Database, reserve: SqliteReserve): void {
  const prepare = client.prepare.bind(client);
  const kept = new LRUCache<string, { bind(values: unknown[]): Bound; run(): RunResult }>({ max: KEPT_STATEMENTS });
  client.prepare = ((sql: string) => {
    let statement = kept.get(sql);
    if (!statement) {
      statement = rebindable(prepare(sql), reserve);
      if (sql.length <= LONGEST_KEPT) kept.set(sql, statement);
    }
    return statement;
  }) as unknown as typeof client.prepare;
}

function rebindable(statement: Statement, reserve: SqliteReserve) {
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
    const read = end instanceof UpTo ? () => end.of(statement.iterate(values.slice(0, -1))) : () => statement.all(values);
    return {
      reader: statement.reader,
      columns: () => columns,
      run: () => done(() => statement.run(values)),
      raw: () => ({ all: () => done(read) }),
    };
  };
  return { bind, run: () => done(() => statement.run()) };
}
