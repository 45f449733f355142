import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql';

/**
 * Refuses documents that the engine finds valid but cannot execute: kinds of operations without a root type, and variables
 * named `__proto__`.
 */
export function offeredOperations(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      if (context.getSchema().getRootType(operation.operation)) return;
      const message = `The service offers no ${operation.operation} operations, only query and mutation`;
      context.reportError(new GraphQLError(message, { nodes: operation }));
    },
    VariableDefinition({ variable }) {
      if (variable.name.value !== '__proto__') return;
      // The engine assigns the values of variables to an object, where this name would set the prototype.
      context.reportError(new GraphQLError('A variable cannot be named __proto__; choose another name', { nodes: variable }));
    },
  };
}
