import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type ValidationContext,
  visit,
} from 'graphql';
import { faultOfFields } from './field-count.js';
import { operationMeter } from './operation-size.js';

/** Maximum nesting of fields. Our schemas need 6, the standard introspection query 15. */
export const MAX_DEPTH = 16;
/** Maximum number of fields with an alias in one operation, with fragments counted at each use. */
export const MAX_ALIASES = 100;
/** Maximum cost: the sum over all fields of how often each is resolved, with lists counted by their size. */
export const MAX_COST = 100_000;
/** Cost of one point of the rate limit. */
export const FIELDS_PER_POINT = 100;
/** Maximum number of tokens in a document. Enforced while parsing, which cannot be interrupted. */
export const MAX_TOKENS = 50_000;

/** Length of a document, in characters, up to which errors have line numbers. A longer one counts as a single line. */
const MAX_LINE_COUNTED = 32 * 1024;

/** Costs of validated operations. A `limit` or text that is a variable counts with its maximum. */
export const operationCosts = new WeakMap<OperationDefinitionNode, number>();

/** Operations whose cost depends on variables, and is checked for each request. */
const costsByVariables = new WeakSet<OperationDefinitionNode>();

/**
 * Refuses operations that are too deep, too expensive or have too many aliases, and documents with so many fields that validating them
 * would block the event loop. No library, since a validated document is cached: variables count with their maximum, and each fragment
 * is measured once.
 */
export function queryLimits(context: ValidationContext): ASTVisitor {
  forgetLines(context.getDocument());
  const measure = operationMeter({ schema: context.getSchema(), fragment: (name) => context.getFragment(name) });
  let byVariables: boolean | undefined;
  return {
    Document(document) {
      const fault = faultOfFields(document);
      if (!fault) return;
      context.reportError(new GraphQLError(fault));
      Object.assign(document, { definitions: [] }); // skips the validation of the document
    },
    OperationDefinition(operation) {
      const { depth, aliases, cost, dependsOnText } = measure(operation);
      if (dependsOnText) costsByVariables.add(operation);
      operationCosts.set(operation, cost);
      const refuse = (message: string) => context.reportError(new GraphQLError(message, { nodes: operation }));
      if (depth > MAX_DEPTH) refuse(`The operation nests ${depth} fields deep; at most ${MAX_DEPTH} are allowed`);
      if (aliases > MAX_ALIASES) refuse(`The operation has ${aliases} aliases; at most ${MAX_ALIASES} are allowed`);
      if (cost < FIELDS_PER_POINT) return;
      byVariables ??= hasVariableLimit(context.getDocument());
      if (byVariables || dependsOnText) costsByVariables.add(operation);
      else if (cost > MAX_COST) refuse(tooExpensive(cost));
    },
  };
}

/** Empties a long source: the engine counts lines again before each fault, which takes milliseconds per megabyte. */
function forgetLines({ loc }: DocumentNode): void {
  if (loc && loc.end > MAX_LINE_COUNTED) loc.source.body = '';
}

/**
 * Returns the cost of an operation with its variables. An operation that could cost a point, or whose work depends on the length of a
 * text, is measured for each request: a client that always sends `limit` as a variable is charged for the value it sends.
 */
export function costOf(
  operation: OperationDefinitionNode,
  { schema, document, variables = {} }: { schema: GraphQLSchema; document: DocumentNode; variables?: Record<string, unknown> },
): number {
  const largest = operationCosts.get(operation) ?? 0;
  if (!costsByVariables.has(operation)) return largest;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  return operationMeter({ schema, fragment: (name) => fragments.get(name), variables })(operation).cost;
}

/** Returns the cost of an operation. @throws GRAPHQL_VALIDATION_FAILED if it is too high with the variables of this request */
export function checkCost(operation: OperationDefinitionNode, request: Parameters<typeof costOf>[1]): number {
  const cost = costOf(operation, request);
  if (cost <= MAX_COST) return cost;
  throw new GraphQLError(tooExpensive(cost), {
    nodes: operation,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
  });
}

function tooExpensive(cost: number): string {
  return `The operation could resolve ${cost} fields; at most ${MAX_COST} are allowed: request smaller pages`;
}

function hasVariableLimit(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Argument(node) {
      found ||= node.name.value === 'limit' && node.value.kind === Kind.VARIABLE;
      return false;
    },
  });
  return found;
}
