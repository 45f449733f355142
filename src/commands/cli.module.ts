import { setFlagsFromString } from 'node:v8';
import { type DynamicModule, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Config, ConfigError, noDatabase } from '../common/config/config.js';
import { ConfigModule } from '../common/config/config.module.js';
import { DatabaseModule, openingFault } from '../common/database/database.module.js';
import { readMigrations } from '../common/database/migrator.js';
import { isHalfRestored } from '../common/disk/folders.js';
import { SigningModule } from '../common/signing/signing.module.js';

@Module({})
export class CliModule {}

/** Gives `run` a service on the configured database, which a server may be using at the same time. */
export async function withService<T>(
  module: DynamicModule,
  token: Type<T>,
  run: (service: T, context: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  try {
    await run(context.get(token, { strict: false }), context);
  } finally {
    await context.close();
  }
}

/** Whether a command may make a database, where the settings name a new one. */
export interface DatabaseNeed {
  mayBeNew?: boolean;
}

/**
 * Returns the modules of the database. A command that is run in a wrong folder must not make a second platform there, so it takes
 * a new database only if it may, and only where the settings name it.
 * @throws ConfigError that says where a database was looked for, and what to do
 */
export async function database(config: Config, { mayBeNew = false }: DatabaseNeed = {}) {
  if (!(mayBeNew && config.isDataNamed) && (await isNew(config))) throw new ConfigError(noDatabase(config));
  return [ConfigModule.with(config), SigningModule, DatabaseModule];
}

async function isNew({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (isHalfRestored(dataDir)) return false; // said where the folder is opened
  try {
    return (await readMigrations(databaseUrl)).isNew;
  } catch (error) {
    throw openingFault(error);
  }
}

/** Short commands end before WebAssembly optimized in the background would pay for itself. */
export function loadQuickly(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
