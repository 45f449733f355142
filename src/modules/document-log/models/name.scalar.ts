import { GraphQLError, GraphQLScalarType, Kind, type ObjectValueNode, type ValueNode } from 'graphql';
import { isJsonObject } from '../../../common/base/json.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_NAME } from '../../../common/base/text.js';

/** Maximum languages of a name. */
export const MAX_LANGUAGES = 100;

/** Name in one language, or a map by language tag. */
export type NameValue = string | Record<string, string>;
type Variables = Record<string, unknown> | null | undefined;

function read(value: unknown): NameValue {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value) || Object.values(value).some((text) => typeof text !== 'string')) {
    throw new GraphQLError('Name must be a string or an object of strings by language tag, such as {"en": "Price"}');
  }
  return value as Record<string, string>;
}

function literal(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.STRING) return node.value;
  // Variables are absent during validation.
  if (node.kind === Kind.VARIABLE) return variables ? variables[node.name.value] : '';
  return node.kind === Kind.OBJECT ? objectOf(node, variables) : undefined;
}

/** Builds from entries, to treat `__proto__` as an ordinary key. */
function objectOf(node: ObjectValueNode, variables: Variables): object {
  return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, literal(value, variables)]));
}

export const Name = new GraphQLScalarType<NameValue, NameValue>({
  name: 'Name',
  description:
    `Name: a string of up to ${asCount(MAX_NAME)} characters, or an object that maps up to ${asCount(MAX_LANGUAGES)} language tags ` +
    'to such strings. Returned unchanged.',
  serialize: (value) => value as NameValue,
  parseValue: read,
  parseLiteral: (node, variables) => read(literal(node, variables)),
});
