import { Writable } from 'node:stream';
import { LoggerService } from '@nestjs/common';
import { pino, type Logger as PinoLogger } from 'pino';
import type { Config } from '../config/config.js';
import { currentSpan } from '../tracing/spans.js';

/** Log of this node: one JSON object per line on standard output. Also the injection token. */
export abstract class Logger {}
export interface Logger extends PinoLogger {}

type LogSettings = Pick<Config, 'logLevel'> & Partial<Pick<Config, 'telemetry'>>;

/** Creates the logger. Headers and URLs are never logged whole, so nothing needs redaction. Lines within a trace contain its id. */
export function createLogger(config: LogSettings, destination?: Writable): Logger {
  const mixin = config.telemetry?.tracesUrl ? () => ({ traceId: currentSpan()?.spanContext().traceId }) : undefined;
  const options = { level: config.logLevel, base: null, mixin, serializers: { err: describeError } };
  return (destination ? pino(options, destination) : pino(options)) as Logger;
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = (error as NodeJS.ErrnoException).code;
  const cause = error.cause instanceof Error ? describeError(error.cause) : driverError(error.cause);
  return { name, code, message, stack, cause };
}

/** Returns the error of the database driver, which Prisma's adapters store in a cause that is not an Error. */
function driverError(cause: unknown): unknown {
  const { originalCode, originalMessage } = (cause ?? {}) as { originalCode?: unknown; originalMessage?: unknown };
  return originalMessage === undefined ? undefined : { code: originalCode, message: originalMessage };
}

/** Writes Nest's messages to the log, those of a normal start at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly target: Logger) {}

  log(message: unknown, context?: string): void {
    this.target.debug({ context }, String(message));
  }
  warn(message: unknown, context?: string): void {
    this.target.warn({ context }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) === 'ExceptionHandler') return; // a failed start: start.ts prints the reason in one line
    if (message instanceof Error) this.target.error({ err: message }, message.message);
    else this.target.error({ context: rest.at(-1) }, String(message));
  }
}
