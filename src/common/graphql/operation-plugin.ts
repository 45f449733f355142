import { type ApolloServerPlugin, type GraphQLRequestContext, type GraphQLRequestListener, HeaderMap } from '@apollo/server';
import type { GraphqlContext } from './access/graphql-context.js';
import type { OperationSteps } from './operation-steps.js';

type Request = GraphQLRequestContext<GraphqlContext>;

/** Runs our steps, including execution, for each operation in Apollo's pipeline, and sets the HTTP status. */
export function operationPlugin(steps: OperationSteps): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart(): Promise<GraphQLRequestListener<GraphqlContext>> {
      const startedAt = performance.now();
      return {
        didResolveOperation: async (request) => steps.begin(request),
        // Returns nothing for a document without the requested operation: Apollo then refuses it itself.
        async responseForOperation(request) {
          if (!request.operation) return null;
          const singleResult = await steps.execute(request);
          const isRefused = singleResult.data === undefined;
          const status = isRefused ? statusOfRefusedDocument(request.request.http?.headers.get('accept')) : undefined;
          return { http: { status, headers: new HeaderMap() }, body: { kind: 'single', singleResult } };
        },
        didEncounterErrors: async ({ errors, contextValue }) => steps.log(errors, contextValue),
        async willSendResponse(request) {
          answerOldClients(request);
          steps.end(request, startedAt);
        },
      };
    },
  };
}

/**
 * Returns the status for a document that cannot be executed, by the working draft of GraphQL over HTTP: 200 for clients that accept
 * application/json, 400 for those that accept application/graphql-response+json.
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
