import { AppError } from './app-error.js';
import { isDatabaseUnavailable, unavailableMessage } from './database-faults.js';

/**
 * Converts any error to one for the caller. An AppError stays as it is, and a database outage becomes SERVICE_UNAVAILABLE.
 * Anything else becomes an internal error that reveals only its request id. GraphQL, HTTP and WebSocket upgrades handle the
 * errors of their own engine first, and format the result.
 */
export function toAppError(error: unknown, requestId: string): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) return new AppError('SERVICE_UNAVAILABLE', unavailableMessage(error), { cause: error });
  return new AppError('INTERNAL_SERVER_ERROR', `Internal error; see the log for request id ${requestId}`, {
    cause: error,
  });
}

/**
 * Returns whether an error is a fault of the server and belongs in the log. SERVICE_UNAVAILABLE is one if it has a cause; without a
 * cause it reports overload.
 */
export function isOurFault({ code, cause }: AppError): boolean {
  return code === 'INTERNAL_SERVER_ERROR' || (code === 'SERVICE_UNAVAILABLE' && cause !== undefined);
}
