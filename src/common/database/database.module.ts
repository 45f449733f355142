// Room: Database access: Prisma, migrations, the SQLite thread, both SQL dialects, rows by tenant.
import { dirname } from 'node:path';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config, ConfigError } from '../config/config.js';
import { makeDataFolder } from '../disk/data-folder.js';
import { makeFolders } from '../disk/folders.js';
import { closeToOthers } from '../disk/private-files.js';
import { Metrics } from '../metrics/metrics.js';
import { Logger } from '../logging/logger.js';
import { certificateFault } from '../base/certificate-faults.js';
import { say } from '../base/printable.js';
import { isDatabaseFull, isDatabaseReadOnly } from '../base/database-faults.js';
import { DatabaseMetrics } from './database-metrics.js';
import { migrate } from './migrator.js';
import { onceUnlocked } from './sqlite/once-unlocked.js';
import { connectPrisma, Database } from './database.js';
import { DuePoll } from './due-poll.js';
import { driverFault } from './sqlite/sqlite-driver.js';
import { freeReserve } from './sqlite/sqlite-reserve.js';

const POSTGRESQL = { name: 'PostgreSQL', setting: 'DATABASE_URL', remedy: 'add sslrootcert=FILE to DATABASE_URL' };

async function openDatabase(config: Config, logger?: Logger, metrics?: Metrics): Promise<Database> {
  const { databaseFile, dataDir } = config;
  try {
    if (databaseFile && dirname(databaseFile) === dataDir) await makeDataFolder(dataDir);
    if (databaseFile) await prepareFolder(databaseFile);
    return await open(config, logger, metrics && new DatabaseMetrics(metrics));
  } catch (error) {
    throw openingFault(error);
  }
}

/** Explains, in terms of the settings, why the database could not be opened. */
export function openingFault(error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  if (isDatabaseFull(error)) {
    return new ConfigError('DATABASE_URL names a database whose disk is full: free some space, then start again', {
      cause: error,
    });
  }
  if (isDatabaseReadOnly(error)) {
    const reason = 'name the primary if it is a standby, or let it be written to';
    return new ConfigError(`DATABASE_URL names a database that accepts no changes: ${reason}`, { cause: error });
  }
  const fault = error as NodeJS.ErrnoException;
  const missing = driverFault(fault);
  if (missing) return new ConfigError(missing, { cause: error });
  const reason = certificateFault(fault.code, POSTGRESQL) ?? (fault.message || fault.code);
  return new ConfigError(`DATABASE_URL names a database that cannot be opened: ${reason}`, { cause: error });
}

/** Migrates and connects. After a crash on a full disk, this needs part of the reserve file. */
async function open(config: Config, logger?: Logger, metrics?: DatabaseMetrics): Promise<Database> {
  const { databaseUrl, databaseFile, maxDatabaseConnections } = config;
  let isMigrating = false;
  const events = {
    onMigrating: (migrations: number) => {
      isMigrating = true;
      logger?.info({ migrations }, 'migrating the database; only an earlier backup restores the old state (docs/upgrade.md)');
    },
    onUnknown: (unknown: string[]) =>
      logger?.warn({ unknown }, 'the database was migrated by a later release; this one ignores the unknown migrations'),
    onBlocked: (reason: string) => {
      const text = 'a migration is blocked; retrying for 10 minutes';
      if (logger) logger.warn({ reason }, text);
      else say(`${text}: ${reason}`);
    },
  };
  for (;;) {
    try {
      return await onceUnlocked(async () => {
        const applied = await migrate(databaseUrl, events);
        if (isMigrating) logger?.info({ migrations: applied }, 'the database is migrated');
        return connectPrisma(databaseUrl, maxDatabaseConnections, metrics);
      });
    } catch (error) {
      if (!databaseFile || !isDatabaseFull(error) || !freeReserve(databaseFile, true)) throw error;
    }
  }
}

async function prepareFolder(databaseFile: string): Promise<void> {
  await makeFolders(dirname(databaseFile));
  for (const suffix of ['', '-wal', '-shm', '-reserve', '.lock', '.pid']) await closeToOthers(databaseFile + suffix);
}

/**
 * Provides the database of the process; commands have neither logger nor metrics. It is migrated before its first use and closed
 * after its last.
 */
@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [Config, { token: Logger, optional: true }, { token: Metrics, optional: true }],
      useFactory: openDatabase,
    },
    DuePoll,
  ],
  exports: [Database, DuePoll],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.$disconnect();
  }
}
