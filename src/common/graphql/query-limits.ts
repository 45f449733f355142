import {
  type ASTVisitor,
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/** Deepest nesting of fields; our schemas need 6, the standard introspection query 15. */
export const MAX_DEPTH = 16;
/** Fields with an alias in one operation, each fragment counted where it is used. */
export const MAX_ALIASES = 100;
/** Sum over all fields of how often each is resolved, a page counted with its limit. */
export const MAX_COST = 100_000;
/** Lexical tokens of a document; refused while parsing. */
export const MAX_TOKENS = 100_000;

/** What each validated operation costs, for the rate limit. Documents are kept with their nodes. */
export const operationCosts = new WeakMap<OperationDefinitionNode, number>();

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 1_000;
/** What a list of the introspection system counts, so that type-field-type chains cannot grow for ever. */
const INTROSPECTION_LIST = 5;
const INTROSPECTION_LISTS = new Set(['types', 'fields', 'inputFields', 'args', 'enumValues', 'interfaces', 'possibleTypes']);

interface Size {
  depth: number;
  aliases: number;
  cost: number;
}

/**
 * Refuses operations that are too deep, have too many aliases or cost too much. Each fragment is measured once, so
 * fragments that spread each other cannot make the measuring itself expensive.
 */
export function queryLimits(context: ValidationContext): ASTVisitor {
  const sizes = new Map<string, Size>();

  const ofFragment = (name: string): Size => {
    const known = sizes.get(name);
    if (known) return known;
    sizes.set(name, { depth: 0, aliases: 0, cost: 0 }); // ends cycles, which another rule reports
    const fragment = context.getFragment(name);
    const size = fragment ? ofSelections(fragment.selectionSet) : sizes.get(name)!;
    sizes.set(name, size);
    return size;
  };

  const ofField = (field: FieldNode): Size => {
    const inner = field.selectionSet ? ofSelections(field.selectionSet) : { depth: 0, aliases: 0, cost: 0 };
    return {
      depth: inner.depth + 1,
      aliases: inner.aliases + (field.alias ? 1 : 0),
      cost: 1 + inner.cost * (field.selectionSet ? repeats(field, context) : 1),
    };
  };

  const ofSelections = ({ selections }: SelectionSetNode): Size => {
    const total = { depth: 0, aliases: 0, cost: 0 };
    for (const node of selections) {
      const size =
        node.kind === Kind.FIELD
          ? ofField(node)
          : node.kind === Kind.FRAGMENT_SPREAD
            ? ofFragment(node.name.value)
            : ofSelections(node.selectionSet);
      total.depth = Math.max(total.depth, size.depth);
      total.aliases += size.aliases;
      total.cost += size.cost;
    }
    return total;
  };

  return {
    OperationDefinition(operation) {
      const { depth, aliases, cost } = ofSelections(operation.selectionSet);
      operationCosts.set(operation, cost);
      const refuse = (message: string) => context.reportError(new GraphQLError(message, { nodes: operation }));
      if (depth > MAX_DEPTH) refuse(`The operation nests ${depth} fields deep; at most ${MAX_DEPTH} are allowed`);
      if (aliases > MAX_ALIASES) refuse(`The operation has ${aliases} aliases; at most ${MAX_ALIASES} are allowed`);
      if (cost > MAX_COST)
        refuse(`The operation could resolve ${cost} fields; at most ${MAX_COST} are allowed, ask for smaller pages`);
    },
  };
}

/** How often the fields below a field are resolved: once, or once for each record of its page. */
function repeats(field: FieldNode, context: ValidationContext): number {
  if (INTROSPECTION_LISTS.has(field.name.value)) return INTROSPECTION_LIST;
  const limit = field.arguments?.find((argument) => argument.name.value === 'limit')?.value;
  // The document is validated once for all its variables, so a variable counts as the most it may be.
  if (limit) return limit.kind === Kind.INT ? Math.max(1, Number(limit.value)) : LARGEST_PAGE;
  const isPage = field.selectionSet?.selections.some((node) => node.kind === Kind.FIELD && node.name.value === 'items');
  return isPage ? defaultPage(field, context) : 1;
}

/** What a page holds when no limit is given; queries that differ say so by `@Extensions({ defaultPage })`. */
function defaultPage(field: FieldNode, context: ValidationContext): number {
  const query = context.getSchema().getQueryType()?.getFields()[field.name.value];
  return Number(query?.extensions.defaultPage ?? DEFAULT_PAGE);
}
