import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { PlannedExecution } from '../../src/common/graphql/execution/planned-execution.js';
import { preparedOperation } from '../../src/common/graphql/execution/prepared-operation.js';
import { graphql } from './schemas.js';

interface Execution {
  schema: GraphQLSchema;
  document: DocumentNode;
  context: object;
  variables?: Record<string, unknown>;
}

/** Executes the only operation of a document as the endpoints do. */
export async function execute({ schema, document, context, variables: given = {} }: Execution): Promise<ExecutionResult> {
  const operation = graphql.getOperationAST(document)!;
  const prepared = preparedOperation(schema, document, operation);
  const { coerced: variables, errors } = prepared.readVariables(given);
  if (!variables) return { errors };
  return new PlannedExecution({ schema, operation, prepared, variables, context: { cost: 0, ...context } as never }).execute();
}

/** Executes a document by graphql-js, with which the endpoints must agree. */
export async function executeByGraphqlJs({ schema, document, context, variables }: Execution): Promise<ExecutionResult> {
  const options = { maxCoercionErrors: 10 };
  return graphql.execute({ schema, document, contextValue: context, variableValues: variables, options });
}
