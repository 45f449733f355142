import { getNullableType, type GraphQLArgument, type GraphQLInputField, isInputObjectType, isListType } from 'graphql';
import type { Person } from '../../auth/caller.js';

const AUTHOR = 'author';

/**
 * Returns the arguments of a mutation with the person as author, wherever its inputs have one, whatever was sent: nobody saves in
 * another person's name.
 */
export function withAuthor<T extends object>(
  values: T,
  inputs: readonly (GraphQLArgument | GraphQLInputField)[],
  { id, name }: Person,
): T {
  const signed = inputs.map((input) => [
    input.name,
    signedValue((values as Record<string, unknown>)[input.name], input, { id, name }),
  ]);
  return { ...values, ...Object.fromEntries(signed.filter(([, value]) => value !== undefined)) } as T;
}

function signedValue(value: unknown, { name, type }: GraphQLArgument | GraphQLInputField, person: Person): unknown {
  const named = getNullableType(type);
  if (isListType(named)) {
    const item = { name, type: named.ofType } as GraphQLInputField;
    return Array.isArray(value) ? value.map((one) => signedValue(one, item, person)) : value;
  }
  if (!isInputObjectType(named)) return value;
  if (name === AUTHOR) return { ...person };
  return typeof value === 'object' && value !== null ? withAuthor(value, Object.values(named.getFields()), person) : value;
}
