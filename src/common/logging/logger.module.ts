// Room: Structured log: one JSON line per event.
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Logger } from './logger.js';

/** Provides the logger to every module. It is created before the application, so that a failed start is logged too. */
@Global()
@Module({})
export class LoggerModule {
  static with(logger: Logger): DynamicModule {
    return { module: LoggerModule, providers: [{ provide: Logger, useValue: logger }], exports: [Logger] };
  }
}
