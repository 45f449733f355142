import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getVariableValues,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { GraphqlContext } from '../access/graphql-context.js';
import { unmeteredResolver } from '../answers/metered-schema.js';
import { type VariableReader, variableReader } from './variable-reader.js';

export interface SelectionPlan {
  fields: PlannedField[];
  fragments: Record<string, FragmentDefinitionNode>;
  /** Returns nothing for variables that graphql-js refuses. */
  readVariables: VariableReader;
}

/** A field of a selection, with everything that does not depend on variables or data. */
export interface PlannedField {
  /** Name in the answer. */
  key: string;
  nodes: FieldNode[];
  parentType: GraphQLObjectType;
  definition: GraphQLField<unknown, unknown>;
  resolve: GraphQLFieldResolver<unknown, GraphqlContext>;
  /** The same resolver, where it looks at nothing but the object that has the field. */
  ofSource: ((source: unknown) => unknown) | undefined;
  shape: Shape;
}

/** Type of a value, with the selections of its objects. */
export type Shape =
  | { kind: 'leaf'; isNonNull: boolean; type: GraphQLLeafType }
  | { kind: 'object'; isNonNull: boolean; fields: PlannedField[] }
  | { kind: 'list'; isNonNull: boolean; item: Shape };

/** A planned field takes about as much memory as this many characters of a parsed document. */
const CHARACTERS_PER_FIELD = 4;
const LEAST_FIELDS = 16;

/** Plans live as long as the parsed documents of their operations. */
const plans = new WeakMap<OperationDefinitionNode, SelectionPlan | 'unplanned'>();

/**
 * Returns the plan of an operation, with all fragments in their place. Returns nothing for operations that graphql-js has to
 * execute: with directives, with fields of the introspection system, or with so many fragments that the plan would be far larger
 * than the document.
 */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): SelectionPlan | undefined {
  let plan = plans.get(operation);
  if (!plan) plans.set(operation, (plan = makePlan(schema, document, operation)));
  return plan === 'unplanned' ? undefined : plan;
}

/** Thrown by the planner, and caught where it was called. */
const UNPLANNED = new Error('graphql-js has to execute the operation');

function makePlan(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): SelectionPlan | 'unplanned' {
  const root = schema.getRootType(operation.operation);
  if (!root) return 'unplanned';
  try {
    const planner = new Planner(document);
    const fields = planner.fieldsOf(root, [operation.selectionSet]);
    return { fields, fragments: planner.fragments, readVariables: checkedReader(schema, operation) };
  } catch (error) {
    if (error === UNPLANNED) return 'unplanned';
    throw error;
  }
}

function checkedReader(schema: GraphQLSchema, operation: OperationDefinitionNode): VariableReader {
  const read = variableReader(schema, operation);
  const { variableDefinitions = [] } = operation;
  return (given) => read(given) ?? getVariableValues(schema, variableDefinitions, given, { maxErrors: 1 }).coerced;
}

class Planner {
  readonly fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  private fieldsLeft: number;

  constructor(document: DocumentNode) {
    for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) this.fragments[node.name.value] = node;
    this.fieldsLeft = LEAST_FIELDS + (document.loc?.end ?? 0) / CHARACTERS_PER_FIELD;
  }

  fieldsOf(type: GraphQLObjectType, selections: SelectionSetNode[]): PlannedField[] {
    const nodes = new Map<string, FieldNode[]>();
    const visited = new Set<string>();
    for (const selection of selections) this.collect(type, selection, { nodes, visited });
    return [...nodes].map(([key, sameKey]) => this.field(type, key, sameKey));
  }

  private collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    found: { nodes: Map<string, FieldNode[]>; visited: Set<string> },
  ): void {
    for (const node of selections) {
      if (node.directives?.length) throw UNPLANNED;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const sameKey = found.nodes.get(key);
        if (sameKey) sameKey.push(node);
        else found.nodes.set(key, [node]);
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.fragments[node.name.value];
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        if (found.visited.has(node.name.value)) continue;
        found.visited.add(node.name.value);
      }
      // A fragment on another type is valid where types are abstract, which ours are not.
      if (!fragment || (fragment.typeCondition && fragment.typeCondition.name.value !== type.name)) throw UNPLANNED;
      this.collect(type, fragment.selectionSet, found);
    }
  }

  private field(parentType: GraphQLObjectType, key: string, nodes: FieldNode[]): PlannedField {
    const name = nodes[0]!.name.value;
    // As a property of an ordinary object, this name would set the prototype.
    if (--this.fieldsLeft < 0 || key === '__proto__') throw UNPLANNED;
    const isTypeName = name === TypeNameMetaFieldDef.name;
    const definition = isTypeName ? TypeNameMetaFieldDef : parentType.getFields()[name];
    if (!definition) throw UNPLANNED;
    const resolve = isTypeName ? (_source: unknown) => parentType.name : unmeteredResolver(definition);
    const shape = this.shape(definition.type, nodes);
    return { key, nodes, parentType, definition, resolve, ofSource: ofSource(resolve), shape };
  }

  private shape(type: GraphQLOutputType, nodes: FieldNode[]): Shape {
    if (isNonNullType(type)) return { ...this.shape(type.ofType, nodes), isNonNull: true };
    const isNonNull = false;
    if (isListType(type)) return { kind: 'list', isNonNull, item: this.shape(type.ofType, nodes) };
    if (isLeafType(type)) return { kind: 'leaf', isNonNull, type };
    if (!isObjectType(type) || type.isTypeOf) throw UNPLANNED;
    const selections = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return { kind: 'object', isNonNull, fields: this.fieldsOf(type, selections) };
  }
}

/** A resolver that declares one parameter is one of Nest's that read a property. */
function ofSource(resolve: PlannedField['resolve']): PlannedField['ofSource'] {
  return resolve.length === 1 ? (resolve as unknown as (source: unknown) => unknown) : undefined;
}
