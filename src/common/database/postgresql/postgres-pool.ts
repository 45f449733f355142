import pg from 'pg';
import { databaseIsStandby, databaseSilent, isDatabaseReadOnly } from '../../base/database-faults.js';
import { isScan } from '../sql/sql.js';
import { tenantOfStatement } from '../sql/tenant-parameters.js';
import { BoundedClient } from './postgres-client.js';
import { StatementTurns } from './statement-turns.js';

/** How long a caller waits for a connection, free or new. With a statement, that is less than the 12 s of an answer. */
const CONNECT_MS = 4_000;
/** How many callers may wait for a connection; any more are refused at once. */
const MAX_WAITING = 5_000;
const IDLE_MS = 60_000;
/** The kernel probes a connection that is idle for this long, and ends it 10 s later if the peer is gone. */
const KEEP_ALIVE_MS = 10_000;
/** How often a silent database is probed, and how long it has to answer. */
const PROBE_EVERY_MS = 1_000;
const PROBE_MS = 3_000;
/** How long no further connection is tried after one led to a standby, while no other works. */
const STANDBY_PAUSE_MS = 500;
/** How long statements under way have when the pool ends: requests are answered by then, and background work had its time. */
const END_MS = 2_000;

/** Messages of pg-pool and pg, whose time-outs have no code. */
const QUEUE_TIMEOUT = 'timeout exceeded when trying to connect';
const CONNECT_TIMEOUT = /^(Connection terminated due to connection timeout|timeout expired)$/;

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

/** The servers of one database. New connections go to the one that took the last. */
class Servers {
  private index = 0;

  constructor(readonly all: readonly string[]) {}

  get current(): string {
    return this.all[this.index]!;
  }

  /** Goes on to the next, unless another caller did. */
  leave(server: string): void {
    if (server === this.current) this.index = (this.index + 1) % this.all.length;
  }

  moveTo(server: string): void {
    this.index = this.all.indexOf(server);
  }
}

/** Lets a connection that is released inside a transaction be closed, which rolls that back, not used by the next caller. */
function endingTransactions(client: pg.PoolClient): pg.PoolClient {
  const release = client.release.bind(client);
  client.release = (fault) =>
    release(
      fault ?? (client.getTransactionStatus() === 'I' ? undefined : new Error('A connection was released inside a transaction')),
    );
  return client;
}

/**
 * Connections to PostgreSQL: to the one of its servers that is the primary. A standby is not read from either: its rows are old, and
 * a query has to see the change before it. A database that is silent on all of them counts as gone:
 * all connections are given up, and callers are refused at once, until it answers on a new one.
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
    /** All servers can be tried in the time that a caller waits. */
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

  /** Runs a statement outside of a transaction, at the turn of its tenant. */
  override query(...args: unknown[]): never {
    const run = (): Promise<unknown> => super.query(...(args as [string]));
    const { text = '', values = [] } = args[0] as { text?: string; values?: unknown[] };
    const tenantId = tenantOfStatement(text, values);
    return (tenantId === undefined ? run() : this.turns.run(tenantId, isScan(text), run)) as never;
  }

  /** Takes a connection, and tries this many servers for it if a new one is needed. */
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

  /** Ends all connections. Cuts off statements that take longer: on a silent database they would last for minutes. */
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

  /** Suspects the database if the wait for a connection timed out, and notes that it led to a standby. Returns the error. */
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

  /** If no connection heard from the database since then, hangs up the idle ones, which may be dead, and probes with a new one. */
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
    // An answer heard meanwhile on another connection counts.
    this.isSilent = this.heardAt < began && !this.ending;
    if (this.isSilent || this.servers.current !== former) for (const other of this.all) other.hangUp();
    this.probing = this.isSilent ? setTimeout(() => void this.probe(), PROBE_EVERY_MS).unref() : undefined;
  }

  /** Notes whether a server answers on a new connection, and lets new connections go to it then. Of several, only the primary counts. */
  private async probeServer(connectionString: string): Promise<void> {
    const client = new BoundedClient({ connectionString, connectionTimeoutMillis: PROBE_MS }, PROBE_MS);
    client.on('error', () => undefined);
    try {
      await client.connect();
      if (this.servers.all.length > 1) await client.begin();
      this.heardAt = performance.now();
      this.servers.moveTo(connectionString);
    } catch {
      // It is silent or away, or a standby beside others.
    } finally {
      client.hangUp();
    }
  }
}
