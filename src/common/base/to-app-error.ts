import { AppError } from './app-error.js';
import { isDatabaseUnavailable, unavailableMessage } from './database-faults.js';

/**
 * Turns any error into the refusal that a caller reads. An AppError stays as it is, and an outage of the database becomes
 * SERVICE_UNAVAILABLE. Anything else becomes an internal error, which reveals only the request id to look up in the log. Each
 * caller of this function (GraphQL, HTTP, upgrades to WebSocket) handles the refusals of its own engine first, and formats the
 * result.
 */
export function toAppError(error: unknown, requestId: string): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) return new AppError('SERVICE_UNAVAILABLE', unavailableMessage(error), { cause: error });
  return new AppError('INTERNAL_SERVER_ERROR', `Internal error; the log has more under request id ${requestId}`, {
    cause: error,
  });
}

/**
 * Returns whether an error is our fault and belongs in the log, rather than a refusal that the caller can act on. SERVICE_UNAVAILABLE is
 * one if something failed; without a cause it only says that too much is under way.
 */
export function isOurFault({ code, cause }: AppError): boolean {
  return code === 'INTERNAL_SERVER_ERROR' || (code === 'SERVICE_UNAVAILABLE' && cause !== undefined);
}
