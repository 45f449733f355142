import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Log } from './log.js';

/** Gives every module the log. It is made before the application, so that a failed start is logged too. */
@Global()
@Module({})
export class LogModule {
  static with(log: Log): DynamicModule {
    return { module: LogModule, providers: [{ provide: Log, useValue: log }], exports: [Log] };
  }
}
