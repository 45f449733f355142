import type { GraphQLRequestContext } from '@apollo/server';
import type { GraphqlContext } from '../access/graphql-context.js';
import { checkCost } from '../documents/query-limits.js';
import { noteBudget } from './answer-writer.js';

const RETRY_AFTER_SECONDS = 2;

type Request = GraphQLRequestContext<GraphqlContext>;

/** Enforces the bounds of each operation, as steps of the one plugin of all endpoints: each further hook costs every request. */
export const budgetSteps = {
  /** Runs before the first field is resolved. @throws GRAPHQL_VALIDATION_FAILED */
  begin({ operation, document, schema, request, contextValue }: Request): void {
    if (operation && document) checkCost(operation, { schema, document, variables: request.variables });
    contextValue.budget.start();
  },

  /** Runs before the answer is written, even if no field was resolved. */
  end({ response, contextValue: { budget } }: Request): void {
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
  },
};
