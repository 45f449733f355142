import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, type FormattedExecutionResult, getOperationAST, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Service } from '../auth/scopes.js';
import type { MemoryBudget } from '../scheduling/memory-budget.js';
import type { HeavyWork } from '../scheduling/heavy-work.js';
import { writeAnswer } from './answers/answer-writer.js';
import { graphqlContext } from './access/graphql-context.js';
import { isJsonObject } from '../base/json.js';
import type { KeptDocuments } from './documents/kept-documents.js';
import type { Executable, OperationSteps } from './operation-steps.js';

/** Maximum number of cached Accept headers, which clients choose. */
const MAX_ACCEPTS = 100;
const LONGEST_ACCEPT = 200;

interface Needs {
  service: Service;
  documents: KeptDocuments;
  memory: MemoryBudget;
  heavy: HeavyWork;
  steps: OperationSteps;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

interface Repeated {
  document: DocumentNode;
  operationName: string | undefined;
  variables: Record<string, unknown> | undefined;
}

/** Request that an operation belongs to, and the receiver of response headers. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  headers: { set(name: string, value: string): unknown };
}

/**
 * Answers operations that Apollo has answered before with other variables: their document is valid, and their content type known. Runs
 * the same steps as Apollo's pipeline, without the pipeline. Apollo handles all other requests, and those refused before the first
 * field is resolved, so that all refusals have one form.
 */
export class RepeatedOperations {
  /** Content types that Apollo chose, by Accept header. */
  private readonly contentTypes = new LRUCache<string, string>({ max: MAX_ACCEPTS });

  constructor(private readonly needs: Needs) {}

  /** Wraps Apollo's handler of a route. */
  before(apollo: Handler, schema: GraphQLSchema): Handler {
    const other: Handler = async (request, reply) => {
      const answer = await apollo(request, reply);
      this.learn(request, reply);
      return answer;
    };
    return async (request, reply) => {
      const contentType = this.contentTypes.get(request.headers.accept ?? '');
      const headers = { set: (name: string, value: string) => reply.header(name, value) };
      const result = contentType && (await this.run(schema, { request, reply, headers }));
      if (!result) return other(request, reply);
      reply.header('content-type', contentType);
      return writeAnswer(result);
    };
  }

  /**
   * Runs the operation of a request if its document is known as valid. Resolves with undefined if nothing was executed.
   * @param documentHash SHA-256 of the query, if the caller has it
   */
  run(
    schema: GraphQLSchema,
    exchange: Exchange,
    documentHash?: string,
  ): Promise<FormattedExecutionResult | undefined> | undefined {
    const repeated = this.recognize(exchange.request, documentHash);
    return repeated && this.result(repeated, schema, exchange);
  }

  /** Learns the content type. Ignores other statuses, since they may refuse the Accept header itself. */
  private learn({ headers: { accept = '' } }: FastifyRequest, reply: FastifyReply): void {
    const contentType = reply.getHeader('content-type');
    if (reply.statusCode !== 200 || typeof contentType !== 'string' || accept.length > LONGEST_ACCEPT) return;
    this.contentTypes.set(accept, contentType);
  }

  /** Returns undefined for a body that Apollo might refuse. */
  private recognize({ method, body }: FastifyRequest, documentHash?: string): Repeated | undefined {
    if (method !== 'POST' || !isJsonObject(body)) return undefined;
    const { query, operationName, variables, extensions } = body;
    if (typeof query !== 'string' || !isObjectOrNone(variables) || !isObjectOrNone(extensions)) return undefined;
    if (typeof (operationName ?? '') !== 'string' || (extensions && 'persistedQuery' in extensions)) return undefined;
    if (documentHash === undefined && !query.isWellFormed()) return undefined; // its hash equals that of a text with U+FFFD; Apollo's pipeline refuses it
    const document = this.needs.documents.find(this.needs.service, documentHash ?? hash('sha256', query));
    if (!document) return undefined;
    return {
      document,
      operationName: (operationName as string | null | undefined) ?? undefined,
      variables: variables ?? undefined,
    };
  }

  /** Returns undefined if nothing was executed. */
  private async result(
    { document, operationName, variables }: Repeated,
    schema: GraphQLSchema,
    { request, reply, headers }: Exchange,
  ): Promise<FormattedExecutionResult | undefined> {
    const startedAt = performance.now();
    const operation = getOperationAST(document, operationName);
    if (!operation) return undefined;
    const { service, steps } = this.needs;
    const contextValue = graphqlContext(service, request, reply, this.needs);
    const running: Executable = {
      schema,
      document,
      operation,
      request: { variables },
      contextValue,
      response: { http: { headers } },
    };
    const singleResult = await this.execute(running);
    if (singleResult?.data === undefined) {
      contextValue.budget.finish();
      return undefined;
    }
    running.response.body = { kind: 'single', singleResult };
    steps.end(running, startedAt);
    return singleResult;
  }

  /** Returns undefined if a step refused the operation. */
  private async execute(running: Executable): Promise<FormattedExecutionResult | undefined> {
    const { steps } = this.needs;
    try {
      await steps.begin(running);
    } catch {
      return undefined;
    }
    return steps.execute(running);
  }
}

function isObjectOrNone(value: unknown): value is Record<string, unknown> | null | undefined {
  return value === undefined || value === null || isJsonObject(value);
}
