import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { isDatabaseUnavailable, unavailableMessage } from '../database/database-faults.js';
import { AppError } from '../errors/app-error.js';
import { CHANGED } from '../json/stored-json.js';

/** The engine's own codes that callers see; what is not here becomes the nearest of our closed list. */
const ENGINE_CODES = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_REQUEST', 'BAD_USER_INPUT']);
const ENGINE_REQUEST_FAULTS = new Set([
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/**
 * Faults of variables that the engine gives no code: more of them than it lists, and those that only show where the variable
 * is used, such as null for an argument that has a default, or a number within an object of a scalar of ours.
 */
const UNCODED_INPUT_FAULT = /^(Too many errors processing variables|(Argument|Variable) "[^"]*" )/;

/** The engine compares fields that are asked for again and again up to a bound, and does not say so. */
const UNEXPLAINED = {
  'Validation aborted.': 'The document asks for the same fields too often to be compared; ask for each of them once',
};

/** The engine quotes what it refuses, which can be megabytes, once for each fault of an operation. */
const MAX_MESSAGE = 1_000;

/** What a leaf of the schema refuses to write: on SQLite bytes can stand where a text should. */
const UNSHOWABLE = /^\w+ cannot represent /;

/** What a caller reads of an error: a code of the closed list and a message, and nothing of our inside. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const shown = (code: string, message: string, field?: string): GraphQLFormattedError => ({
    message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()} …` : message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code, ...(field && { field }) },
  });
  const cause = causeOf(error);
  if (cause instanceof AppError) return shown(cause.code, cause.message, cause.field);
  const refusal = refusalByEngine(String(formatted.extensions?.code), cause);
  if (refusal) return shown(refusal, UNEXPLAINED[formatted.message as never] ?? formatted.message);
  if (isDatabaseUnavailable(cause)) return shown('SERVICE_UNAVAILABLE', unavailableMessage(cause));
  if (cause instanceof GraphQLError && UNSHOWABLE.test(cause.message))
    return shown('FAILED_PRECONDITION', `The stored value ${CHANGED}`);
  const requestId = String(formatted.extensions?.requestId ?? 'unknown');
  return shown('INTERNAL_SERVER_ERROR', `Internal error; the log has more under request id ${requestId}`);
}

/** Whether an error is our fault and belongs into the log, rather than a refusal that the caller can read. */
export function isUnexpected(error: GraphQLError): boolean {
  const cause = causeOf(error);
  if (cause instanceof AppError) return cause.code === 'INTERNAL_SERVER_ERROR' || cause.code === 'SERVICE_UNAVAILABLE';
  return refusalByEngine(String(error.extensions.code), cause) === undefined;
}

/** The code of what the engine refuses because of the request; nothing for its other errors. */
function refusalByEngine(code: string, cause: unknown): string | undefined {
  if (ENGINE_CODES.has(code)) return code;
  if (ENGINE_REQUEST_FAULTS.has(code)) return 'BAD_REQUEST';
  return cause instanceof GraphQLError && UNCODED_INPUT_FAULT.test(cause.message) ? 'BAD_USER_INPUT' : undefined;
}

/** What a resolver threw, or what refused the whole operation before any resolver ran. */
function causeOf(error: unknown): unknown {
  const original = error instanceof GraphQLError ? error.originalError : undefined;
  return original instanceof AppError ? original : unwrapResolverError(error);
}
