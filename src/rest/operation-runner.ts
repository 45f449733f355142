import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Operations } from '../common/graphql/operations.js';
import { bodyOf } from './operation-answer.js';
import type { Asked } from './request-variables.js';
import type { RestOperation } from './rest-operations.js';
import { selectionOf, selectionText } from './selection.js';

/** Answer of a route. */
export interface Answered {
  value: unknown;
  /** Data of the GraphQL answer that the value is from. */
  data: object;
}

/** Runs an operation as GraphQL would, with all of its arguments as variables. */
@Injectable()
export class OperationRunner {
  /** Documents of default answers: equal texts are parsed and validated once. */
  private readonly documents = new WeakMap<RestOperation, string>();

  constructor(private readonly operations: Operations) {}

  /** @throws the error of the operation; NOT_FOUND for an object, named by the path, that does not exist */
  async run(
    operation: RestOperation,
    { variables, fields }: Asked,
    exchange: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<Answered> {
    const query = fields === undefined ? this.documentOf(operation) : documentOf(operation, fields);
    const answer = await this.operations.run(operation.service, exchange, { query, variables });
    return { value: bodyOf(operation, answer), data: answer.body.data ?? {} };
  }

  private documentOf(operation: RestOperation): string {
    const known = this.documents.get(operation) ?? documentOf(operation);
    this.documents.set(operation, known);
    return known;
  }
}

/** Returns the document of an operation. @throws BAD_USER_INPUT for a field that does not exist */
export function documentOf({ kind, field }: Pick<RestOperation, 'kind' | 'field'>, fields?: string): string {
  const selection = selectionText(selectionOf(field, fields));
  if (field.args.length === 0) return `${kind}{${field.name}${selection}}`;
  const declared = field.args.map(({ name, type }) => `$${name}:${String(type)}`);
  const passed = field.args.map(({ name }) => `${name}:$${name}`);
  return `${kind}(${declared.join()}){${field.name}(${passed.join()})${selection}}`;
}
