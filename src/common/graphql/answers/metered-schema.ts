import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import type { OperationBudget } from '../../bounds/operation-budget.js';
import { turns } from '../../bounds/turns.js';
import type { GraphqlContext } from '../access/graphql-context.js';

/** Memory of a field besides its text: its name, its place in the answer, its value. */
export const FIELD_BYTES = 64;
/** Shorter texts count as many bytes as characters, which is close enough here. */
const SHORT_TEXT = 1_024;
/** Lists of objects up to this length are resolved at once, and so are the first objects of longer ones. */
export const FEW = 50;

type Resolve = GraphQLFieldResolver<unknown, GraphqlContext>;
const unmetered = new WeakMap<Resolve, Resolve>();

type Take = (value: unknown, budget: OperationBudget, info: GraphQLResolveInfo) => unknown;

/**
 * Makes every field of a schema count toward the budget of its operation, and end with the operation. Long lists are resolved
 * in turns with other work of the process: the executor itself resolves a list in one go.
 */
export function meterSchema(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const meteredResolver = metered(field);
      unmetered.set(meteredResolver, field.resolve ?? defaultFieldResolver);
      field.resolve = meteredResolver;
    }
  }
  return schema;
}

/** Returns the resolver of a field as it was before `meterSchema`, also where the schema was copied since. */
export function unmeteredResolver({ resolve = defaultFieldResolver }: GraphQLField<unknown, GraphqlContext>): Resolve {
  return unmetered.get(resolve) ?? resolve;
}

function metered({ resolve = defaultFieldResolver, type }: GraphQLField<unknown, GraphqlContext>) {
  const isLeaf = isLeafType(getNamedType(type));
  const take = !isListType(getNullableType(type)) ? (isLeaf ? takeLeaf : takeObject) : isLeaf ? takeLeaves : takeObjects;
  return (source: unknown, args: object, context: GraphqlContext, info: GraphQLResolveInfo): unknown => {
    const { budget } = context;
    if (!info.path.prev) budget.beforeRoot();
    if (budget.over) return budget.cut(info);
    let value: unknown;
    try {
      value = resolve(source, args, context, info);
    } catch (error) {
      return refused(error, budget, info);
    }
    if (!isPromise(value)) return take(value, budget, info);
    return budget.settle(
      value,
      (settled) => take(settled, budget, info),
      (error) => refused(error, budget, info),
    );
  };
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function refused(error: unknown, budget: OperationBudget, info: GraphQLResolveInfo): null {
  if (!budget.over) budget.countError();
  if (budget.over) return budget.cut(info);
  throw error;
}

const takeLeaf: Take = (value, budget, info) => {
  return counted(value, sizeOfLeaf(value), budget, info);
};

const takeObject: Take = (value, budget, info) => counted(value, FIELD_BYTES, budget, info);

const takeLeaves: Take = (value, budget, info) => {
  const sizeBytes = FIELD_BYTES + (Array.isArray(value) ? sizeOfScalar(value) : 0);
  return counted(value, sizeBytes, budget, info);
};

const takeObjects: Take = (value, budget, info) => {
  if (!Array.isArray(value) || value.length <= FEW) return counted(value, FIELD_BYTES, budget, info);
  void budget.count(FIELD_BYTES * value.length); // if memory is short, each object of the list waits for it
  return budget.over ? budget.cut(info) : inTurns(value, budget);
};

function counted(value: unknown, sizeBytes: number, budget: OperationBudget, info: GraphQLResolveInfo): unknown {
  const memory = budget.count(sizeBytes);
  if (memory) return memory.then(() => (budget.over ? budget.cut(info) : value));
  return budget.over ? budget.cut(info) : value;
}

/** Memory of a field without selections. */
export function sizeOfLeaf(value: unknown): number {
  return typeof value === 'string' ? FIELD_BYTES + sizeOfText(value) : FIELD_BYTES + sizeOfScalar(value);
}

/** Bytes of UTF-8, in which the text is sent. */
function sizeOfText(text: string): number {
  return text.length < SHORT_TEXT ? text.length : Buffer.byteLength(text);
}

function sizeOfScalar(value: unknown): number {
  if (typeof value === 'string') return sizeOfText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return 0;
  let sizeBytes = 0;
  for (const [key, part] of Object.entries(value)) sizeBytes += FIELD_BYTES + key.length + sizeOfScalar(part);
  return sizeBytes;
}

/** Returns the first items, and the others as promises that resolve one by one, when it is the tenant's turn and there is memory. */
function inTurns(items: unknown[], budget: OperationBudget): unknown[] {
  const atOnce = budget.waiting ? 0 : FEW;
  const later = items.slice(atOnce);
  const resolvers: ((item: unknown) => void)[] = [];
  const promises = later.map(() => new Promise((resolve) => resolvers.push(resolve)));
  void (async () => {
    await turns.next(budget.tenantId);
    for (const [index, item] of later.entries()) {
      if (budget.waiting) await budget.waiting;
      if (turns.isOver) await turns.next(budget.tenantId);
      resolvers[index]!(item);
      await undefined; // by now the executor has resolved all fields of the item that need no promise
    }
  })();
  return [...items.slice(0, atOnce), ...promises];
}
