import { Writable } from 'node:stream';
import { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { Config } from '../config/config.js';

/** The log of this node: one JSON object a line on standard output. Also the injection token. */
export abstract class Log {}
export interface Log extends Logger {}

/** Headers and URLs are never logged whole, so there is nothing to redact later. */
export function createLog(config: Pick<Config, 'logLevel'>, destination?: Writable): Log {
  const options = { level: config.logLevel, base: null, serializers: { err: describeError } };
  return (destination ? pino(options, destination) : pino(options)) as Log;
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = (error as NodeJS.ErrnoException).code;
  const cause = error.cause instanceof Error ? describeError(error.cause) : ofDriver(error.cause);
  return { name, code, message, stack, cause };
}

/** What the driver of the database said; Prisma's adapters keep it in a cause that is no error. */
function ofDriver(cause: unknown): unknown {
  const { originalCode, originalMessage } = (cause ?? {}) as { originalCode?: unknown; originalMessage?: unknown };
  return originalMessage === undefined ? undefined : { code: originalCode, message: originalMessage };
}

/** Lets Nest speak through our log; its start-up chatter goes to debug. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, context?: string): void {
    this.target.debug({ context }, String(message));
  }
  warn(message: unknown, context?: string): void {
    this.target.warn({ context }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) === 'ExceptionHandler') return; // a start that fails: whoever starts says why, in one line
    if (message instanceof Error) this.target.error({ err: message }, message.message);
    else this.target.error({ context: rest.at(-1) }, String(message));
  }
}
