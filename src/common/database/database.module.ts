import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config, ConfigError } from '../config/config.js';
import { migrate } from './migrator.js';
import { connectPrisma, PrismaService } from './prisma.service.js';

async function openDatabase(config: Config): Promise<PrismaService> {
  try {
    if (!config.isPostgres) await mkdir(dirname(config.databaseUrl.slice('file:'.length)), { recursive: true });
    await migrate(config.databaseUrl);
    return await connectPrisma(config.databaseUrl);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`DATABASE_URL names a database that cannot be opened: ${message || code}`, { cause: error });
  }
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
