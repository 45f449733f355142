import {
  type DocumentNode,
  getVariableValues,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { type Fragments, Selection } from './selection-plan.js';
import { type VariableReader, variableReader } from './variable-reader.js';

type Variables = Record<string, unknown>;

/** Maximum number of reported variable errors, each with its value. */
const MAX_COERCION_ERRORS = 10;
/** Size of a planned field, as the number of characters of a parsed document with the same memory. */
const CHARACTERS_PER_FIELD = 4;
const LEAST_FIELDS = 16;

/** Prepared operations. Each lives as long as its parsed document. */
const prepared = new WeakMap<OperationDefinitionNode, PreparedOperation>();

/** Prepares a valid operation as far as possible without its variables. */
export function preparedOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): PreparedOperation {
  let known = prepared.get(operation);
  if (!known) prepared.set(operation, (known = new PreparedOperation(schema, document, operation)));
  return known;
}

export class PreparedOperation {
  readonly fragments: Fragments = Object.create(null);
  private readonly read: VariableReader;
  /** Names of the variables in `@skip` and `@include`. */
  private readonly conditions: string[];
  private readonly maxFields: number;
  /** Plan for the conditions of the last request, unless far larger than the document. */
  private kept?: { conditions: string; selection: Selection };

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly operation: OperationDefinitionNode,
  ) {
    for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) this.fragments[node.name.value] = node;
    this.read = variableReader(schema, operation);
    this.conditions = conditionsOf(document);
    this.maxFields = LEAST_FIELDS + (document.loc?.end ?? 0) / CHARACTERS_PER_FIELD;
  }

  /** Reads the variables of a request. Returns errors for those that do not match their declarations. */
  readVariables(given: Variables): { coerced?: Variables; errors?: readonly GraphQLError[] } {
    const coerced = this.read(given);
    if (coerced) return { coerced };
    return getVariableValues(this.schema, this.operation.variableDefinitions ?? [], given, { maxErrors: MAX_COERCION_ERRORS });
  }

  /** Returns the root selection for the variables of a request. */
  selectionFor(variables: Variables): Selection {
    const asked: Variables = {}; // only these: with all variables, a cached plan would hold file contents
    for (const name of this.conditions) if (Object.hasOwn(variables, name)) asked[name] = variables[name];
    const conditions = JSON.stringify(asked);
    if (this.kept?.conditions === conditions) return this.kept.selection;
    let fieldsLeft = this.maxFields;
    const onPlanned = (fields: number): void => {
      fieldsLeft -= fields;
      if (fieldsLeft < 0 && this.kept === plan) this.kept = undefined;
    };
    const { schema, fragments, operation } = this;
    const planning = { schema, fragments, variables: asked, onPlanned };
    const plan = {
      conditions,
      selection: new Selection(schema.getRootType(operation.operation)!, [operation.selectionSet], planning),
    };
    return (this.kept = plan).selection;
  }
}

function conditionsOf(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ arguments: args = [] }) {
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
