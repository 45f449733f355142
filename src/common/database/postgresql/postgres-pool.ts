import pg from 'pg';
import { databaseIsStandby, databaseSilent, isDatabaseReadOnly } from '../../base/database-faults.js';
import { isScan } from '../sql/sql.js';
import { tenantOfStatement } from '../sql/tenant-parameters.js';
import { BoundedClient } from './postgres-client.js';
import { StatementTurns } from './statement-turns.js';

/** Maximum wait of a caller for a connection, free or new. Together with a statement, this is less than the 12 s of an answer. */
const CONNECT_MS = 4_000;
/** Maximum number of callers waiting for a connection. More are refused at once. */
const MAX_WAITING = 5_000;
const IDLE_MS = 60_000;
/** Idle time after which the kernel probes a connection. It closes the connection 10 s later if the peer is gone. */
const KEEP_ALIVE_MS = 10_000;
/** Interval between probes of a silent database, and their time limit. */
const PROBE_EVERY_MS = 1_000;
const PROBE_MS = 3_000;
/** Pause before the next connection after one led to a standby, while no other works. */
const STANDBY_PAUSE_MS = 500;
/** Time for running statements when the pool closes: requests are answered by then, and background work had its time. */
const END_MS = 2_000;

/** Messages of pg-pool and pg, whose timeouts have no code. */
const QUEUE_TIMEOUT = 'timeout exceeded when trying to connect';
const CONNECT_TIMEOUT = /^(Connection terminated due to connection timeout|timeout expired)$/;

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

/** Servers of one database. New connections go to the server that accepted the last one. */
class Servers {
  private index = 0;

  constructor(readonly all: readonly string[]) {}

  get current(): string {
    return this.all[this.index]!;
  }

  /** Moves on to the next server, unless another caller did. */
  leave(server: string): void {
    if (server === this.current) this.index = (this.index + 1) % this.all.length;
  }

  moveTo(server: string): void {
    this.index = this.all.indexOf(server);
  }
}

/** Closes a connection released inside a transaction, instead of reusing it. Closing rolls the transaction back. */
function endingTransactions(client: pg.PoolClient): pg.PoolClient {
  const release = client.release.bind(client);
  client.release = (fault) =>
    release(
      fault ?? (client.getTransactionStatus() === 'I' ? undefined : new Error('A connection was released inside a transaction')),
    );
  return client;
}

/**
 * Connections to PostgreSQL, always to the primary. Standbys are not used for reads either: a query must see all earlier changes. A
 * database silent on all connections counts as down: all connections are closed, and callers are refused at once, until it answers
 * on a new one.
 */
export class BoundedPool extends pg.Pool {
  private readonly all = new Set<BoundedClient>();
  private readonly idle = new Set<BoundedClient>();
  private heardAt = 0;
  private standbyAt = -STANDBY_PAUSE_MS;
  private isSilent = false;
  private probing: NodeJS.Timeout | true | undefined;
  private readonly servers: Servers;
  private readonly turns: StatementTurns;

  constructor(urls: readonly string[], maxConnections: number) {
    const servers = new Servers(urls);
    /** Divided by the servers, so that all can be tried while a caller waits. */
    const connectionTimeoutMillis = CONNECT_MS / urls.length;
    class Client extends BoundedClient {
      constructor(config: pg.ClientConfig) {
        super({ ...config, connectionTimeoutMillis, connectionString: servers.current });
      }
    }
    super({
      Client: Client as unknown as new () => pg.ClientBase,
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: IDLE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      onConnect: (client) => (client as unknown as BoundedClient).begin(),
    });
    this.servers = servers;
    this.turns = new StatementTurns(maxConnections);
    this.on('connect', (client) => this.welcome(client as unknown as BoundedClient));
    this.on('acquire', (client) => void this.idle.delete(client as unknown as BoundedClient));
    this.on('release', (_, client) => void this.idle.add(client as unknown as BoundedClient));
    this.on('remove', (client) => this.forget(client as unknown as BoundedClient));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    if (callback) return this.attempt(callback, this.servers.all.length);
    return new Promise((resolve, reject) => {
      this.connect((error, client) => (error ? reject(error) : resolve(client!)));
    });
  }

  /** Runs a statement outside of a transaction, at its tenant's turn. */
  override query(...args: unknown[]): never {
    const run = (): Promise<unknown> => super.query(...(args as [string]));
    const { text = '', values = [] } = args[0] as { text?: string; values?: unknown[] };
    const tenantId = tenantOfStatement(text, values);
    return (tenantId === undefined ? run() : this.turns.run(tenantId, isScan(text), run)) as never;
  }

  /** Acquires a connection. If that needs a new one, tries up to `servers` servers. */
  private attempt(callback: Connected, servers: number): void {
    const refusal = this.refusal();
    if (refusal) return process.nextTick(callback, refusal);
    const askedAt = performance.now();
    const server = this.servers.current;
    super.connect((error, client, done) => {
      if (!error) return callback(undefined, endingTransactions(client!), done);
      if (error.message !== QUEUE_TIMEOUT) this.servers.leave(server);
      if (servers > 1 && error.message !== QUEUE_TIMEOUT && !this.ending) return this.attempt(callback, servers - 1);
      callback(this.judgedConnect(error, askedAt), client, done);
    });
  }

  /** Closes all connections, and terminates statements that take longer: on a silent database they would last for minutes. */
  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | void {
    if (typeof this.probing === 'object') clearTimeout(this.probing);
    setTimeout(() => {
      for (const client of this.all) client.hangUp();
    }, END_MS).unref();
    return callback ? super.end(callback) : super.end();
  }

  private refusal(): Error | undefined {
    if (this.isSilent) return databaseSilent('The database is silent');
    if (this.all.size === 0 && performance.now() < this.standbyAt + STANDBY_PAUSE_MS) return databaseIsStandby();
    if (this.waitingCount >= MAX_WAITING) return databaseSilent('Too many callers wait for the database');
    return undefined;
  }

  /** Suspects the database if connecting timed out, and records that it led to a standby. Returns the error. */
  private judgedConnect(error: Error, askedAt: number): Error {
    if (isDatabaseReadOnly(error)) this.standbyAt = performance.now();
    const isSilence = ('code' in error && error.code === 'ETIMEDOUT') || CONNECT_TIMEOUT.test(error.message);
    if (isSilence) this.suspect(askedAt);
    return error;
  }

  private welcome(client: BoundedClient): void {
    this.all.add(client);
    this.heardAt = performance.now();
    client.onAnswer = () => (this.heardAt = performance.now());
    client.onSilence = (askedAt) => this.suspect(askedAt);
  }

  private forget(client: BoundedClient): void {
    this.all.delete(client);
    this.idle.delete(client);
  }

  /** Closes idle connections, which may be dead, and probes with a new one, unless a connection has heard from the database since. */
  private suspect(since: number): void {
    if (this.probing || this.heardAt > since) return;
    for (const client of this.idle) client.hangUp();
    void this.probe();
  }

  private async probe(): Promise<void> {
    this.probing = true;
    const began = performance.now();
    const former = this.servers.current;
    await Promise.all(this.servers.all.map((server) => this.probeServer(server)));
    // Answers on other connections count too.
    this.isSilent = this.heardAt < began && !this.ending;
    if (this.isSilent || this.servers.current !== former) for (const other of this.all) other.hangUp();
    this.probing = this.isSilent ? setTimeout(() => void this.probe(), PROBE_EVERY_MS).unref() : undefined;
  }

  /** Probes a server with a new connection, and directs new connections to it if it answers. Of several servers, only the primary counts. */
  private async probeServer(connectionString: string): Promise<void> {
    const client = new BoundedClient({ connectionString, connectionTimeoutMillis: PROBE_MS }, PROBE_MS);
    client.on('error', () => undefined);
    try {
      await client.connect();
      if (this.servers.all.length > 1) await client.begin();
      this.heardAt = performance.now();
      this.servers.moveTo(connectionString);
    } catch {
      // The server is silent, down, or a standby beside others.
    } finally {
      client.hangUp();
    }
  }
}
