import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { PlannedExecution } from '../../src/common/graphql/execution/planned-execution.js';
import { planOf } from '../../src/common/graphql/execution/selection-plan.js';
import { graphql } from './schemas.js';

export type Way = 'graphql-js' | 'a plan';

/** Executes the only operation of a document in one of the two ways that the endpoints have. */
export async function execute(
  way: Way,
  schema: GraphQLSchema,
  document: DocumentNode,
  context: object,
  variableValues: Record<string, unknown> = {},
): Promise<ExecutionResult> {
  if (way === 'graphql-js') return graphql.execute({ schema, document, contextValue: context, variableValues });
  const operation = graphql.getOperationAST(document)!;
  const plan = planOf(schema, document, operation);
  if (!plan) throw new Error('the operation has no plan');
  const { coerced } = graphql.getVariableValues(schema, operation.variableDefinitions ?? [], variableValues);
  return new PlannedExecution({ schema, operation, plan, variables: coerced!, context: context as never }).execute();
}
