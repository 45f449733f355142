import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { costOf } from './query-limits.js';

const FIELDS_PER_POINT = 100;

/** What an operation costs of a key's rate limit: 1 point for each root field, and 1 more for each 100 fields of its cost. */
export function operationPoints(operation: OperationDefinitionNode, request: Parameters<typeof costOf>[1]): number {
  return rootFields(operation, request.document) + Math.floor(costOf(operation, request) / FIELDS_PER_POINT);
}

/** Fields of one response name are resolved once; each fragment is looked at once, however often it is spread. */
function rootFields(operation: OperationDefinitionNode, document: DocumentNode): number {
  const names = new Set<string>();
  const seen = new Set<string>();
  const walk = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) names.add((node.alias ?? node.name).value);
      else if (node.kind === Kind.INLINE_FRAGMENT) walk(node.selectionSet);
      else if (!seen.has(node.name.value)) {
        seen.add(node.name.value);
        for (const one of document.definitions) {
          if (one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value) walk(one.selectionSet);
        }
      }
    }
  };
  walk(operation.selectionSet);
  return names.size;
}
