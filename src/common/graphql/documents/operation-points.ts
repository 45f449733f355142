import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

const FIELDS_PER_POINT = 100;

/** Returns the points that an operation costs its key: 1 for each root field, and 1 more for each 100 fields of its cost. */
export function operationPoints(operation: OperationDefinitionNode, document: DocumentNode, cost: number): number {
  return rootFields(operation, document) + Math.floor(cost / FIELDS_PER_POINT);
}

/** Counts fields of one response name once, as they are resolved. Visits each fragment once, however often it is spread. */
function rootFields(operation: OperationDefinitionNode, document: DocumentNode): number {
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
