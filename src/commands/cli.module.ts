import { setFlagsFromString } from 'node:v8';
import { type DynamicModule, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Config, ConfigError, noDatabase } from '../common/config/config.js';
import { ConfigModule } from '../common/config/config.module.js';
import { DatabaseModule, openingFault } from '../common/database/database.module.js';
import { readMigrations } from '../common/database/migrator.js';
import { isHalfRestored } from '../common/disk/folders.js';
import { SigningModule } from '../common/signing/signing.module.js';
import type { AdminCommands } from './admin-commands.js';

@Module({})
export class CliModule {}

/** Runs a function with a service on the configured database. A server may use the database at the same time. */
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

/** True if a command may create the database that the settings name. */
export interface DatabaseNeed {
  mayBeNew?: boolean;
}

/**
 * Returns the database modules. A command run in the wrong folder must not create a second platform there: it creates a database
 * only if it may, and only where the settings name one.
 * @throws ConfigError naming the location that was searched, and the remedy
 */
export async function database(config: Config, { mayBeNew = false }: DatabaseNeed = {}) {
  if (!(mayBeNew && config.isDataNamed) && (await isNew(config))) throw new ConfigError(noDatabase(config));
  return [ConfigModule.with(config), SigningModule, DatabaseModule];
}

async function isNew({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (isHalfRestored(dataDir)) return false; // reported when the folder is opened
  try {
    return (await readMigrations(databaseUrl)).isNew;
  } catch (error) {
    throw openingFault(error);
  }
}

/** Disables background optimization of WebAssembly: short commands exit before it pays off. */
export function loadQuickly(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

/** Runs a function with the commands for keys and tenants, which share their code with the admin API. */
export async function withCommands(run: (commands: AdminCommands) => Promise<void>, need?: DatabaseNeed): Promise<void> {
  loadQuickly();
  const imports = await database(Config.fromProcess(), need);
  const [{ AdminCommands }, { AdminCommandsModule }] = await Promise.all([
    import('./admin-commands.js'),
    import('./admin-commands.module.js'),
  ]);
  await withService({ module: CliModule, imports: [...imports, AdminCommandsModule] }, AdminCommands, run);
}
