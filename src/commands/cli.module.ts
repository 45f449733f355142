import { setFlagsFromString } from 'node:v8';
import { type DynamicModule, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../common/config/config.js';
import { ConfigModule } from '../common/config/config.module.js';
import { DatabaseModule } from '../common/database/database.module.js';
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

export const database = (config: Config) => [ConfigModule.with(config), SigningModule, DatabaseModule];

/** Short commands end before WebAssembly optimized in the background would pay for itself. */
export function loadQuickly(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
