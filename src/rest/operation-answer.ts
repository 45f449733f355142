import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import { AppError, badInput, type ErrorCode } from '../common/base/app-error.js';
import type { OperationAnswer } from '../common/graphql/operations.js';
import { publicName, type RestOperation } from './rest-operations.js';
import { pageOf } from '../common/graphql/documents/selection.js';

/** Error of one item of a page. */
interface PartialError {
  code: string;
  detail: string;
  /** Path in the answer, such as `items`, 3. */
  path: readonly (string | number)[];
}

/** Codes of GraphQL documents, which REST callers do not write: their cause is a value, such as a `limit` that is too expensive. */
const DOCUMENT_CODES = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']);
/** Faults of variables, as the engine words them. */
const VARIABLE_FAULTS = [
  /^Variable "\$.*? at "(?<place>[\w.[\]]+)"; (?<fault>.*)$/s,
  /^Variable "\$(?<place>\w+)" got invalid value .*; (?<fault>Field .*)$/s,
  /^Variable "\$(?<place>\w+)" (?<fault>got invalid value .*)$/s,
  /^Variable "\$(?<place>\w+)" of required type .*(?<fault>)$/s,
];
const MISSING_FIELD = /^Field "(\w+)" of required type/;

/**
 * Returns the body of an answer: the value of the operation's field. A page with failed items has them as null, with their errors.
 * @throws the error of any other operation; NOT_FOUND for an object, named by the path, that does not exist
 */
export function bodyOf(operation: RestOperation, answer: OperationAnswer): unknown {
  const { data, errors }: FormattedExecutionResult = answer.body;
  const value = data?.[operation.field.name] ?? null;
  const isPartial = value !== null && pageOf(operation.field) !== undefined;
  if (errors?.length && !isPartial) throw asAppError(operation, errors[0]!, answer.headers);
  if (errors?.length) return { ...(value as object), errors: errors.map(partialError) };
  if (value === null && operation.kind === 'query' && operation.parameters.some((each) => each.in === 'path')) {
    throw new AppError('NOT_FOUND', 'The object of this path does not exist');
  }
  return value;
}

function partialError({ message, path = [], extensions }: GraphQLFormattedError): PartialError {
  return { code: String(extensions?.code), detail: message, path: path.slice(1) };
}

function asAppError(operation: RestOperation, error: GraphQLFormattedError, headers: Record<string, string>): AppError {
  const { code, field } = error.extensions as { code: string; field?: string };
  if (DOCUMENT_CODES.has(code)) return new AppError('BAD_USER_INPUT', error.message);
  if (code === 'BAD_USER_INPUT' && field === undefined) {
    const fault = variableFault(operation, error.message);
    if (fault) return fault;
  }
  const name = field && nameOf(operation, field);
  const message = field && error.message.startsWith(field) ? name + error.message.slice(field.length) : error.message;
  const retryAfter = headers['retry-after'];
  return new AppError(code as ErrorCode, message, { field: name, headers: retryAfter ? { 'retry-after': retryAfter } : {} });
}

/** Rewrites the fault of a variable for a caller who sent no variables. */
function variableFault(operation: RestOperation, message: string): AppError | undefined {
  const { place, fault } = VARIABLE_FAULTS.map((form) => form.exec(message)?.groups).find(Boolean) ?? {};
  if (place === undefined) return undefined;
  const missing = MISSING_FIELD.exec(fault!)?.[1];
  const field = nameOf(operation, [place.replaceAll(/\[(\d+)\]/g, '.$1'), missing].filter(Boolean).join('.'));
  return badInput(field, missing || !fault ? 'is required' : fault);
}

/** Returns the name under which a caller gave a value, from its place in the variables; `body` for the whole body. */
function nameOf({ parameters, body }: RestOperation, place: string): string {
  const parameter = parameters.find((each) => each.place.join('.') === place);
  if (parameter) return parameter.name;
  const [first = '', ...rest] = place.split('.');
  const isUnwrapped = first === 'filter' || (first === 'input' && body?.kind === 'input');
  return isUnwrapped ? rest.join('.') || 'body' : publicName(place);
}
