import { GraphQLError, GraphQLScalarType, Kind, type ObjectValueNode, type ValueNode } from 'graphql';
import { isJsonObject } from '../../../common/base/json.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_NAME } from '../../../common/base/text.js';

/** Languages of a name. */
export const MAX_LANGUAGES = 100;

/** A name in one language, or by language tag. */
export type NameValue = string | Record<string, string>;
type Variables = Record<string, unknown> | null | undefined;

function read(value: unknown): NameValue {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value) || Object.values(value).some((text) => typeof text !== 'string')) {
    throw new GraphQLError('Name must be a string, or an object of language tag and string, such as {"en": "Price"}');
  }
  return value as Record<string, string>;
}

function literal(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.STRING) return node.value;
  // Documents are validated without their variables.
  if (node.kind === Kind.VARIABLE) return variables ? variables[node.name.value] : '';
  return node.kind === Kind.OBJECT ? objectOf(node, variables) : undefined;
}

/** Built from entries, so that `__proto__` is a name like any other. */
function objectOf(node: ObjectValueNode, variables: Variables): object {
  return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, literal(value, variables)]));
}

export const Name = new GraphQLScalarType<NameValue, NameValue>({
  name: 'Name',
  description:
    `A name: a string of up to ${asCount(MAX_NAME)} characters, or an object of up to ${asCount(MAX_LANGUAGES)} language tags, ` +
    'each with such a string. Returned as it was given.',
  serialize: (value) => value as NameValue,
  parseValue: read,
  parseLiteral: (node, variables) => read(literal(node, variables)),
});
