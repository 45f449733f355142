import {
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { RateLimiter } from '../bounds/rate-limiter.js';
import type { Service } from '../auth/scopes.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { enterChild } from '../tracing/spans.js';
import { traceIdOf } from '../tracing/trace-context.js';
import { noteBudget } from './answers/answer-writer.js';
import { isUnexpected } from './answers/format-error.js';
import type { GraphqlContext } from './access/graphql-context.js';
import { operationPoints } from './documents/operation-points.js';
import { checkCost } from './documents/query-limits.js';

const RETRY_AFTER_SECONDS = 2;
/** Characters of an operation's name, which its caller chooses, in a trace. */
const MAX_NAME = 100;

/** An operation under way: the part that we need of what Apollo hands to plugins. */
export interface OperationUnderWay {
  schema: GraphQLSchema;
  document?: DocumentNode;
  operation?: OperationDefinitionNode;
  request: { variables?: Record<string, unknown> };
  contextValue: GraphqlContext;
  response: {
    http: { status?: number; headers: { set(name: string, value: string): unknown } };
    body?: { kind: 'single'; singleResult: FormattedExecutionResult } | { kind: 'incremental' };
  };
}

interface Needs {
  metrics: Metrics;
  logger: Logger;
  rateLimiter: RateLimiter;
}

/**
 * The steps before and after the execution of an operation of one service: they keep it within its budget and the rate limit,
 * name it in log and metrics, and give internal errors their request id.
 */
export class OperationSteps {
  constructor(
    private readonly service: Service,
    private readonly needs: Needs,
  ) {}

  /**
   * Runs before the first field is resolved. Returns a promise only where a rate limit has to be asked.
   * @throws GRAPHQL_VALIDATION_FAILED; RATE_LIMITED, with HTTP 429
   */
  begin(under: OperationUnderWay): Promise<void> | undefined {
    const { operation, document, schema, request, contextValue } = under;
    this.beginSpan(operation, contextValue.req);
    if (operation && document) checkCost(operation, { schema, document, variables: request.variables });
    // A change that has begun is carried out as a whole, whoever still listens.
    contextValue.budget.start({ endsWithCaller: operation?.operation === OperationTypeNode.QUERY });
    return this.needs.rateLimiter.isOn ? this.charge(under) : undefined;
  }

  /** Logs errors that are not the caller's. Their answer names the request, by which they are found in the log. */
  log(errors: readonly GraphQLError[], { req }: GraphqlContext): void {
    for (const error of errors) {
      if (!isUnexpected(error)) continue;
      error.extensions.requestId = req.id;
      const fault = { err: error.originalError ?? error, requestId: req.id, traceId: traceIdOf(req), path: error.path };
      this.needs.logger.error(fault, 'operation failed');
    }
  }

  /** Runs before the answer is written, even if no field was resolved. */
  end(under: OperationUnderWay, startedAt: number): void {
    const fields = rootFields(under.operation);
    endSpan(under);
    under.contextValue.req.operation = fields.join(',') || 'invalid';
    this.count(under, fields);
    this.needs.metrics.operationDuration.observe(
      { service: this.service, operation: nameOf(fields) },
      (performance.now() - startedAt) / 1000,
    );
    endBudget(under);
  }

  /** An operation that is refused here is begun again by Apollo, in the same span. */
  private beginSpan(operation: OperationDefinitionNode | undefined, req: GraphqlContext['req']): void {
    if (!req.span || !operation || req.operationSpan) return;
    const name = `${operation.operation} ${nameOf(rootFields(operation))}`;
    const attributes = {
      'graphql.operation.type': operation.operation,
      'platform.service': this.service,
      ...(operation.name && { 'graphql.operation.name': operation.name.value.slice(0, MAX_NAME) }),
    };
    req.operationSpan = enterChild(name, { kind: 'internal', attributes });
  }

  /** Charges the key before the operation is executed, once in a request. */
  private async charge({ operation, document, contextValue, response, schema, request }: OperationUnderWay): Promise<void> {
    if (!operation || !document) return;
    const points = operationPoints(operation, { schema, document, variables: request.variables });
    const { req, caller } = contextValue;
    const rate = (req.rate ??= await this.needs.rateLimiter.take(caller.keyId, points));
    if (!rate.isRefused) return;
    const refusal = this.needs.rateLimiter.refusal(points, rate);
    response.http.status = refusal.status;
    for (const [name, value] of Object.entries(refusal.headers)) response.http.headers.set(name, value);
    throw refusal;
  }

  private count({ response, operation }: OperationUnderWay, fields: string[]): void {
    const { service } = this;
    const { operations } = this.needs.metrics;
    const errors = response.body?.kind === 'single' ? (response.body.singleResult.errors ?? []) : [];
    if (!operation) {
      operations.inc({ service, operation: 'invalid', outcome: String(errors[0]?.extensions?.code ?? 'BAD_REQUEST') });
      return;
    }
    for (const name of fields) {
      const failed = errors.find((error) => error.path === undefined || error.path[0] === name);
      operations.inc({ service, operation: name, outcome: failed ? String(failed.extensions?.code) : 'ok' });
    }
  }
}

function endBudget({ response, contextValue: { budget } }: OperationUnderWay): void {
  const incomplete = budget.finish();
  if (response.body?.kind !== 'single') return;
  const { data, errors } = response.body.singleResult;
  if (errors?.some(({ extensions }) => extensions?.code === 'SERVICE_UNAVAILABLE')) {
    response.http.headers.set('retry-after', String(RETRY_AFTER_SECONDS));
  }
  if (!data) return;
  // Part of a root field could be mistaken for all of it, so the field is null; its error says why.
  for (const root of incomplete) data[root] = null;
  noteBudget(data, budget);
}

function endSpan({ contextValue, response }: OperationUnderWay): void {
  const { operationSpan: span } = contextValue.req;
  if (!span) return;
  const errors = response.body?.kind === 'single' ? response.body.singleResult.errors : undefined;
  if (errors?.length) span.set({ 'error.type': String(errors[0]!.extensions?.code ?? 'BAD_REQUEST') });
  span.end();
}

const nameOf = (fields: string[]): string => (fields.length > 1 ? 'several' : (fields[0] ?? 'invalid'));

/** Returns names of the schema only, since an operation that did not validate is not resolved. */
function rootFields(operation: OperationDefinitionNode | undefined): string[] {
  const selections = operation?.selectionSet.selections ?? [];
  return [...new Set(selections.map((node) => (node.kind === Kind.FIELD ? node.name.value : 'fragment')))];
}
