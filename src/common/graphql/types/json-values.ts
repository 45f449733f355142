import { astFromValue, type GraphQLArgument, type GraphQLInputField, valueFromASTUntyped } from 'graphql';

/** Value of JSON. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** JSON Schemas of scalars. One that is not listed, such as a name in several languages, has no single type. */
export const SCALAR_SCHEMAS: Readonly<Record<string, { type: string; format?: string }>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
};

/** Returns the default of an input as JSON, enum values by name; undefined if it has none. */
export function defaultAsJson({ defaultValue, type }: GraphQLArgument | GraphQLInputField): Json | undefined {
  const node = astFromValue(defaultValue, type);
  return node ? (valueFromASTUntyped(node) as Json) : undefined;
}
