import { hash } from 'node:crypto';
import type { ApolloServer } from '@apollo/server';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type FormattedExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type Service, touchesService } from '../auth/scopes.js';
import { AppError } from '../base/app-error.js';
import type { GraphqlContext } from './access/graphql-context.js';
import { formatErrors } from './answers/format-error.js';
import type { RepeatedOperations } from './repeated-operations.js';

/** GraphQL endpoint of a service. */
interface Endpoint {
  schema: GraphQLSchema;
  apolloServer: ApolloServer<GraphqlContext>;
  repeatedOperations: RepeatedOperations;
  context: (request: FastifyRequest, reply: FastifyReply) => Promise<GraphqlContext>;
}

const MAX_HASHES = 200;

/** Operation, as in the body of a request to a GraphQL endpoint. */
export interface Operation {
  query: string;
  operationName?: string;
  variables?: Record<string, unknown>;
}

/** Answer of an operation: status, headers and body that its GraphQL endpoint would send. */
export interface OperationAnswer {
  status: number;
  /** Headers of this answer, such as `retry-after`. The request gate adds those of every answer. */
  headers: Record<string, string>;
  body: FormattedExecutionResult;
}

/**
 * Runs operations for routes other than the GraphQL endpoints, with the same steps: scope, cost, rate, memory, log, metrics and errors.
 * Routes that use it declare `runsOperations`: the request gate then admits them like an endpoint and counts nothing twice.
 */
@Injectable()
export class Operations {
  private readonly endpoints = new Map<Service, Endpoint>();
  /** Hashes of recent queries. The routes pass the same string for equal documents, so a lookup compares no text. */
  private readonly hashes = new LRUCache<string, string>({ max: MAX_HASHES, memoMethod: (query) => hash('sha256', query) });

  /** Called for each endpoint before the server listens. */
  offer(service: Service, endpoint: Endpoint): void {
    this.endpoints.set(service, endpoint);
  }

  /** Returns the served schema of a service. */
  schemaOf(service: Service): GraphQLSchema {
    return this.endpoints.get(service)!.schema;
  }

  /**
   * Runs one operation of a service for the caller of a request. A request may run several, and is charged for each.
   * @param operation with a well-formed query
   */
  async run(
    service: Service,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    operation: Operation,
  ): Promise<OperationAnswer> {
    const own = requestOf(operation, request);
    try {
      if (!touchesService(request.caller!.scope, service)) {
        throw new AppError('FORBIDDEN', `The key has no scope entry of ${service}-api`);
      }
      return await this.answer(this.endpoints.get(service)!, operation, { request: own, reply });
    } catch (error) {
      return refusalOf(error);
    } finally {
      request.rate = own.rate ?? request.rate;
      request.operation =
        request.operation && own.operation ? `${request.operation},${own.operation}` : (own.operation ?? request.operation);
    }
  }

  private async answer(
    { schema, apolloServer, repeatedOperations, context }: Endpoint,
    operation: Operation,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<OperationAnswer> {
    const headers: Record<string, string> = {};
    const set = (name: string, value: string) => (headers[name] = value);
    const exchange = { request, reply, headers: { set } };
    const repeated = await repeatedOperations.run(schema, exchange, this.hashes.memo(operation.query));
    if (repeated) return { status: 200, headers, body: repeated };
    const { http, body } = await apolloServer.executeOperation({ ...operation }, { contextValue: await context(request, reply) });
    if (body.kind !== 'single') throw new Error('Incremental answers are not offered');
    return { status: http.status ?? 200, headers: Object.fromEntries(http.headers), body: body.singleResult };
  }
}

/**
 * Returns what the steps read of the request, as the endpoint would receive it, without the points and names of its other operations. A
 * literal, since an object that inherits from the request would take 10 µs more.
 */
function requestOf(operation: Operation, { id, headers, caller, span }: FastifyRequest): FastifyRequest {
  const own = { method: 'POST', body: operation, rate: undefined, operation: undefined, operationSpan: undefined };
  return { id, headers, caller, span, ...own } as unknown as FastifyRequest;
}

/** Returns the answer to an operation refused before it reached the engine. */
function refusalOf(error: unknown): OperationAnswer {
  if (error instanceof AppError) {
    const { status, headers, code, message, field } = error;
    return { status, headers, body: { errors: [{ message, extensions: { code, ...(field && { field }) } }] } };
  }
  if (!(error instanceof GraphQLError)) throw error;
  const { status = 400 } = (error.extensions.http ?? {}) as { status?: number };
  return { status, headers: {}, body: { errors: formatErrors([error]) } };
}
