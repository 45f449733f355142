import type { ApolloServerPlugin, GraphQLRequestContext, GraphQLRequestListener } from '@apollo/server';
import { Kind, type OperationDefinitionNode } from 'graphql';
import type { Service } from '../auth/scopes.js';
import type { RateLimiter } from '../bounds/rate-limiter.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import type { GraphqlContext } from './access/graphql-context.js';
import { budgetSteps } from './answers/budget-steps.js';
import { isUnexpected } from './answers/format-error.js';
import { operationPoints } from './documents/operation-points.js';

type Request = GraphQLRequestContext<GraphqlContext>;

/**
 * Keeps each operation within its budget and the rate limit, names it in log and metrics, gives internal errors their request
 * id, and sets the HTTP status.
 */
export function operationPlugin(
  service: Service,
  { metrics, logger, rateLimiter }: { metrics: Metrics; logger: Logger; rateLimiter: RateLimiter },
): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart(): Promise<GraphQLRequestListener<GraphqlContext>> {
      const startedAt = performance.now();
      return {
        async didResolveOperation(request) {
          budgetSteps.begin(request);
          if (rateLimiter.isOn) await charge(rateLimiter, request);
        },
        async didEncounterErrors({ errors, contextValue }) {
          for (const error of errors) {
            if (!isUnexpected(error)) continue;
            error.extensions.requestId = contextValue.req.id;
            logger.error(
              { err: error.originalError ?? error, requestId: contextValue.req.id, path: error.path },
              'operation failed',
            );
          }
        },
        async willSendResponse(request) {
          const fields = rootFields(request.operation);
          request.contextValue.req.operation = fields.join(',') || 'invalid';
          count(metrics, service, request, fields);
          metrics.operationDuration.observe(
            { service, operation: fields.length > 1 ? 'several' : (fields[0] ?? 'invalid') },
            (performance.now() - startedAt) / 1000,
          );
          answerOldClients(request);
          budgetSteps.end(request);
        },
      };
    },
  };
}

/** Charges the key before the operation is executed. @throws RATE_LIMITED, with HTTP 429 */
async function charge(
  rateLimiter: RateLimiter,
  { operation, document, contextValue, response, ...rest }: Request,
): Promise<void> {
  if (!operation || !document) return;
  const points = operationPoints(operation, { schema: rest.schema, document, variables: rest.request.variables });
  const { req, caller } = contextValue;
  req.rate = await rateLimiter.take(caller.keyId, points);
  if (!req.rate.isRefused) return;
  const refusal = rateLimiter.refusal(points, req.rate);
  response.http.status = refusal.status;
  for (const [name, value] of Object.entries(refusal.headers)) response.http.headers.set(name, value);
  throw refusal;
}

/** Returns names of the schema only, since an operation that did not validate is not resolved. */
function rootFields(operation: OperationDefinitionNode | null | undefined): string[] {
  const selections = operation?.selectionSet.selections ?? [];
  return [...new Set(selections.map((node) => (node.kind === Kind.FIELD ? node.name.value : 'fragment')))];
}

function count(metrics: Metrics, service: Service, { response, operation }: Request, fields: string[]): void {
  const errors = response.body?.kind === 'single' ? (response.body.singleResult.errors ?? []) : [];
  if (!operation) {
    metrics.operations.inc({ service, operation: 'invalid', outcome: String(errors[0]?.extensions?.code ?? 'BAD_REQUEST') });
    return;
  }
  for (const name of fields) {
    const failed = errors.find((error) => error.path === undefined || error.path[0] === name);
    metrics.operations.inc({ service, operation: name, outcome: failed ? String(failed.extensions?.code) : 'ok' });
  }
}

/**
 * Follows the working draft of GraphQL over HTTP: a client that accepts application/json gets 200 with every well-formed
 * GraphQL response, even if the document cannot be executed; one that accepts application/graphql-response+json gets 400.
 */
export function statusOfRefusedDocument(accept: string | undefined): 200 | 400 {
  return accept?.includes('application/graphql-response+json') ? 400 : 200;
}

function answerOldClients({ request, response, errors }: Request): void {
  const code = String(errors?.[0]?.extensions.code);
  const refusedDocument = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT'].includes(code);
  if (response.http.status === 400 && refusedDocument) {
    response.http.status = statusOfRefusedDocument(request.http?.headers.get('accept'));
  }
}
