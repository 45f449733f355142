import type { SqlDriverAdapter, SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Counter, Gauge, Histogram, Metrics } from '../metrics/metrics.js';
import { beginChild, currentSpan, endFailed, type Span, SpanKind } from '../tracing/spans.js';

const MAX_TEXT = 1_024;
/** Number of characters of a statement that are searched for its verb and table. */
const MAX_LOOKED_AT = 4_096;
const VERB = /\b(SELECT|INSERT|UPDATE|DELETE|BEGIN|COMMIT|ROLLBACK|WITH)\b/i;
const TABLE = /\b(?:FROM|INTO|UPDATE)\s+(?:["`]\w+["`]\.)?["`](\w+)["`]/i;

/**
 * Begins the span of a statement in a trace. Values are parameters, so the text contains no data of a caller; `text` is a function
 * if it has to be built.
 */
function beginStatement(system: string, text: string | (() => string)): Span | undefined {
  if (!currentSpan()) return undefined;
  const head = (typeof text === 'string' ? text : text()).slice(0, MAX_LOOKED_AT);
  const verb = VERB.exec(head)?.[1]?.toUpperCase();
  const summary = [verb, TABLE.exec(head)?.[1]].filter(Boolean).join(' ');
  return beginChild(summary || system, {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': system, 'db.query.text': copyOf(head.slice(0, MAX_TEXT)) },
  });
}

/** Copies a part of a text, which would otherwise keep the whole in memory while spans wait for the collector. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/** Expected faults, as Prisma's adapters name them: another writer was faster, or a lock is held. */
const CONFLICTS = new Set([
  'UniqueConstraintViolation',
  'ForeignKeyConstraintViolation',
  'TransactionWriteConflict',
  'SocketTimeout',
]);

/** Numbers of connections that run a statement, and of idle ones. */
export interface Connections {
  busy: number;
  idle: number;
}

/** Database metrics. The duration of a statement includes its wait for a connection or a turn. */
export class DatabaseMetrics {
  private readonly statements: Counter<'outcome'>;
  private readonly duration: Histogram;
  private readonly connections: Gauge<'state'>;
  private pending = 0;
  private system = 'sqlite';
  /** Counts the single connection of SQLite. */
  private countConnections = (): Connections => (this.pending > 0 ? { busy: 1, idle: 0 } : { busy: 0, idle: 1 });

  constructor(metrics: Metrics) {
    this.statements = metrics.counter({
      name: 'database_statements_total',
      help: 'Statements, by outcome: ok, conflict (another writer was faster, or holds a lock), failed',
      labelNames: ['outcome'],
    });
    this.duration = metrics.seconds({
      name: 'database_statement_duration_seconds',
      help: 'Time from the call of a statement to its outcome, including its wait for a connection or for the SQLite thread',
    });
    const pending = metrics.gauge({
      name: 'database_statements_pending',
      help: 'Statements running, or waiting for a connection or for the SQLite thread',
    });
    this.connections = metrics.gauge({
      name: 'database_connections',
      help: 'Connections to the database, by state: busy, idle',
      labelNames: ['state'],
    });
    for (const outcome of ['ok', 'conflict', 'failed']) this.statements.inc({ outcome }, 0);
    metrics.beforeReading(async () => {
      pending.set(this.pending);
      const { busy, idle } = this.countConnections();
      this.connections.set({ state: 'busy' }, busy);
      this.connections.set({ state: 'idle' }, idle);
    });
  }

  /** Reports the connections of PostgreSQL's pool instead of the single one of SQLite. */
  watchPool(count: () => Connections): void {
    this.system = 'postgresql';
    this.countConnections = count;
  }

  /** Counts all statements of a driver, including those in transactions. */
  watch(driver: SqlDriverAdapter): void {
    this.watchStatements(driver);
    const start = driver.startTransaction.bind(driver);
    driver.startTransaction = async (level) => {
      const transaction = await this.timed('BEGIN', () => start(level));
      this.watchStatements(transaction);
      return transaction;
    };
  }

  /** Counts and times a statement, and records a span if it is part of a trace. */
  async timed<T>(text: string | (() => string), run: () => Promise<T>): Promise<T> {
    const span = beginStatement(this.system, text);
    const began = performance.now();
    this.pending++;
    try {
      const outcome = await run();
      this.statements.inc(OK);
      span?.end();
      return outcome;
    } catch (error) {
      endFailed(span, error);
      this.statements.inc({ outcome: isConflict(error) ? 'conflict' : 'failed' });
      throw error;
    } finally {
      this.pending--;
      this.duration.observe((performance.now() - began) / 1_000);
    }
  }

  private watchStatements(driver: SqlQueryable): void {
    const query = driver.queryRaw.bind(driver);
    const execute = driver.executeRaw.bind(driver);
    driver.queryRaw = (statement) => this.timed(statement.sql, () => query(statement));
    driver.executeRaw = (statement) => this.timed(statement.sql, () => execute(statement));
  }
}

const OK = { outcome: 'ok' };

function isConflict(error: unknown): boolean {
  const { cause } = error as { cause?: { kind?: string } };
  return CONFLICTS.has(cause?.kind ?? '');
}
