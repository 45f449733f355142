import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config, ConfigError } from '../config/config.js';
import { makeDataFolder } from '../disk/data-folder.js';
import { closeToOthers } from '../disk/private-files.js';
import { KeyBinding } from '../signing/key-binding.js';
import { Signing } from '../signing/signer.js';
import { BOUND_KEYS_MIGRATION, bindOldKeys } from './bound-keys.js';
import { isDatabaseFull } from '../errors/database-faults.js';
import { migrate } from './migrator.js';
import { onceUnlocked } from './sqlite/once-unlocked.js';
import { connectPrisma, Database } from './database.js';
import { giveUpReserve } from './sqlite/sqlite-reserve.js';

async function openDatabase(config: Config, signing: Signing): Promise<Database> {
  const { databaseFile, dataDir } = config;
  try {
    if (databaseFile && dirname(databaseFile) === dataDir) await makeDataFolder(dataDir);
    if (databaseFile) await prepareFolder(databaseFile);
    return await open(config, signing);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (isDatabaseFull(error)) {
      throw new ConfigError('DATABASE_URL names a database whose disk is full: make room, then start again', { cause: error });
    }
    const { message, code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`DATABASE_URL names a database that cannot be opened: ${message || code}`, { cause: error });
  }
}

/** Migrates and connects. A database that was killed on a full disk needs some of the room that is reserved for it. */
async function open({ databaseUrl, databaseFile, maxDatabaseConnections }: Config, signing: Signing): Promise<Database> {
  const fillings = { [BOUND_KEYS_MIGRATION]: bindOldKeys(new KeyBinding(signing)) };
  for (;;) {
    try {
      return await onceUnlocked(async () => {
        await migrate(databaseUrl, fillings);
        return connectPrisma(databaseUrl, maxDatabaseConnections);
      });
    } catch (error) {
      if (!databaseFile || !isDatabaseFull(error) || !giveUpReserve(databaseFile, true)) throw error;
    }
  }
}

async function prepareFolder(databaseFile: string): Promise<void> {
  await mkdir(dirname(databaseFile), { recursive: true, mode: 0o700 });
  for (const suffix of ['', '-wal', '-shm', '-reserve']) await closeToOthers(databaseFile + suffix);
}

/** The one database of the process. It is migrated before its first use and closed after its last. */
@Global()
@Module({
  providers: [{ provide: Database, inject: [Config, Signing], useFactory: openDatabase }],
  exports: [Database],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.$disconnect();
  }
}
