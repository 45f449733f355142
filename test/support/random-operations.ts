import type { GraphQLArgument, GraphQLInputType, GraphQLObjectType, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { graphql } from './schemas.js';

/** Random choices from a seed, so that a failure can be repeated. */
export class Choices {
  constructor(private state: number) {}

  /** Returns a number from 0 to below 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}

export interface RandomOperation {
  text: string;
  variables: Record<string, unknown>;
}

interface Variable {
  type: string;
  defaultText?: string;
  value?: unknown;
}

const MAX_DEPTH = 4;
const ALIASES = ['a', 'b', '__proto__', 'constructor'];

/** Creates one operation on a schema, valid or nearly so, with variables, fragments, aliases and conditions of every kind. */
export function randomOperation(schema: GraphQLSchema, choices: Choices): RandomOperation {
  return new Writer(schema, choices).write();
}

class Writer {
  private readonly variables = new Map<string, Variable>();
  private readonly fragments = new Map<string, string>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly choices: Choices,
  ) {}

  write(): RandomOperation {
    const { choices, schema } = this;
    const isMutation = schema.getMutationType() && choices.happens(0.3);
    const root = isMutation ? schema.getMutationType()! : schema.getQueryType()!;
    const selection = this.selection(root, 0);
    const declared = [...this.variables].map(
      ([name, { type, defaultText }]) => `$${name}:${type}${defaultText === undefined ? '' : `=${defaultText}`}`,
    );
    const text = `${isMutation ? 'mutation' : 'query'}${declared.length > 0 ? `(${declared.join(' ')})` : ''}${selection}`;
    const variables: Record<string, unknown> = {};
    for (const [name, { value }] of this.variables) if (value !== undefined) variables[name] = value;
    return { text: [text, ...this.fragments.values()].join(' '), variables };
  }

  private selection(type: GraphQLObjectType, depth: number): string {
    const { choices } = this;
    const parts: string[] = [];
    for (let left = 1 + choices.below(4); left > 0; left--) parts.push(this.part(type, depth));
    return `{${parts.join(' ')}}`;
  }

  private part(type: GraphQLObjectType, depth: number): string {
    const { choices } = this;
    const kind = choices.next();
    if (kind < 0.1) return `...${choices.happens(0.5) ? `on ${type.name}` : ''}${this.condition()}${this.selection(type, depth)}`;
    if (kind < 0.2) return `...${this.fragment(type, depth)}${this.condition()}`;
    if (kind < 0.25) return `${this.alias()}__typename${this.condition()}`;
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => graphql.isLeafType(graphql.getNamedType(field.type)));
    const field = choices.of(depth >= MAX_DEPTH && leaves.length > 0 ? leaves : fields);
    const named = graphql.getNamedType(field.type);
    const selection = graphql.isObjectType(named)
      ? depth >= MAX_DEPTH + 2
        ? '{__typename}'
        : this.selection(named, depth + 1)
      : '';
    return `${this.alias()}${field.name}${this.args(field.args)}${this.condition()}${selection}`;
  }

  private alias(): string {
    return this.choices.happens(0.3)
      ? `${this.choices.of(ALIASES)}${this.choices.happens(0.8) ? this.choices.below(1_000) : ''}:`
      : '';
  }

  /** Reuses a fragment in other selections of its type. */
  private fragment(type: GraphQLObjectType, depth: number): string {
    const name = `F${type.name}${this.choices.below(2)}_${depth}`;
    if (!this.fragments.has(name)) {
      this.fragments.set(name, ''); // it may not contain itself
      const selection = this.selection(type, depth + 1).replaceAll(new RegExp(`\\.\\.\\.${name}\\b`, 'g'), '__typename');
      this.fragments.set(name, `fragment ${name} on ${type.name}${selection}`);
    }
    return name;
  }

  private condition(): string {
    const { choices } = this;
    if (!choices.happens(0.15)) return '';
    return `@${choices.of(['skip', 'include'])}(if:${choices.happens(0.5) ? choices.happens(0.5) : this.variable('Boolean', { isNeeded: true })})`;
  }

  private args(args: readonly GraphQLArgument[]): string {
    const written: string[] = [];
    for (const { name, type } of args) {
      if (!graphql.isNonNullType(type) && this.choices.happens(0.4)) continue;
      const isNeeded = graphql.isNonNullType(type);
      const typeText = String(graphql.getNullableType(type));
      const value = this.choices.happens(0.5) ? this.variable(typeText, { isNeeded, type }) : this.literal(type);
      written.push(`${name}:${value}`);
    }
    return written.length > 0 ? `(${written.join(' ')})` : '';
  }

  private variable(typeText: string, { isNeeded, type }: { isNeeded: boolean; type?: GraphQLInputType }): string {
    const { choices } = this;
    const name = `v${this.variables.size}`;
    const inputType = type ?? graphql.GraphQLBoolean;
    const hasDefault = choices.happens(0.3);
    const isStrict = isNeeded && (!hasDefault || choices.happens(0.5));
    const value = choices.happens(0.15) ? undefined : choices.happens(0.1) ? null : this.json(inputType, 0);
    const defaultText = hasDefault ? this.literal(graphql.getNullableType(inputType) as GraphQLInputType) : undefined;
    this.variables.set(name, { type: `${typeText}${isStrict ? '!' : ''}`, defaultText, value });
    return `$${name}`;
  }

  private literal(type: GraphQLInputType, depth = 0): string {
    const { choices } = this;
    if (graphql.isNonNullType(type)) return this.literal(type.ofType as GraphQLInputType, depth);
    if (depth > 0 && choices.happens(0.1)) return 'null';
    if (graphql.isListType(type))
      return `[${Array.from({ length: choices.below(3) }, () => this.literal(type.ofType, depth + 1)).join(' ')}]`;
    if (graphql.isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => graphql.isRequiredInputField(field) || (depth < 3 && choices.happens(0.5)),
      );
      return `{${fields.map((field) => `${field.name}:${this.literal(field.type, depth + 1)}`).join(' ')}}`;
    }
    if (graphql.isEnumType(type)) return choices.of(type.getValues()).name;
    return JSON.stringify(this.scalar(type.name));
  }

  /** Returns a JSON value; sometimes one that the type refuses. */
  private json(type: GraphQLInputType, depth: number): unknown {
    const { choices } = this;
    if (choices.happens(0.02)) return choices.of<unknown>([{}, [], 'x', 1.5, true, [null], { unknown: 1 }]);
    if (graphql.isNonNullType(type)) return this.json(type.ofType as GraphQLInputType, depth);
    if (depth > 0 && choices.happens(0.1)) return null;
    if (graphql.isListType(type)) {
      if (choices.happens(0.1)) return this.json(type.ofType, depth + 1); // one value stands for a list of it
      return Array.from({ length: choices.below(4) }, () => this.json(type.ofType, depth + 1));
    }
    if (graphql.isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => graphql.isRequiredInputField(field) || (depth < 3 && choices.happens(0.5)),
      );
      return Object.fromEntries(fields.map((field) => [field.name, this.json(field.type, depth + 1)]));
    }
    if (graphql.isEnumType(type)) return choices.of(type.getValues()).name;
    return this.scalar(type.name);
  }

  private scalar(name: string): unknown {
    const { choices } = this;
    switch (name) {
      case 'Int':
        return choices.below(5) - 1;
      case 'Float':
        return choices.below(10) / 4;
      case 'Boolean':
        return choices.happens(0.5);
      case 'DateTime':
        return '2026-01-02T03:04:05.000Z';
      default:
        return choices.of(['', 'text', 'ä"\n', 'id']);
    }
  }
}

/** Resolves promises in an order that does not depend on how an executor waits: those of one place in each turn of the event loop. */
export class LateValues {
  private readonly waiting = new Map<string, (() => void)[]>();

  add(place: string, settle: () => void): void {
    if (this.waiting.size === 0) setImmediate(() => this.settleFirst());
    const others = this.waiting.get(place);
    if (others) others.push(settle);
    else this.waiting.set(place, [settle]);
  }

  private settleFirst(): void {
    const first = [...this.waiting.keys()].sort()[0]!;
    const settles = this.waiting.get(first)!;
    this.waiting.delete(first);
    if (this.waiting.size > 0) setImmediate(() => this.settleFirst());
    for (const settle of settles) settle();
  }
}

interface Values {
  late: LateValues;
  seed: number;
}

/** Returns the result of a field by its place alone: mostly a value of its type, sometimes late, null, of another type, or an error. */
export function randomValue(type: GraphQLOutputType, place: string, { late, seed }: Values): unknown {
  const choices = new Choices(hashOf(`${seed} ${place}`));
  const chance = choices.next();
  const value = () => valueOf(type, place, { choices, late, seed });
  const error = () => new Error(`failed at ${place}`);
  if (chance < 0.04) return choices.happens(0.5) ? null : undefined;
  if (chance < 0.06) throw error();
  if (chance < 0.07) return expectedly(Promise.reject(error()));
  if (chance < 0.08) return error();
  if (chance < 0.1) return choices.of<unknown>([{}, [], 'wrong', Number.NaN, true, 1.5, [null], new Map([[1, 2]])]);
  if (chance < 0.14) return expectedly(new Promise((_, reject) => late.add(place, () => reject(error()))));
  if (chance < 0.3) return new Promise((resolve) => late.add(place, () => resolve(value())));
  if (chance < 0.35) return Promise.resolve(value());
  return value();
}

/** Prevents a rejection that no executor awaits from ending the process. */
function expectedly(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(() => undefined);
  return promise;
}

function valueOf(type: GraphQLOutputType, place: string, values: Values & { choices: Choices }): unknown {
  const { choices, late, seed } = values;
  if (graphql.isNonNullType(type)) return valueOf(type.ofType as GraphQLOutputType, place, values);
  if (graphql.isListType(type)) {
    const item = type.ofType as GraphQLOutputType;
    const elements = Array.from({ length: choices.below(6) }, (_, index) => element(item, `${place}.${index}`, values));
    return choices.happens(0.1) ? new Set(elements) : elements;
  }
  if (graphql.isObjectType(type)) return { of: place, late, seed };
  if (graphql.isEnumType(type)) return choices.of(type.getValues()).value;
  switch ((type as { name: string }).name) {
    case 'Int':
      return choices.below(1_000);
    case 'Float':
      return choices.next();
    case 'Boolean':
      return choices.happens(0.5);
    case 'DateTime':
      return new Date(choices.below(2 ** 31) * 1_000);
    default:
      return choices.of(['', 'text', 'ä "quoted" \u2028', '1']);
  }
}

function element(type: GraphQLOutputType, place: string, values: Values): unknown {
  try {
    return randomValue(type, place, values);
  } catch (error) {
    return error;
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
