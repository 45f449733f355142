import type { FastifyRequest } from 'fastify';
import { getNullableType, isInputObjectType } from 'graphql';
import { badInput } from '../common/base/app-error.js';
import { isJsonObject } from '../common/base/json.js';
import { checkSearch } from '../common/graphql/documents/operation-by-get.js';
import { FIELDS, type Parameter, readParameters, setAt } from './parameters.js';
import type { RestOperation } from './rest-operations.js';

/** Field of inputs that the header Idempotency-Key sets. */
const IDEMPOTENCY_KEY = 'idempotencyKey';

/** Variables and selected fields of a request. */
export interface Asked {
  variables: Record<string, unknown>;
  /** Value of the parameter `fields`, if given. */
  fields: string | undefined;
}

/**
 * Reads a request to the route of an operation.
 * @throws BAD_USER_INPUT with the parameter or field; BAD_REQUEST for a query string that cannot be decoded
 */
export function askedOf(operation: RestOperation, request: FastifyRequest): Asked {
  const variables = bodyVariables(operation, request.body);
  readIdempotencyKey(operation, request, variables);
  return readQuery(operation.parameters, request, variables);
}

/** Reads the parameters of path and query into variables. @throws the errors of `askedOf` */
export function readQuery(parameters: readonly Parameter[], request: FastifyRequest, variables: Record<string, unknown>): Asked {
  checkSearch(request);
  const { url = '' } = request.raw;
  const given = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  for (const [name, value] of Object.entries(request.params as Record<string, string>)) given.append(name, value);
  readParameters(parameters, given, variables);
  const { [FIELDS.place[0]!]: fields, ...others } = variables;
  return { variables: others, fields: fields as string | undefined };
}

function bodyVariables({ body, id }: RestOperation, given: unknown): Record<string, unknown> {
  if (given === undefined || given === null) {
    if (body?.isRequired) throw badInput('body', `is required: the input of ${id}, as JSON`);
    return {};
  }
  if (!body) throw badInput('body', 'is not expected by this route; leave it out');
  if (body.kind === 'input' && !body.fields) {
    if (!Array.isArray(given)) throw badInput('body', 'must be a JSON array of objects');
    return { input: given };
  }
  if (!isJsonObject(given)) throw badInput('body', 'must be a JSON object');
  const names = body.fields!.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw badInput(unknown.slice(0, 100).toWellFormed(), `is no field of the body; the fields are ${names.join(', ')}`);
  }
  return body.kind === 'input' ? { input: { ...given } } : { ...given };
}

/** Adds the header Idempotency-Key to the input. @throws BAD_USER_INPUT if the operation has no such field, or another value in it */
function readIdempotencyKey({ field, id }: RestOperation, request: FastifyRequest, variables: Record<string, unknown>): void {
  const header = request.headers['idempotency-key'];
  if (typeof header !== 'string') return;
  const type = getNullableType(field.args.find(({ name }) => name === 'input')?.type);
  if (!isInputObjectType(type) || !type.getFields()[IDEMPOTENCY_KEY]) {
    throw badInput('Idempotency-Key', `cannot be used with ${id}, which has no idempotency key; leave the header out`);
  }
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  const inBody = (variables.input as Record<string, unknown> | undefined)?.[IDEMPOTENCY_KEY];
  if ((inBody ?? key) !== key) throw badInput('Idempotency-Key', `differs from ${IDEMPOTENCY_KEY} of the body; send one of them`);
  setAt(variables, ['input', IDEMPOTENCY_KEY], key);
}
