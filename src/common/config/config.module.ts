// Room: Settings. The only reader of the environment.
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Config } from './config.js';

/** Provides the settings of this node to every module. They are read and checked once, before anything starts. */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Config, useValue: config }], exports: [Config] };
  }
}
