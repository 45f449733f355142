import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { AppError } from '../../base/app-error.js';
import { isOurFault, toAppError } from '../../base/to-app-error.js';
import { CHANGED } from '../../base/json.js';
import { REPEATED } from '../documents/field-count.js';

/** Engine codes shown to callers. Any other is replaced by the closest code of the closed list. */
const ENGINE_CODES = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_REQUEST', 'BAD_USER_INPUT']);
const ENGINE_REQUEST_FAULTS = new Set([
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/**
 * Messages of variable faults without an engine code: too many of them, and faults found only where the variable is used, such as null
 * for an argument with a default, or a number within an object of a custom scalar.
 */
const UNCODED_INPUT_FAULT = /^(Too many errors processing variables|(Argument|Variable) "[^"]*" )/;

/** Engine messages replaced by clearer ones. The engine stops comparing repeated fields at a limit without saying so. */
const UNEXPLAINED = {
  'Validation aborted.': REPEATED,
};

/** Maximum length of a message. The engine quotes the refused value, possibly megabytes, in each fault. */
const MAX_MESSAGE = 1_000;

/** Returns whether a scalar refused to write a value: on SQLite, a text column can hold bytes. */
const isUnshowable = (cause: unknown): boolean => cause instanceof GraphQLError && /^\w+ cannot represent /.test(cause.message);

/** Formats field errors as Apollo does, by passing each to formatError. */
export function formatErrors(errors: readonly GraphQLError[]): GraphQLFormattedError[] {
  return errors.map((error) => {
    const extensions = { ...error.extensions, code: error.extensions.code ?? 'INTERNAL_SERVER_ERROR' };
    return formatError({ ...error.toJSON(), extensions }, error);
  });
}

/** Reduces an error to a message and a code of the closed list, without internals. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const formattedAs = (code: string, message: string, field?: string): GraphQLFormattedError => ({
    message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()} …` : message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code, ...(field && { field }) },
  });
  const cause = causeOf(error);
  const refusal = cause instanceof AppError ? undefined : refusalByEngine(String(formatted.extensions?.code), cause);
  if (refusal) return formattedAs(refusal, UNEXPLAINED[formatted.message as never] ?? formatted.message);
  if (isUnshowable(cause)) return formattedAs('FAILED_PRECONDITION', `The stored value ${CHANGED}`);
  const { code, message, field } = toAppError(cause, String(formatted.extensions?.requestId ?? 'unknown'));
  return formattedAs(code, message, field);
}

/** Returns whether an error belongs in the log. */
export function isUnexpected(error: GraphQLError): boolean {
  const cause = causeOf(error);
  if (cause instanceof AppError) return isOurFault(cause);
  return refusalByEngine(String(error.extensions.code), cause) === undefined;
}

/** Returns the code of an engine error caused by the request; undefined for other engine errors. */
function refusalByEngine(code: string, cause: unknown): string | undefined {
  if (ENGINE_CODES.has(code)) return code;
  if (ENGINE_REQUEST_FAULTS.has(code)) return 'BAD_REQUEST';
  return cause instanceof GraphQLError && UNCODED_INPUT_FAULT.test(cause.message) ? 'BAD_USER_INPUT' : undefined;
}

/** Returns the error thrown by a resolver, or the one that refused the operation before any resolver ran. */
function causeOf(error: unknown): unknown {
  const original = error instanceof GraphQLError ? error.originalError : undefined;
  return original instanceof AppError ? original : unwrapResolverError(error);
}
