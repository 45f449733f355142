import pg from 'pg';
import { afterSilence } from '../../base/in-time.js';
import { databaseIsStandby, databaseSilent } from '../../base/database-faults.js';
import { LONG_STATEMENT } from '../sql/sql.js';

/** The server ends a statement that takes longer and reports it; the connection stays. */
const STATEMENT_MS = 6_000;
const LONG_STATEMENT_MS = 120_000;
/** How long after that the connection is given up, if the server did not report it. */
const GRACE_MS = 1_000;
/** How long a connection may be silent after a statement. */
const SILENCE_MS = STATEMENT_MS + GRACE_MS;
/**
 * The server rolls back a transaction that is idle for this long, and closes its connection: the node that began it has been cut off, or
 * has stopped. A transaction has 12 s in all.
 */
const IDLE_IN_TRANSACTION_MS = 15_000;
/** How long a connection has to close in order. */
const CLOSE_MS = 1_000;

/** The routine of PostgreSQL that waits for a synchronous standby. Its messages come in any language. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';

type Answered = (error: Error | undefined, result?: unknown) => void;

interface Statement {
  text?: string;
  name?: string;
}

/** Members of a connection that pg has and does not declare. */
interface Wire extends pg.Connection {
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}
interface Keys {
  processID: number;
  secretKey: number;
}

/** A connection that nobody waits for beyond the time limit of a statement, and that is never used again after that. */
export class BoundedClient extends pg.Client {
  /** Called when the database answered a statement. */
  onAnswer: () => void = () => undefined;
  /** Called when it did not, with the time at which the statement was sent. */
  onSilence: (askedAt: number) => void = () => undefined;
  private limitMs = STATEMENT_MS;
  /**
   * Whether a pooler is in between, such as PgBouncer. It may run each transaction in another session, so nothing is set in or
   * kept by a session then: statements have no names, and this connection ends by itself what takes too long.
   */
  private isPooled = false;
  /** Whether a commit stopped waiting for its standby. PostgreSQL keeps it and says so in a notice alone. */
  private isUnconfirmed = false;
  private isGivenUp = false;

  /** @param silenceMs how long the connection may be silent after `begin` */
  constructor(
    config?: pg.ClientConfig,
    private readonly silenceMs = SILENCE_MS,
  ) {
    super(config);
    this.on('notice', ({ routine }) => (this.isUnconfirmed ||= routine === WAIT_FOR_STANDBY));
  }

  /**
   * To be called once, before any other statement. A pooler gives its own process id to a connection, not the one of a session.
   * @throws databaseIsStandby if the server follows another one: after a failover its address may lead to the former primary
   */
  async begin(): Promise<void> {
    const { processID } = this as unknown as Keys;
    const isDirect = `pg_backend_pid() = ${processID}`;
    const { rows } = (await this.watched([
      `SELECT ${isDirect} AS "isDirect", pg_is_in_recovery() AS "isStandby",
        CASE WHEN ${isDirect} THEN set_config('statement_timeout', '${STATEMENT_MS}', false)
          || set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', false) END`,
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
    setTimeout(() => this.hangUp(), CLOSE_MS).unref(); // a peer that is gone does not close its side
    return callback ? super.end(callback) : super.end();
  }

  hangUp(): void {
    this.connection.stream.destroy();
  }

  /** Sets the time limit of all following statements: the server runs them in the order in which they are sent. */
  private limitTo(ms: number): void {
    if (this.limitMs === ms) return;
    this.limitMs = ms;
    // This fails only with the connection, and then the statement behind it fails too.
    this.watched([statementTimeout(ms), (): void => undefined]);
  }

  /** Asks the server, on a connection of its own, to end the statement under way. It reports that as it does after a time limit. */
  private cancel(): void {
    const { processID, secretKey } = this as unknown as Keys;
    const wire = new pg.Connection({ ssl: this.ssl } as pg.ConnectionConfig) as Wire;
    const send = () => wire.cancel(processID, secretKey);
    const limit = setTimeout(() => wire.stream.destroy(), GRACE_MS).unref();
    wire.on('connect', () => (this.ssl ? wire.requestSsl() : send()));
    wire.on('sslconnect', send);
    wire.on('error', () => wire.stream.destroy()); // then the statement is silent, and the connection is given up
    wire.on('end', () => clearTimeout(limit));
    wire.connect(this.port, this.host);
  }

  /**
   * Hangs up once the database has been silent for too long: the answer could still come, and in a transaction the connection would
   * go back to the pool in that state.
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

  /** Returns an error if a commit succeeded without the standby that it should have waited for: a failover would lose it. */
  private answered(): Error | undefined {
    this.onAnswer();
    if (!this.isUnconfirmed) return undefined;
    this.isUnconfirmed = false;
    return databaseSilent('The standby did not confirm a change in time');
  }

  private giveUp(askedAt: number): void {
    this.isGivenUp = true;
    this.hangUp();
    this.onSilence(askedAt);
  }

  private judged(error: Error): Error {
    this.isUnconfirmed = false;
    if (this.isGivenUp) return databaseSilent('The database did not answer in time', error);
    if ('severity' in error) this.onAnswer();
    return error;
  }
}

/** Returns an error if a COMMIT was answered with ROLLBACK, as happens after a failed statement whose error nobody passed on. */
function rolledBack(statement: Statement | string, { command }: pg.QueryResult): Error | undefined {
  if (command !== 'ROLLBACK') return undefined;
  const text = typeof statement === 'object' ? statement.text : statement;
  return text === 'COMMIT'
    ? new Error('COMMIT was answered with ROLLBACK, since a statement of the transaction failed')
    : undefined;
}

const statementTimeout = (ms: number): string => `SET statement_timeout = ${ms}`;
