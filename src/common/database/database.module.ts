import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { BOUND_KEYS_MIGRATION, KeyBinding } from '../auth/key-binding.js';
import { Config, ConfigError } from '../config/config.js';
import { makeDataFolder } from '../disk/data-folder.js';
import { closeToOthers } from '../disk/private-files.js';
import { Signing } from '../signing/signer.js';
import { isDatabaseFull } from './database-faults.js';
import { migrate } from './migrator.js';
import { connectPrisma, PrismaService } from './prisma.service.js';
import { giveUpReserve } from './sqlite-reserve.js';

async function openDatabase(config: Config, signing: Signing): Promise<PrismaService> {
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

/** To open a database that was killed on a full disk takes some of the room that is kept for it. */
async function open({ databaseUrl, databaseFile, isPostgres }: Config, signing: Signing): Promise<PrismaService> {
  const fillings = { [BOUND_KEYS_MIGRATION]: new KeyBinding(signing).ofOldKeys(isPostgres) };
  for (;;) {
    try {
      await migrate(databaseUrl, fillings);
      return await connectPrisma(databaseUrl);
    } catch (error) {
      if (!databaseFile || !isDatabaseFull(error) || !giveUpReserve(databaseFile, true)) throw error;
    }
  }
}

async function prepareFolder(databaseFile: string): Promise<void> {
  await mkdir(dirname(databaseFile), { recursive: true, mode: 0o700 });
  for (const suffix of ['', '-wal', '-shm', '-reserve']) await closeToOthers(databaseFile + suffix);
}

/** The one database of the process. It is migrated before anybody can ask it, and closed after everybody has. */
@Global()
@Module({
  providers: [{ provide: PrismaService, inject: [Config, Signing], useFactory: openDatabase }],
  exports: [PrismaService],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(PrismaService) private readonly prisma: PrismaService) {}

  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
  }
}
