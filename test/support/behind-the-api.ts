// The only file of test/ that opens a database. A test makes and reads its data through the API. What no API makes or shows goes
// through here, and the first argument of each call is the reason: a short clause that names it.
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';
import { BoundedPool } from '../../src/common/database/postgresql/postgres-pool.js';
import { type AllTenants, connectPrisma, Database } from '../../src/common/database/database.js';

interface Server {
  readonly app: { get(token: typeof Database, options: { strict: false }): Database };
}

/** The database of a server in this process, as its services get it. */
export function databaseOf(reason: string, server: Server): Database {
  requireReason(reason);
  return server.app.get(Database, { strict: false });
}

/** The rows of all tenants of a server in this process. */
export function allRowsOf(reason: string, server: Server): AllTenants {
  return databaseOf(reason, server).acrossTenants(reason);
}

/** A database client as a server makes it. `$disconnect` ends it. */
export async function connectDatabase(reason: string, url: string, maxConnections: number): Promise<AllTenants> {
  requireReason(reason);
  return (await connectPrisma(url, maxConnections)).acrossTenants(reason);
}

/** The connections of a server to PostgreSQL. `end` ends them. */
export function openPool(reason: string, url: string, maxConnections: number): BoundedPool {
  requireReason(reason);
  return new BoundedPool([url], maxConnections);
}

/** A database file, opened by the driver alone. */
export function openSqlite(reason: string, file: string): Sqlite.Database {
  requireReason(reason);
  return new Sqlite(file, { timeout: 5_000 });
}

/** A session with a PostgreSQL server, opened by the driver alone. */
export async function openPostgres(reason: string, url: string): Promise<Client> {
  requireReason(reason);
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Rows of a statement in a database file. */
export function querySqlite(reason: string, file: string, sql: string): unknown[] {
  const database = openSqlite(reason, file);
  try {
    const statement = database.prepare(sql);
    if (statement.reader) return statement.all();
    statement.run();
    return [];
  } finally {
    database.close();
  }
}

/** Rows of a statement on a PostgreSQL server. */
export async function queryPostgres(reason: string, url: string, sql: string): Promise<any[]> {
  const client = await openPostgres(reason, url);
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function requireReason(reason: string): void {
  if (reason.split(' ').length < 3) throw new Error(`'${reason}' does not say what no API makes or shows`);
}
