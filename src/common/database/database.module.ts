import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config, ConfigError } from '../config/config.js';
import { makeDataFolder } from '../disk/data-folder.js';
import { closeToOthers } from '../disk/private-files.js';
import { isDatabaseFull } from './database-faults.js';
import { migrate } from './migrator.js';
import { connectPrisma, PrismaService } from './prisma.service.js';
import { giveUpReserve } from './sqlite-reserve.js';

async function openDatabase(config: Config): Promise<PrismaService> {
  const { databaseUrl, databaseFile, dataDir } = config;
  try {
    if (databaseFile && dirname(databaseFile) === dataDir) await makeDataFolder(dataDir);
    if (databaseFile) await prepareFolder(databaseFile);
    return await open(databaseUrl, databaseFile);
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
async function open(databaseUrl: string, databaseFile: string | undefined): Promise<PrismaService> {
  for (;;) {
    try {
      await migrate(databaseUrl);
      return await connectPrisma(databaseUrl);
    } catch (error) {
      if (!databaseFile || !isDatabaseFull(error) || !giveUpReserve(databaseFile)) throw error;
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
  providers: [{ provide: PrismaService, inject: [Config], useFactory: openDatabase }],
  exports: [PrismaService],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(PrismaService) private readonly prisma: PrismaService) {}

  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
  }
}
