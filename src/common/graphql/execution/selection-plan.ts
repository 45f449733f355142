import {
  type FieldNode,
  type FragmentDefinitionNode,
  getDirectiveValues,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  defaultFieldResolver,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { GraphqlContext } from '../access/graphql-context.js';
import { fieldOf } from '../documents/operation-size.js';

export type Fragments = Record<string, FragmentDefinitionNode>;

/** Field of a selection, with everything that does not depend on data. */
export interface PlannedField {
  /** Name in the response. */
  key: string;
  nodes: FieldNode[];
  parentType: GraphQLObjectType;
  definition: GraphQLField<unknown, unknown>;
  resolve: GraphQLFieldResolver<unknown, GraphqlContext>;
  /** Simplified resolver, if it reads only the parent object. */
  ofSource: ((source: unknown) => unknown) | undefined;
  shape: Shape;
}

/** Type of a value, with the selection of its objects. */
export type Shape =
  | { kind: 'leaf'; isNonNull: boolean; type: GraphQLLeafType }
  | { kind: 'object'; isNonNull: boolean; selection: Selection }
  | { kind: 'list'; isNonNull: boolean; item: Shape };

/** Inputs for planning the selections of one operation. */
export interface Planning {
  schema: GraphQLSchema;
  fragments: Fragments;
  /** Values for the conditions of `@skip` and `@include`. */
  variables: Record<string, unknown>;
  /** Called with the number of planned fields. */
  onPlanned(fields: number): void;
}

/**
 * Selected fields of one object type, with fragments inlined and without those that `@skip` and `@include` exclude. Planned at the
 * first such object: mutually nested fragments can describe far more fields than an answer has.
 */
export class Selection {
  private planned?: PlannedField[];
  private hasPrototypeKey = false;

  constructor(
    private readonly type: GraphQLObjectType,
    private readonly sets: readonly SelectionSetNode[],
    private readonly planning: Planning,
  ) {}

  /** Plans the fields on first use. @throws GraphQLError for a condition without a value */
  get fields(): PlannedField[] {
    return (this.planned ??= this.plan());
  }

  /** Creates the object for the values of the fields, without a prototype: as a property of an ordinary object, `__proto__` would set it. */
  newAnswer(): Record<string, unknown> {
    return this.hasPrototypeKey ? Object.create(null) : {};
  }

  private plan(): PlannedField[] {
    const nodes = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const { selections } of this.sets) this.collect(selections, nodes, spread);
    this.planning.onPlanned(nodes.size);
    this.hasPrototypeKey = nodes.has('__proto__');
    return [...nodes].map(([key, sameKey]) => this.field(key, sameKey));
  }

  private collect(selections: readonly SelectionNode[], nodes: Map<string, FieldNode[]>, spread: Set<string>): void {
    for (const node of selections) {
      // Ignores the condition of a fragment that is spread again, like graphql-js: it may have no value.
      if (node.kind === Kind.FRAGMENT_SPREAD && spread.has(node.name.value)) continue;
      if (node.directives?.length && !this.isIncluded(node)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const sameKey = nodes.get(key);
        if (sameKey) sameKey.push(node);
        else nodes.set(key, [node]);
        continue;
      }
      if (node.kind === Kind.FRAGMENT_SPREAD) spread.add(node.name.value);
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.planning.fragments[node.name.value];
      // Our schemas have no abstract types, so a valid fragment is always on the type itself.
      if (fragment) this.collect(fragment.selectionSet.selections, nodes, spread);
    }
  }

  private isIncluded(node: SelectionNode): boolean {
    const { variables } = this.planning;
    if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
    return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
  }

  private field(key: string, nodes: FieldNode[]): PlannedField {
    const parentType = this.type;
    const definition = fieldOf(parentType, nodes[0]!.name.value)!;
    const resolve = definition.resolve ?? defaultFieldResolver;
    const ofSource = definition === TypeNameMetaFieldDef ? () => parentType.name : sourceResolver(definition);
    return { key, nodes, parentType, definition, resolve, ofSource, shape: this.shape(definition.type, nodes) };
  }

  private shape(type: GraphQLOutputType, nodes: FieldNode[]): Shape {
    if (isNonNullType(type)) return { ...this.shape(type.ofType, nodes), isNonNull: true };
    const isNonNull = false;
    if (isListType(type)) return { kind: 'list', isNonNull, item: this.shape(type.ofType, nodes) };
    if (isLeafType(type)) return { kind: 'leaf', isNonNull, type };
    if (!isObjectType(type) || type.isTypeOf) throw new Error(`${type.name}: abstract types and isTypeOf are not executed`);
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return { kind: 'object', isNonNull, selection: new Selection(type, sets, this.planning) };
  }
}

/** Returns a resolver with only the parent as parameter, as Nest's property resolvers have. */
function sourceResolver({ resolve, args }: GraphQLField<unknown, unknown>): PlannedField['ofSource'] {
  return resolve?.length === 1 && args.length === 0 ? (resolve as unknown as (source: unknown) => unknown) : undefined;
}
