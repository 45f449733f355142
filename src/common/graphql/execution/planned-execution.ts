import {
  type ExecutionResult,
  getArgumentValues,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { inParallel } from '../../scheduling/concurrency.js';
import type { OperationBudget } from '../../scheduling/operation-budget.js';
import type { GraphqlContext } from '../access/graphql-context.js';
import { afterAll, completeList, isPromise } from './list-completion.js';
import { withAuthor } from './person-as-author.js';
import type { PreparedOperation } from './prepared-operation.js';
import type { PlannedField, Selection, Shape } from './selection-plan.js';

type Path = GraphQLResolveInfo['path'];
type Answer = Record<string, unknown>;

export interface PlannedOperation {
  schema: GraphQLSchema;
  operation: OperationDefinitionNode;
  prepared: PreparedOperation;
  variables: Record<string, unknown>;
  context: GraphqlContext;
}

/** Rejection of a root field of an ended operation. No nullable field handles it. */
const OVER = new Error('The operation is over');
/** Size up to which the values of an object are counted together. */
const SMALL_BYTES = 16 * 1024;
/**
 * Maximum number of root fields of a query resolved concurrently. A hundred of them, or a few large pages, would take all database
 * connections and many turns of the event loop, and delay other tenants.
 */
export const MAX_ROOTS_AT_ONCE = 8;
const MAX_COST_AT_ONCE = 1_000;
const NO_ARGUMENTS = Object.freeze({});

/**
 * Executes a planned operation by the GraphQL specification, within its budget: all values count, other work runs while long lists are
 * completed, and no field is started once the operation is over.
 */
export class PlannedExecution {
  private readonly budget: OperationBudget;
  private readonly errors: GraphQLError[] = [];
  /** Paths in the answer that are null because of an error. Later errors below them are ignored. */
  private readonly nulled = new Set<string>();
  private readonly args = new Map<PlannedField, object>();
  private uncountedBytes = 0;

  constructor(private readonly request: PlannedOperation) {
    this.budget = request.context.budget;
  }

  async execute(): Promise<ExecutionResult> {
    const data = await this.data();
    return this.errors.length > 0 ? { errors: this.errors, data } : { data };
  }

  /** Resolves to null if a non-null root field failed. */
  private async data(): Promise<Answer | null> {
    const { operation, prepared, variables, context } = this.request;
    const isSerial = operation.operation === OperationTypeNode.MUTATION;
    try {
      const selection = prepared.selectionFor(variables);
      const { fields } = selection;
      const data = selection.newAnswer();
      const values = await inParallel(fields, isSerial ? 1 : rootsAtOnce(context.cost, fields.length), (field) =>
        this.root(field),
      );
      for (const [index, { key }] of fields.entries()) data[key] = values[index];
      return data;
    } catch (error) {
      this.note(error as GraphQLError, []);
      return null;
    }
  }

  private async root(field: PlannedField): Promise<unknown> {
    this.budget.beforeRoot();
    try {
      const resolved = this.field(field, undefined, undefined);
      // Keeps a complete value: another root field might end the operation before a promise for it settles.
      const value = isPromise(resolved) ? await resolved : resolved;
      this.count();
      if (this.budget.waiting) await this.budget.waiting;
      if (this.budget.over) throw OVER;
      return value;
    } catch (error) {
      const located = error === OVER ? locatedError(this.budget.over, field.nodes, [field.key]) : (error as GraphQLError);
      if (field.shape.isNonNull) throw located;
      this.note(located, [field.key]);
      return null;
    }
  }

  /** Resolves a field of an object. Returns its value, or a promise. */
  private field(field: PlannedField, source: unknown, parent: Path | undefined): unknown {
    const { ofSource, shape, key } = field;
    let value: unknown;
    try {
      if (this.budget.over) throw OVER;
      value = ofSource ? ofSource(source) : this.resolve(field, source, parent);
    } catch (error) {
      return this.refused(error, shape, field, parent, key);
    }
    return this.settle(value, shape, field, parent, key);
  }

  private resolve(field: PlannedField, source: unknown, prev: Path | undefined): unknown {
    const { schema, operation, prepared, variables: variableValues, context } = this.request;
    const { definition, nodes: fieldNodes, parentType, key } = field;
    const info: GraphQLResolveInfo = {
      fieldName: definition.name,
      fieldNodes,
      returnType: definition.type,
      parentType,
      path: { prev, key, typename: parentType.name },
      schema,
      fragments: prepared.fragments,
      rootValue: undefined,
      operation,
      variableValues,
    };
    return field.resolve(source, this.argumentsOf(field), context, info);
  }

  /** Returns one object of arguments, shared by all elements of a list. */
  private argumentsOf(field: PlannedField): object {
    if (field.definition.args.length === 0) return NO_ARGUMENTS;
    const known = this.args.get(field);
    if (known) return known;
    const { variables, operation, context } = this.request;
    const { person } = context.caller;
    let args = getArgumentValues(field.definition, field.nodes[0]!, variables);
    if (person && operation.operation === OperationTypeNode.MUTATION) args = withAuthor(args, field.definition.args, person);
    this.args.set(field, args);
    return args;
  }

  /** Completes the value of a field or list element, now or once its promise settles. */
  private settle(value: unknown, shape: Shape, field: PlannedField, parent: Path | undefined, key: string | number): unknown {
    try {
      const completed = isPromise(value)
        ? this.budget.settle(
            value,
            (settled) => this.complete(settled, shape, field, parent, key),
            (error) => {
              throw this.budget.over ? OVER : error;
            },
          )
        : this.complete(value, shape, field, parent, key);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error) => this.refused(error, shape, field, parent, key));
    } catch (error) {
      return this.refused(error, shape, field, parent, key);
    }
  }

  private complete(value: unknown, shape: Shape, field: PlannedField, parent: Path | undefined, key: string | number): unknown {
    if (value === null || value === undefined) {
      this.uncountedBytes += FIELD_BYTES;
      if (!shape.isNonNull) return null;
      throw new Error(`Cannot return null for non-nullable field ${field.parentType.name}.${field.definition.name}.`);
    }
    if (value instanceof Error) throw value;
    if (shape.kind === 'leaf') return this.leaf(value, shape.type);
    this.uncountedBytes += FIELD_BYTES;
    const path = { prev: parent, key, typename: typeof key === 'string' ? field.parentType.name : undefined };
    if (shape.kind === 'object') return this.object(shape.selection, value, path);
    if (!isIterable(value)) {
      throw new GraphQLError(
        `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.definition.name}".`,
      );
    }
    const elements = Array.isArray(value) ? value : [...value];
    const complete = (element: unknown, index: number) => this.settle(element, shape.item, field, path, index);
    return completeList(elements, shape.item.kind === 'object', { budget: this.budget, complete });
  }

  private leaf(value: unknown, type: GraphQLLeafType): unknown {
    this.uncountedBytes += sizeOfLeaf(value);
    if (this.uncountedBytes > SMALL_BYTES) this.count();
    const written = type.serialize(value);
    if (written !== null && written !== undefined) return written;
    throw new Error(
      `Expected \`${type.name}.serialize(${String(value)})\` to return non-nullable value, returned: ${String(written)}`,
    );
  }

  private object(selection: Selection, source: unknown, path: Path): unknown {
    const { fields } = selection;
    const answer = selection.newAnswer();
    const later: PromiseLike<void>[] = [];
    try {
      for (const field of fields) {
        const value = this.field(field, source, path);
        answer[field.key] = value; // stores a promise too, so that the fields keep their order
        if (isPromise(value)) later.push(value.then((settled) => void (answer[field.key] = settled)));
      }
    } catch (error) {
      return afterAll(later, error);
    }
    this.count();
    return later.length === 0 ? answer : Promise.all(later).then(() => answer);
  }

  /**
   * Counts values toward the budget. If memory is short, the wait for it is between list elements, and at the end of each root field.
   */
  private count(): void {
    const sizeBytes = this.uncountedBytes;
    this.uncountedBytes = 0;
    if (sizeBytes > 0) void this.budget.count(sizeBytes);
  }

  /** Returns null for a nullable value. @throws the error for the parent otherwise */
  private refused(error: unknown, shape: Shape, field: PlannedField, prev: Path | undefined, key: string | number): null {
    if (error === OVER) throw error;
    const keys = [...keysOf(prev), key];
    const located = locatedError(error, field.nodes, keys);
    if (shape.isNonNull) throw located;
    this.budget.countError();
    if (this.budget.over) throw OVER;
    this.note(located, keys);
    return null;
  }

  /** Records the error that made a value null. */
  private note(error: GraphQLError, keys: (string | number)[]): void {
    const isWithinNulled = (length: number) => this.nulled.has(JSON.stringify(keys.slice(0, length)));
    for (let length = 0; length <= keys.length; length++) if (isWithinNulled(length)) return;
    this.nulled.add(JSON.stringify(keys));
    this.errors.push(error);
  }
}

function rootsAtOnce(cost: number, count: number): number {
  const fitting = Math.floor((MAX_COST_AT_ONCE * count) / Math.max(cost, 1));
  return Math.min(Math.max(fitting, 1), MAX_ROOTS_AT_ONCE);
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function keysOf(path: Path | undefined): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at; at = at.prev) keys.unshift(at.key);
  return keys;
}

/** Memory of a field besides its text: name, slot in the answer, value. */
const FIELD_BYTES = 64;
/** Length below which a text counts as many bytes as characters, which is accurate enough. */
const SHORT_TEXT = 1_024;

/** Returns the counted memory of a field without selections, in bytes. */
function sizeOfLeaf(value: unknown): number {
  return FIELD_BYTES + sizeOfValue(value);
}

/** Counts texts by their bytes in UTF-8, the encoding of the response. */
function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length < SHORT_TEXT ? value.length : Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return 0;
  let sizeBytes = 0;
  for (const [key, part] of Object.entries(value)) sizeBytes += FIELD_BYTES + key.length + sizeOfValue(part);
  return sizeBytes;
}
