import type { ApolloServerPlugin, GraphQLRequestContext, GraphQLRequestListener } from '@apollo/server';
import { noteBudget } from './answer-writer.js';
import type { GraphqlContext } from './graphql-context.js';
import { checkCost } from './query-limits.js';

const RETRY_AFTER_SECONDS = 2;

/** Holds each operation to its cost and budget, and answers nothing of a root field that could not be completed. */
export const budgetPlugin: ApolloServerPlugin<GraphqlContext> = {
  async requestDidStart(): Promise<GraphQLRequestListener<GraphqlContext>> {
    return {
      async didResolveOperation({ operation, document, schema, request }) {
        if (operation) checkCost(operation, { schema, document, variables: request.variables });
      },
      async executionDidStart(request) {
        const { budget } = request.contextValue;
        budget.start();
        return { executionDidEnd: async () => leaveOut(request, budget.finish()) };
      },
      async willSendResponse({ response }) {
        const errors = response.body?.kind === 'single' ? response.body.singleResult.errors : undefined;
        if (errors?.some(({ extensions }) => extensions?.code === 'SERVICE_UNAVAILABLE')) {
          response.http.headers.set('retry-after', String(RETRY_AFTER_SECONDS));
        }
      },
    };
  },
};

/** A part of a root field could be taken for all of it, so the field is null; its error says why. */
function leaveOut(
  { response, contextValue }: GraphQLRequestContext<GraphqlContext>,
  incomplete: ReadonlySet<string | number>,
): void {
  const data = response.body?.kind === 'single' ? response.body.singleResult.data : undefined;
  if (!data) return;
  for (const root of incomplete) data[root] = null;
  noteBudget(data, contextValue.budget);
}
