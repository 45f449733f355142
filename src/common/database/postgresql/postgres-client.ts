import pg from 'pg';
import { afterSilence } from '../../base/in-time.js';
import { databaseIsStandby, databaseSilent } from '../../base/database-faults.js';
import { LONG_STATEMENT } from '../sql/sql.js';

/** Time limit of a statement on the server, which then reports an error. The connection stays. */
const STATEMENT_MS = 6_000;
const LONG_STATEMENT_MS = 120_000;
/** Additional time for that report. Without it, the connection is closed. */
const GRACE_MS = 1_000;
/** Maximum silence of a connection after a statement. */
const SILENCE_MS = STATEMENT_MS + GRACE_MS;
/**
 * Idle time after which the server rolls back a transaction and closes its connection: its node was cut off or stopped. A
 * transaction has 12 s in all.
 */
const IDLE_IN_TRANSACTION_MS = 15_000;
/** Maximum time for closing a connection gracefully. */
const CLOSE_MS = 1_000;

/** PostgreSQL routine that waits for a synchronous standby. Its messages are localized. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';

type Answered = (error: Error | undefined, result?: unknown) => void;

interface Statement {
  text?: string;
  name?: string;
}

/** Members of a connection that pg does not declare. */
interface Wire extends pg.Connection {
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}
interface Keys {
  processID: number;
  secretKey: number;
}

/** Connection with a time limit for every statement. It is never used again after exceeding the limit. */
export class BoundedClient extends pg.Client {
  /** Called when the database answers a statement. */
  onAnswer: () => void = () => undefined;
  /** Called when the database is silent, with the time at which the statement was sent. */
  onSilence: (askedAt: number) => void = () => undefined;
  private limitMs = STATEMENT_MS;
  /**
   * True if a pooler such as PgBouncer is in between. It may run each transaction in another session, so no session state is used:
   * statements have no names, and this connection itself cancels those that take too long.
   */
  private isPooled = false;
  /** True if a commit stopped waiting for its standby. PostgreSQL keeps the commit, and reports this only in a notice. */
  private isUnconfirmed = false;
  private isAbandoned = false;

  /** @param silenceMs maximum silence of the connection after `begin` */
  constructor(
    config?: pg.ClientConfig,
    private readonly silenceMs = SILENCE_MS,
  ) {
    super(config);
    this.on('notice', ({ routine }) => (this.isUnconfirmed ||= routine === WAIT_FOR_STANDBY));
  }

  /**
   * Prepares the connection; call it once, before any statement. Recognizes a pooler by a process id that is not the session's. Turns
   * off JIT compilation: in a large table, it takes 0.2 to 0.6 s of statements that run for 20 ms.
   * @throws databaseIsStandby for a standby: after a failover, the URL may still lead to the former primary
   */
  async begin(): Promise<void> {
    const { processID } = this as unknown as Keys;
    const isDirect = `pg_backend_pid() = ${processID}`;
    const { rows } = (await this.watched([
      `SELECT ${isDirect} AS "isDirect", pg_is_in_recovery() AS "isStandby",
        CASE WHEN ${isDirect} THEN set_config('statement_timeout', '${STATEMENT_MS}', false)
          || set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', false)
          || set_config('jit', 'off', false) END`,
    ])) as pg.QueryResult<{ isDirect: boolean; isStandby: boolean }>;
    if (rows[0]!.isStandby) throw databaseIsStandby();
    this.isPooled = !rows[0]!.isDirect;
  }

  override query(...args: unknown[]): never {
    const [statement] = args as [Statement | string];
    const isLong = typeof statement === 'object' && statement.text?.startsWith(LONG_STATEMENT) === true;
    const limitMs = isLong ? LONG_STATEMENT_MS : STATEMENT_MS;
    const silenceMs = limitMs + GRACE_MS;
    if (!this.isPooled) {
      this.limitTo(limitMs);
      return this.watched(args, silenceMs) as never;
    }
    if (typeof statement === 'object') statement.name = undefined;
    return this.watched(
      args,
      silenceMs,
      afterSilence(limitMs, () => this.cancel()),
    ) as never;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    setTimeout(() => this.hangUp(), CLOSE_MS).unref(); // a dead peer does not close its side
    return callback ? super.end(callback) : super.end();
  }

  hangUp(): void {
    this.connection.stream.destroy();
  }

  /** Sets the time limit of the following statements. The server runs them in the order of sending. */
  private limitTo(ms: number): void {
    if (this.limitMs === ms) return;
    this.limitMs = ms;
    // Fails only with the connection, and so does the following statement.
    this.watched([statementTimeout(ms), (): void => undefined]);
  }

  /** Cancels the running statement through a second connection. The server reports that like an exceeded time limit. */
  private cancel(): void {
    const { processID, secretKey } = this as unknown as Keys;
    const wire = new pg.Connection({ ssl: this.ssl } as pg.ConnectionConfig) as Wire;
    const send = () => wire.cancel(processID, secretKey);
    const limit = setTimeout(() => wire.stream.destroy(), GRACE_MS).unref();
    wire.on('connect', () => (this.ssl ? wire.requestSsl() : send()));
    wire.on('sslconnect', send);
    wire.on('error', () => wire.stream.destroy()); // the statement then stays silent, which closes the connection
    wire.on('end', () => clearTimeout(limit));
    wire.connect(this.port, this.host);
  }

  /**
   * Closes the connection once the database has been silent for too long: a late answer could still arrive, and a transaction would
   * return to the pool in an unknown state.
   */
  private watched(args: unknown[], silenceMs = this.silenceMs, endLimit?: () => void): unknown {
    const askedAt = performance.now();
    const endWait = afterSilence(silenceMs, () => this.giveUp(askedAt));
    const settled = (): void => {
      endWait();
      endLimit?.();
    };
    const callback = args.at(-1);
    if (typeof callback !== 'function') {
      const answer = super.query(...(args as [string])) as Promise<unknown>;
      return answer.then(
        (result) => {
          settled();
          const fault = this.answered() ?? rolledBack(args[0] as Statement | string, result as pg.QueryResult);
          if (fault) throw fault;
          return result;
        },
        (error: Error) => (settled(), Promise.reject(this.judged(error))),
      );
    }
    const watching: Answered = (error, result) => {
      settled();
      (callback as Answered)(error ? this.judged(error) : this.answered(), result);
    };
    return super.query(...([...args.slice(0, -1), watching] as unknown as [string]));
  }

  /** Returns an error if a commit succeeded without its synchronous standby: a failover would lose it. */
  private answered(): Error | undefined {
    this.onAnswer();
    if (!this.isUnconfirmed) return undefined;
    this.isUnconfirmed = false;
    return databaseSilent('The standby did not confirm a change in time');
  }

  private giveUp(askedAt: number): void {
    this.isAbandoned = true;
    this.hangUp();
    this.onSilence(askedAt);
  }

  private judged(error: Error): Error {
    this.isUnconfirmed = false;
    if (this.isAbandoned) return databaseSilent('The database did not answer in time', error);
    if ('severity' in error) this.onAnswer();
    return error;
  }
}

/** Returns an error if a COMMIT was answered with ROLLBACK, as after a failed statement whose error was swallowed. */
function rolledBack(statement: Statement | string, { command }: pg.QueryResult): Error | undefined {
  if (command !== 'ROLLBACK') return undefined;
  const text = typeof statement === 'object' ? statement.text : statement;
  return text === 'COMMIT'
    ? new Error('COMMIT was answered with ROLLBACK, since a statement of the transaction failed')
    : undefined;
}

const statementTimeout = (ms: number): string => `SET statement_timeout = ${ms}`;
