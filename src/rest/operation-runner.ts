import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Operations } from '../common/graphql/operations.js';
import { bodyOf } from './operation-answer.js';
import type { Asked } from './request-variables.js';
import type { RestOperation } from './rest-operations.js';
import { selectionOf, selectionText } from './selection.js';

const LIMIT = 'limit';

/** Answer of a route. */
export interface Answered {
  value: unknown;
  /** Data of the GraphQL answer that the value is from. */
  data: object;
}

/** Runs an operation as GraphQL would. */
@Injectable()
export class OperationRunner {
  /** Selections of default answers. */
  private readonly selections = new WeakMap<RestOperation, string>();

  constructor(private readonly operations: Operations) {}

  /** @throws the error of the operation; NOT_FOUND for an object, named by the path, that does not exist */
  async run(
    operation: RestOperation,
    { variables: { [LIMIT]: limit, ...variables }, fields }: Asked,
    exchange: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<Answered> {
    const selection = fields === undefined ? this.selectionOf(operation) : selectionText(selectionOf(operation.field, fields));
    const query = documentOf(operation, selection, limit as number | undefined);
    const answer = await this.operations.run(operation.service, exchange, { query, variables });
    return { value: bodyOf(operation, answer), data: answer.body.data ?? {} };
  }

  private selectionOf(operation: RestOperation): string {
    const known = this.selections.get(operation) ?? selectionText(selectionOf(operation.field));
    this.selections.set(operation, known);
    return known;
  }
}

/** Writes an operation with its arguments as variables, except `limit`: a variable would count with the largest limit. */
export function documentOf({ kind, field }: Pick<RestOperation, 'kind' | 'field'>, selection: string, limit?: number): string {
  const args = field.args.filter(({ name }) => name !== LIMIT);
  const declared = args.map(({ name, type }) => `$${name}:${String(type)}`);
  const passed = [...args.map(({ name }) => `${name}:$${name}`), ...(limit === undefined ? [] : [`${LIMIT}:${limit}`])];
  const inBrackets = (parts: string[]) => (parts.length > 0 ? `(${parts.join()})` : '');
  return `${kind}${inBrackets(declared)}{${field.name}${inBrackets(passed)}${selection}}`;
}
