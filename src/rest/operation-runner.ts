import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { documentOf } from '../common/graphql/documents/selection.js';
import { Operations } from '../common/graphql/operations.js';
import { bodyOf } from './operation-answer.js';
import type { Asked } from './request-variables.js';
import type { RestOperation } from './rest-operations.js';

/** Capacity of stored documents, in characters. */
const MAX_KEPT = 256 * 1024;
const LONGEST_KEPT = 16 * 1024;

/** Answer of a route. */
export interface Answered {
  value: unknown;
  /** Data of the GraphQL answer that the value is from. */
  data: object;
}

/** Runs an operation as GraphQL would. */
@Injectable()
export class OperationRunner {
  /** Documents by operation and fields. */
  private readonly documents = new LRUCache<string, string>({ maxSize: MAX_KEPT, maxEntrySize: LONGEST_KEPT });

  constructor(private readonly operations: Operations) {}

  /** @throws the error of the operation; NOT_FOUND for an object, named by the path, that does not exist */
  async run(
    operation: RestOperation,
    { variables, fields }: Asked,
    exchange: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<Answered> {
    const query = this.documentOf(operation, fields);
    const answer = await this.operations.run(operation.service, exchange, { query, variables });
    return { value: bodyOf(operation, answer), data: answer.body.data ?? {} };
  }

  private documentOf(operation: RestOperation, fields?: string): string {
    const key = `${operation.id} ${fields ?? ''}`;
    const known = this.documents.get(key);
    if (known) return known;
    const made = documentOf(operation, fields);
    this.documents.set(key, made, { size: key.length + made.length });
    return made;
  }
}
