import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { type ListSize, listSizeOf } from '../../scheduling/list-size.js';
import type { HeavyNeeds } from '../../scheduling/heavy-run.js';
import { workOf } from '../../scheduling/work-class.js';

/** Size of an operation, with fragments counted at each use. */
interface OperationSize {
  /** Maximum nesting of fields. */
  depth: number;
  /** Number of fields with an alias. */
  aliases: number;
  /** Number of fields that it may resolve, with each list counted by its size. */
  cost: number;
}

/** Size of an operation, and its dependencies. */
interface MeasuredSize extends OperationSize {
  /** True if the cost grows with the length of a text variable. Without variables, the text counts with its maximum length. */
  dependsOnText: boolean;
}

/** Size of a part of an operation. `items` of a page is counted once the `limit` of the page is known. */
interface PartSize extends OperationSize {
  /** Cost of one element of each directly nested `items`, by the declared size of the list. */
  perItem: Map<ListSize, number>;
}

export interface Measured {
  schema: GraphQLSchema;
  fragment: (name: string) => FragmentDefinitionNode | null | undefined;
  /** Variables of the request. Without them, each variable counts at its maximum. */
  variables?: Record<string, unknown>;
}

/** Counted size of a list of the introspection system, so that chains of types and fields cannot grow forever. */
const INTROSPECTION_LIST = 5;

/**
 * Returns a function that measures the operations of one document, or one operation with its variables. Measures each fragment
 * once, so that mutually nested fragments do not make measuring expensive.
 */
export function operationMeter(measured: Measured): (operation: OperationDefinitionNode) => MeasuredSize {
  const meter = new OperationMeter(measured);
  return (operation) => meter.measure(operation);
}

class OperationMeter {
  private readonly fragments = new Map<string, PartSize>();
  private defaults = new Map<string, ValueNode | undefined>();
  private dependsOnText = false;

  constructor(private readonly measured: Measured) {}

  measure(operation: OperationDefinitionNode): MeasuredSize {
    const root = this.measured.schema.getRootType(operation.operation) ?? undefined;
    this.defaults = new Map(operation.variableDefinitions?.map((each) => [each.variable.name.value, each.defaultValue]));
    const { depth, aliases, cost } = this.sizeOfSelections(operation.selectionSet, root);
    return { depth, aliases, cost, dependsOnText: this.dependsOnText };
  }

  private sizeOfSelections({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): PartSize {
    const total = nothing();
    for (const node of selections) {
      if (node.kind === Kind.FIELD) add(total, this.sizeOfField(node, parent));
      else if (node.kind === Kind.FRAGMENT_SPREAD) add(total, this.sizeOfFragment(node.name.value));
      else add(total, this.sizeOfSelections(node.selectionSet, this.typeOf(node.typeCondition?.name.value) ?? parent));
    }
    return total;
  }

  private sizeOfFragment(name: string): PartSize {
    const known = this.fragments.get(name);
    if (known) return known;
    this.fragments.set(name, nothing()); // ends cycles, which another rule reports
    const definition = this.measured.fragment(name);
    const part = definition
      ? this.sizeOfSelections(definition.selectionSet, this.typeOf(definition.typeCondition.name.value))
      : nothing();
    this.fragments.set(name, part);
    return part;
  }

  private sizeOfField(node: FieldNode, parent: GraphQLNamedType | undefined): PartSize {
    const field = fieldOf(parent, node.name.value);
    const inner = node.selectionSet ? this.sizeOfSelections(node.selectionSet, field && getNamedType(field.type)) : nothing();
    const own = { depth: inner.depth + 1, aliases: inner.aliases + (node.alias ? 1 : 0), cost: 1, perItem: new Map() };
    if (!field) return own;
    const work = workOf(field);
    if (work && 'cost' in work) own.cost += this.costOfWork(node, work);
    const limit = node.arguments?.find((argument) => argument.name.value === 'limit')?.value;
    const each = inner.cost + sum([...inner.perItem].map(([size, cost]) => cost * this.length(size, limit)));
    if (!isListType(getNullableType(field.type))) return { ...own, cost: own.cost + each };
    const size = listSizeOf(field);
    const leafOrEach = node.selectionSet ? each : 1;
    if (!size) return { ...own, cost: own.cost + INTROSPECTION_LIST * each };
    if (size.isPage) return { ...own, perItem: new Map([[size, leafOrEach]]) };
    return { ...own, cost: own.cost + leafOrEach * this.length(size, limit) };
  }

  /** Returns the cost of a field's work, in proportion to the text that it reads, if declared. */
  private costOfWork({ arguments: given }: FieldNode, { cost, text }: { cost: number } & Pick<HeavyNeeds, 'text'>): number {
    if (!text) return cost;
    const length = this.lengthOfText(given?.find(({ name }) => name.value === text.argument)?.value);
    return Math.ceil(cost * Math.min(1, length / text.length));
  }

  private lengthOfText(node: ValueNode | undefined): number {
    if (node?.kind === Kind.STRING) return node.value.length;
    if (node?.kind !== Kind.VARIABLE) return 0;
    this.dependsOnText = true;
    const { variables } = this.measured;
    if (!variables) return Infinity;
    const value = variables[node.name.value];
    return typeof value === 'string' ? value.length : this.lengthOfText(this.defaults.get(node.name.value));
  }

  private length({ maxItems, countedItems }: ListSize, limit: ValueNode | undefined): number {
    const value = limit?.kind === Kind.VARIABLE ? this.valueOfVariable(limit.name.value, maxItems) : limit && numberOf(limit);
    return value === undefined ? countedItems : Math.min(Math.max(value, 1), maxItems);
  }

  private valueOfVariable(name: string, largest: number): number | undefined {
    const { variables } = this.measured;
    if (!variables) return largest;
    const value = variables[name];
    if (value === undefined) return numberOf(this.defaults.get(name));
    return typeof value === 'number' ? value : undefined; // null means no limit; anything else is refused before it runs
  }

  private typeOf(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : this.measured.schema.getType(name);
  }
}

const nothing = (): PartSize => ({ depth: 0, aliases: 0, cost: 0, perItem: new Map() });

const sum = (costs: number[]): number => costs.reduce((total, cost) => total + cost, 0);

const numberOf = (value: ValueNode | undefined): number | undefined =>
  value?.kind === Kind.INT ? Number(value.value) : undefined;

function add(total: PartSize, part: PartSize): void {
  total.depth = Math.max(total.depth, part.depth);
  total.aliases += part.aliases;
  total.cost += part.cost;
  for (const [size, cost] of part.perItem) total.perItem.set(size, (total.perItem.get(size) ?? 0) + cost);
}

const META_FIELDS = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((field) => [field.name, field] as const),
);

/** Returns a field of a type by name, including those of the introspection system. */
export function fieldOf(parent: GraphQLNamedType | undefined, name: string): GraphQLField<unknown, unknown> | undefined {
  return META_FIELDS.get(name) ?? (isObjectType(parent) ? parent.getFields()[name] : undefined);
}
