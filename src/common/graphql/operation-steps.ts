import {
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import type { RateLimiter } from '../scheduling/rate-limiter.js';
import { payerOf } from '../auth/caller.js';
import type { Service } from '../auth/scopes.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { OK } from '../tenants/request-counts.js';
import { enterChild, SpanKind } from '../tracing/spans.js';
import { traceIdOf } from '../tracing/trace-context.js';
import { noteBudget } from './answers/answer-writer.js';
import { formatErrors, isUnexpected } from './answers/format-error.js';
import type { GraphqlContext } from './access/graphql-context.js';
import { checkCost, FIELDS_PER_POINT } from './documents/query-limits.js';
import type { OperationSlots } from './execution/operation-slots.js';
import { PlannedExecution } from './execution/planned-execution.js';
import { preparedOperation } from './execution/prepared-operation.js';

const RETRY_AFTER_SECONDS = 2;
/** Maximum length of an operation name in a trace, since callers choose it. */
const MAX_NAME = 100;

/** Operation of a request: the part of Apollo's request context that the steps need. */
export interface RunningOperation {
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

/** Request whose document contains the operation. */
export type Executable = RunningOperation & Required<Pick<RunningOperation, 'document' | 'operation'>>;

interface Needs {
  metrics: Metrics;
  logger: Logger;
  rateLimiter: RateLimiter;
  slots: OperationSlots;
}

/**
 * Steps around the execution of an operation. They enforce its budget and the rate limit, name it in log and metrics, and add the
 * request id to internal errors.
 */
export class OperationSteps {
  constructor(
    private readonly service: Service,
    private readonly needs: Needs,
  ) {}

  /**
   * Runs before the first field is resolved. Returns a promise only if points are charged.
   * @throws GRAPHQL_VALIDATION_FAILED; RATE_LIMITED, with HTTP 429
   */
  begin(running: RunningOperation): Promise<void> | undefined {
    const { operation, document, schema, request, contextValue } = running;
    this.beginSpan(operation, contextValue.req);
    if (operation && document) contextValue.cost = checkCost(operation, { schema, document, variables: request.variables });
    // A started change is completed, even if its caller disconnects.
    contextValue.budget.start({ endsWithCaller: operation?.operation === OperationTypeNode.QUERY });
    return this.needs.rateLimiter.isOn ? this.charge(running) : undefined;
  }

  /** Executes a valid operation. The result has no data if variables were refused before any field was resolved. */
  async execute({ schema, document, operation, request, contextValue }: Executable): Promise<FormattedExecutionResult> {
    const prepared = preparedOperation(schema, document, operation);
    const { coerced: variables, errors: refusals } = prepared.readVariables(request.variables ?? {});
    const run = (given: Record<string, unknown>) => {
      const execution = new PlannedExecution({ schema, operation, prepared, variables: given, context: contextValue });
      return this.needs.slots.run(contextValue.cost, contextValue.budget, () => execution.execute());
    };
    const { errors, data } = variables ? await run(variables) : { errors: refusals, data: undefined };
    if (errors) this.log(errors, contextValue);
    return { errors: errors && formatErrors(errors), data };
  }

  /** Logs errors not caused by the caller. The response contains the request id to find them in the log. */
  log(errors: readonly GraphQLError[], { req }: GraphqlContext): void {
    for (const error of errors) {
      if (!isUnexpected(error)) continue;
      error.extensions.requestId = req.id;
      const fault = { err: error.originalError ?? error, requestId: req.id, traceId: traceIdOf(req), path: error.path };
      this.needs.logger.error(fault, 'operation failed');
    }
  }

  /** Runs before the answer is written, even if no field was resolved. */
  end(running: RunningOperation, startedAt: number): void {
    const fields = rootFields(running.operation);
    endSpan(running);
    running.contextValue.req.operation = fields.join(',') || 'invalid';
    this.count(running, fields);
    this.needs.metrics.operationDuration.observe(
      { service: this.service, operation: nameOf(fields) },
      (performance.now() - startedAt) / 1000,
    );
    endBudget(running);
  }

  /** Begins the span once, although Apollo restarts an operation that is refused here. */
  private beginSpan(operation: OperationDefinitionNode | undefined, req: GraphqlContext['req']): void {
    if (!req.span || !operation || req.operationSpan) return;
    const name = `${operation.operation} ${nameOf(rootFields(operation))}`;
    const attributes = {
      'graphql.operation.type': operation.operation,
      'platform.service': this.service,
      ...(operation.name && { 'graphql.operation.name': operation.name.value.slice(0, MAX_NAME) }),
    };
    req.operationSpan = enterChild(name, { kind: SpanKind.INTERNAL, attributes });
  }

  /** Charges the key before execution, once per request. */
  private async charge({ operation, document, contextValue, response }: RunningOperation): Promise<void> {
    if (!operation || !document) return;
    const points = operationPoints(operation, document, contextValue.cost);
    const { req, caller } = contextValue;
    const rate = (req.rate ??= await this.needs.rateLimiter.take(payerOf(caller), points));
    if (!rate.isRefused) return;
    const refusal = this.needs.rateLimiter.refusal(points, rate);
    response.http.status = refusal.status;
    for (const [name, value] of Object.entries(refusal.headers)) response.http.headers.set(name, value);
    throw refusal;
  }

  private count({ response, operation, contextValue }: RunningOperation, fields: string[]): void {
    const { service } = this;
    const { operations } = this.needs.metrics;
    const errors = response.body?.kind === 'single' ? (response.body.singleResult.errors ?? []) : [];
    contextValue.req.outcome = [service, errors.length > 0 ? String(errors[0]!.extensions?.code ?? 'BAD_REQUEST') : OK];
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

function endBudget({ response, contextValue: { budget } }: RunningOperation): void {
  budget.finish();
  if (response.body?.kind !== 'single') return;
  const { data, errors } = response.body.singleResult;
  if (errors?.some(({ extensions }) => extensions?.code === 'SERVICE_UNAVAILABLE')) {
    response.http.headers.set('retry-after', String(RETRY_AFTER_SECONDS));
  }
  if (data) noteBudget(data, budget);
}

function endSpan({ contextValue, response }: RunningOperation): void {
  const { operationSpan: span } = contextValue.req;
  if (!span) return;
  const errors = response.body?.kind === 'single' ? response.body.singleResult.errors : undefined;
  if (errors?.length) span.setAttributes({ 'error.type': String(errors[0]!.extensions?.code ?? 'BAD_REQUEST') });
  span.end();
}

const nameOf = (fields: string[]): string => (fields.length > 1 ? 'several' : (fields[0] ?? 'invalid'));

/** Returns only names of the schema: an operation that failed validation is not resolved. */
function rootFields(operation: OperationDefinitionNode | undefined): string[] {
  const selections = operation?.selectionSet.selections ?? [];
  return [...new Set(selections.map((node) => (node.kind === Kind.FIELD ? node.name.value : 'fragment')))];
}

/** Returns the points of an operation: 1 per root field, and 1 per 100 fields of its cost. */
function operationPoints(operation: OperationDefinitionNode, document: DocumentNode, cost: number): number {
  return countRootFields(operation, document) + Math.floor(cost / FIELDS_PER_POINT);
}

/** Counts the resolved root fields: one per response name. Visits each fragment once, regardless of its uses. */
function countRootFields(operation: OperationDefinitionNode, document: DocumentNode): number {
  const names = new Set<string>();
  const seen = new Set<string>();
  const walk = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) names.add((node.alias ?? node.name).value);
      else if (node.kind === Kind.INLINE_FRAGMENT) walk(node.selectionSet);
      else if (!seen.has(node.name.value)) {
        seen.add(node.name.value);
        for (const definition of document.definitions) {
          const isSpread = definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === node.name.value;
          if (isSpread) walk(definition.selectionSet);
        }
      }
    }
  };
  walk(operation.selectionSet);
  return names.size;
}
