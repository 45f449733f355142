import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { fieldNames } from '../common/graphql/documents/selection.js';
import { defaultAsJson, type Json, SCALAR_SCHEMAS } from '../common/graphql/types/json-values.js';

/** JSON Schema of a value, draft 2020-12. */
type JsonSchema = {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: (string | null)[];
  default?: Json;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: false;
};

/** JSON Schema of the arguments of a tool, an object. */
export type ObjectSchema = JsonSchema & { type: 'object' };

type Declared = GraphQLArgument | GraphQLInputField;

/** Argument of a tool that selects fields of its answer. No operation has one of this name. */
export const FIELDS = 'fields';

/**
 * Returns the schema of the arguments of a tool: those of its root field, with the limits that their descriptions state, and the selection
 * of fields.
 */
export function inputSchemaOf(field: GraphQLField<unknown, unknown>): ObjectSchema {
  const schema = objectSchema(field.args, []);
  const names = fieldNames(field);
  if (names === undefined) return schema;
  const description = `Fields of the answer in place of the default, as paths such as a.b: ${names}`;
  return { ...schema, properties: { ...schema.properties, [FIELDS]: { type: 'array', items: { type: 'string' }, description } } };
}

function objectSchema(fields: readonly Declared[], outer: readonly GraphQLNamedInputType[]): ObjectSchema {
  const properties = Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, outer)]));
  const required = fields.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    additionalProperties: false,
  };
}

function fieldSchema(declared: Declared, outer: readonly GraphQLNamedInputType[]): JsonSchema {
  const schema = schemaOf(declared.type, outer);
  const preset = defaultAsJson(declared);
  const described = [declared.description, schema.description].filter(Boolean).join('\n');
  return {
    ...schema,
    ...(described && { description: described }),
    ...(preset !== undefined && { default: preset }),
  };
}

function schemaOf(type: GraphQLInputType, outer: readonly GraphQLNamedInputType[]): JsonSchema {
  if (isNonNullType(type)) return presentSchema(type.ofType, outer);
  const schema = presentSchema(type, outer);
  return {
    ...schema,
    ...(typeof schema.type === 'string' && { type: [schema.type, 'null'] }),
    ...(schema.enum && { enum: [...schema.enum, null] }),
  };
}

/** Returns the schema of a value that is not null. An input within itself is an object of any form. */
function presentSchema(type: GraphQLInputType, outer: readonly GraphQLNamedInputType[]): JsonSchema {
  if (isNonNullType(type)) return presentSchema(type.ofType, outer);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, outer) };
  if (isInputObjectType(type)) {
    return outer.includes(type) ? { type: 'object' } : objectSchema(Object.values(type.getFields()), [...outer, type]);
  }
  if (!isEnumType(type)) return SCALAR_SCHEMAS[type.name] ?? { description: type.description ?? '' };
  const values = type.getValues();
  return {
    type: 'string',
    enum: values.map(({ name }) => name),
    description: values.map(({ name, description }) => `${name}: ${description}`).join('\n'),
  };
}
