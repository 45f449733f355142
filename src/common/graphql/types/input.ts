import type { Type } from '@nestjs/common';
import { Field, type FieldOptions, Float, ID, InputType, Int, type ReturnTypeFunc } from '@nestjs/graphql';
import { z } from 'zod';
import { DateTime } from './date-time.scalar.js';

type Shape = Record<string, z.ZodType>;

/** Properties of a GraphQL field that its rule does not imply. */
interface FieldHints {
  type?: () => unknown;
  /** Declares the field nullable in the schema; the rule refuses null and absence with a clearer message. */
  nullable?: boolean;
  /** Same for the items of a list. */
  nullableItems?: boolean;
}

declare module 'zod' {
  interface GlobalMeta {
    graphql?: FieldHints;
  }
}

/** Input class for `@Args`, with its fields and the rules of its values. */
export interface InputClass<S extends Shape = Shape, R extends z.ZodType = z.ZodType> extends Type<object> {
  readonly fields: S;
  readonly rules: R;
}

/** Values as sent by a caller, unchecked. */
export type Given<C extends InputClass> = z.input<C['rules']>;
/** Values after the check, with defaults and transformations. */
export type Checked<C extends InputClass> = z.output<C['rules']>;

interface InputOf {
  /** Marker class of the schema. */
  registerIn: Type;
  description: string;
}

/**
 * Declares a GraphQL input once. Each field is a rule with a description; type, nullability and default follow from the rule.
 * @param more rules across several fields
 */
export function input<S extends Shape, R extends z.ZodType = z.ZodObject<S, z.core.$strict>>(
  name: string,
  of: InputOf,
  fields: S,
  more?: (rules: z.ZodObject<S, z.core.$strict>) => R,
): InputClass<S, R> {
  const made = { [name]: class {} }[name]!;
  for (const [key, rule] of Object.entries(fields)) {
    const { type, description, defaultValue, ...field } = fieldOf(rule);
    const nullable = field.nullableItems ? (field.nullable ? 'itemsAndList' : 'items') : field.nullable;
    Field(type as ReturnTypeFunc, { nullable, defaultValue, description } as FieldOptions)(made.prototype as object, key);
  }
  InputType(name, of)(made);
  const rules = z.strictObject(fields, 'must not be null');
  return Object.assign(made, { fields, rules: more?.(rules) ?? rules }) as unknown as InputClass<S, R>;
}

/** Uses an input as a field of another. */
export const nested = <S extends Shape, R extends z.ZodType>(made: InputClass<S, R>): R =>
  made.rules.meta({ graphql: { type: () => made } });

/** Uses the ID type for a string. */
export const id = <R extends z.ZodType>(rule: R): R => rule.meta({ graphql: { type: () => ID } });

/** Uses the Float type for a whole number beyond the range of Int. */
export const asFloat = <R extends z.ZodType>(rule: R): R => rule.meta({ graphql: { type: () => Float } });

/** Declares a field nullable in the schema; the rule refuses null and absence with a clearer message. */
export const refusedNull = <R extends z.ZodType>(rule: R): R =>
  rule.meta({ graphql: { ...rule.meta()?.graphql, nullable: true } });

/** Same for the items of a list. */
export const refusedNullItems = <R extends z.ZodType>(rule: R): R =>
  rule.meta({ graphql: { ...rule.meta()?.graphql, nullableItems: true } });

interface FieldType {
  type: () => unknown;
  nullable: boolean;
  nullableItems: boolean;
  description: string | undefined;
  defaultValue?: unknown;
}

function fieldOf(rule: z.ZodType): FieldType {
  const { description, graphql: hints = {} } = rule.meta() ?? {};
  const field = ownFieldOf(rule, hints.type);
  return {
    ...field,
    nullable: hints.nullable ?? field.nullable,
    nullableItems: hints.nullableItems ?? field.nullableItems,
    description: description ?? field.description,
  };
}

function ownFieldOf(rule: z.ZodType, named: (() => unknown) | undefined): FieldType {
  if (rule instanceof z.ZodOptional || rule instanceof z.ZodNullable)
    return { ...fieldOf(rule.unwrap() as z.ZodType), nullable: true };
  if (rule instanceof z.ZodDefault)
    return { ...fieldOf(rule.unwrap() as z.ZodType), nullable: true, defaultValue: rule.def.defaultValue };
  if (rule instanceof z.ZodPipe && !named) return fieldOf(rule.in as z.ZodType);
  if (rule instanceof z.ZodArray && !named) {
    const item = fieldOf(rule.element as z.ZodType);
    return { type: () => [item.type()], nullable: false, nullableItems: item.nullable, description: undefined };
  }
  return { type: named ?? scalarOf(rule), nullable: false, nullableItems: false, description: undefined };
}

function scalarOf(rule: z.ZodType): () => unknown {
  if (rule instanceof z.ZodString) return () => String;
  if (rule instanceof z.ZodBoolean) return () => Boolean;
  if (rule instanceof z.ZodNumber) return () => (rule.format === 'safeint' ? Int : Float);
  if (rule instanceof z.ZodDate) return () => DateTime;
  if (rule instanceof z.ZodEnum) return () => rule.def.entries;
  throw new Error(`${rule.constructor.name} has no GraphQL type: name it by meta({ graphql: { type } })`);
}
