// The only file of test/ that opens a database, for data that no API creates or shows. The first argument of each call is the reason, as
// a short clause.
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';
import { BoundedPool } from '../../src/common/database/postgresql/postgres-pool.js';
import { type AllTenants, connectPrisma, Database } from '../../src/common/database/database.js';

interface Server {
  readonly app: { get(token: typeof Database, options: { strict: false }): Database };
}

/** Returns the database of a server in this process, as its services use it. */
export function databaseOf(reason: string, server: Server): Database {
  requireReason(reason);
  return server.app.get(Database, { strict: false });
}

/** Returns the rows of all tenants of a server in this process. */
export function allRowsOf(reason: string, server: Server): AllTenants {
  return databaseOf(reason, server).acrossTenants(reason);
}

/** Returns a database client like that of a server. `$disconnect` closes it. */
export async function connectDatabase(reason: string, url: string, maxConnections: number): Promise<AllTenants> {
  requireReason(reason);
  return (await connectPrisma(url, maxConnections)).acrossTenants(reason);
}

/** Returns the connections of a server to PostgreSQL. `end` closes them. */
export function openPool(reason: string, url: string, maxConnections: number): BoundedPool {
  requireReason(reason);
  return new BoundedPool([url], maxConnections);
}

/** Opens a database file with the driver alone. */
export function openSqlite(reason: string, file: string): Sqlite.Database {
  requireReason(reason);
  return new Sqlite(file, { timeout: 5_000 });
}

/** Opens a PostgreSQL session with the driver alone. */
export async function openPostgres(reason: string, url: string): Promise<Client> {
  requireReason(reason);
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Returns the rows of a statement in a database file. */
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

/** Returns the rows of a statement on a PostgreSQL server. */
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
