import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { DATABASE_UNAVAILABLE, isDatabaseUnavailable } from '../database/database-faults.js';
import { AppError } from '../errors/app-error.js';

/** The engine's own codes that callers see; what is not here becomes the nearest of our closed list. */
const ENGINE_CODES = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_REQUEST', 'BAD_USER_INPUT']);
const ENGINE_REQUEST_FAULTS = new Set([
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/** What a caller reads of an error: a code of the closed list and a message, and nothing of our inside. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const shown = (code: string, message: string, field?: string): GraphQLFormattedError => ({
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code, ...(field && { field }) },
  });
  const cause = unwrapResolverError(error);
  if (cause instanceof AppError) return shown(cause.code, cause.message, cause.field);
  const code = String(formatted.extensions?.code);
  if (ENGINE_CODES.has(code)) return shown(code, formatted.message);
  if (ENGINE_REQUEST_FAULTS.has(code)) return shown('BAD_REQUEST', formatted.message);
  if (isDatabaseUnavailable(cause)) return shown('SERVICE_UNAVAILABLE', DATABASE_UNAVAILABLE);
  const requestId = String(formatted.extensions?.requestId ?? 'unknown');
  return shown('INTERNAL_SERVER_ERROR', `Internal error; the log has more under request id ${requestId}`);
}

/** Whether an error is our fault and belongs into the log, rather than a refusal that the caller can read. */
export function isUnexpected(error: GraphQLError): boolean {
  const cause = unwrapResolverError(error);
  if (cause instanceof AppError) return cause.code === 'INTERNAL_SERVER_ERROR' || cause.code === 'SERVICE_UNAVAILABLE';
  const code = String(error.extensions.code);
  return !ENGINE_CODES.has(code) && !ENGINE_REQUEST_FAULTS.has(code);
}
