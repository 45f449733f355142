import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginUsageReportingDisabled } from '@apollo/server/plugin/disabled';
import type { DynamicModule, Type } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ASTVisitor, GraphQLError, type GraphQLSchema, type ValidationContext } from 'graphql';
import { TENANT_HEADER } from '../auth/session-cookie.js';
import type { Service } from '../auth/scopes.js';
import { eventLoop } from '../scheduling/event-loop.js';
import { MemoryBudget } from '../scheduling/memory-budget.js';
import { RateLimiter } from '../scheduling/rate-limiter.js';
import { Logger } from '../logging/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { HeavyWork } from '../scheduling/heavy-work.js';
import { DIRECT_RESOLVERS } from './access/direct-resolvers.js';
import { type GraphqlContext, graphqlContext } from './access/graphql-context.js';
import { writeAnswer } from './answers/answer-writer.js';
import { formatError } from './answers/format-error.js';
import { checkDocumentBounds, isLongDocument } from './document-bounds.js';
import { KeptDocuments } from './documents/kept-documents.js';
import { MAX_TOKENS, queryLimits } from './documents/query-limits.js';
import { OperationSlots } from './execution/operation-slots.js';
import { GraphqlDriver, type GraphqlDriverConfig } from './graphql-driver.js';
import { operationPlugin } from './operation-plugin.js';
import { Operations } from './operations.js';
import { OperationSteps } from './operation-steps.js';
import { RepeatedOperations } from './repeated-operations.js';

/** GraphQL endpoint of one service. `marker` is the class that all types of its schema are registered in. */
export interface GraphqlEndpoint {
  service: Service;
  module: Type;
  marker: Type;
}

/** Describes the two root types, which have no class to decorate. */
function describeRoots(schema: GraphQLSchema): GraphQLSchema {
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  if (query) query.description = 'Reads data. The key needs the entry <service>-api:query:<name> or <service>-api:query:*.';
  if (mutation) {
    mutation.description = 'Changes data. The key needs the entry <service>-api:mutation:<name> or <service>-api:mutation:*.';
  }
  return schema;
}

export function graphqlEndpoint({ service, module, marker }: GraphqlEndpoint): DynamicModule {
  const endpoint = GraphQLModule.forRootAsync<GraphqlDriverConfig>({
    driver: GraphqlDriver,
    inject: [Metrics, Logger, RateLimiter, MemoryBudget, HeavyWork, KeptDocuments, OperationSlots, Operations],
    useFactory: (
      metrics: Metrics,
      logger: Logger,
      rateLimiter: RateLimiter,
      memory: MemoryBudget,
      heavy: HeavyWork,
      documents: KeptDocuments,
      slots: OperationSlots,
      operations: Operations,
    ): Omit<GraphqlDriverConfig, 'driver'> => {
      const steps = new OperationSteps(service, { metrics, logger, rateLimiter, slots });
      return {
        service,
        path: `/${service}/graphql`,
        include: [module, marker],
        autoSchemaFile: true,
        sortSchema: true,
        buildSchemaOptions: { skipCheck: true }, // it would introspect each whole schema, and Apollo checks schemas too
        introspection: true, // only callers with a key of the service get here
        graphiql: false,
        csrfPrevention: { requestHeaders: ['x-api-key', 'authorization', TENANT_HEADER] }, // other sites cannot set it, since no preflight is granted
        persistedQueries: false,
        documentStore: documents.storeOf(service),
        repeatedOperations: new RepeatedOperations({ service, documents, memory, heavy, steps }),
        operations,
        parseOptions: { maxTokens: MAX_TOKENS },
        validationRules: [queryLimits, offeredOperations],
        transformSchema: describeRoots,
        stringifyResult: writeAnswer,
        includeStacktraceInErrorResponses: false,
        autoTransformHttpErrors: false,
        preserveHttpStatusForExecutionErrors: false,
        stopOnApplicationShutdown: true,
        plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginUsageReportingDisabled(), operationPlugin(steps)],
        formatError,
        context: async (req: FastifyRequest, reply: FastifyReply): Promise<GraphqlContext> => {
          checkDocumentBounds(req); // checked here: no other code of ours runs before the parser
          if (isLongDocument(req) && eventLoop.sliceUsed) await eventLoop.yield(req.caller?.tenantId);
          return graphqlContext(service, req, reply, { memory, heavy });
        },
      };
    },
  });
  return { ...endpoint, providers: [...(endpoint.providers ?? []), DIRECT_RESOLVERS] };
}

/**
 * Refuses documents that the engine considers valid but cannot execute: operations without a root type, and variables named
 * `__proto__`.
 */
function offeredOperations(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      if (context.getSchema().getRootType(operation.operation)) return;
      const message = `The service offers no ${operation.operation} operations, only query and mutation`;
      context.reportError(new GraphQLError(message, { nodes: operation }));
    },
    VariableDefinition({ variable }) {
      if (variable.name.value !== '__proto__') return;
      // The engine assigns variables to an object, where this name would set the prototype.
      context.reportError(new GraphQLError('A variable cannot be named __proto__; choose another name', { nodes: variable }));
    },
  };
}
