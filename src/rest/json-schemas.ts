import {
  getNullableType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { defaultAsJson, SCALAR_SCHEMAS } from '../common/graphql/types/json-values.js';

export type JsonSchema = Record<string, unknown>;
type Declared = GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>;

const NULL: JsonSchema = { type: 'null' };

/** Describes the types of one service as JSON schemas, each once, below `components`. */
export class JsonSchemas {
  constructor(
    /** First part of the names of its types, since services have types with the same name. */
    private readonly prefix: string,
    private readonly components: Record<string, JsonSchema>,
  ) {}

  /**
   * Returns the schema of a value. Outputs and optional inputs may be null. The description names a default, since generated clients
   * would require a property with one.
   */
  valueOf(declared: Declared): JsonSchema {
    const preset = 'defaultValue' in declared ? defaultAsJson(declared) : undefined;
    const description = [declared.description, preset !== undefined && `Default: ${JSON.stringify(preset)}.`]
      .filter(Boolean)
      .join(' ');
    return { ...this.schemaOf(declared.type), ...(description && { description }) };
  }

  /** Returns the schema of a parameter, which is omitted instead of null. */
  parameterOf(declared: GraphQLArgument | GraphQLInputField): JsonSchema {
    const preset = defaultAsJson(declared);
    return { ...this.notNull(getNullableType(declared.type)), ...(preset !== undefined && { default: preset }) };
  }

  schemaOf(type: GraphQLType): JsonSchema {
    if (isNonNullType(type)) return this.notNull(type.ofType);
    const schema = this.notNull(type);
    return typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, NULL] };
  }

  /** Returns the schema of a type without null. */
  notNull(type: GraphQLType): JsonSchema {
    if (isListType(type)) return { type: 'array', items: this.schemaOf(type.ofType) };
    const named = type as GraphQLNamedType;
    return SCALAR_SCHEMAS[named.name] ?? this.reference(named);
  }

  private reference(type: GraphQLNamedType): JsonSchema {
    const name = `${this.prefix}${type.name[0]!.toUpperCase()}${type.name.slice(1)}`;
    if (!this.components[name]) {
      this.components[name] = {}; // ends the recursion of types that contain themselves
      this.components[name] = { ...this.componentOf(type), ...(type.description && { description: type.description }) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  private componentOf(type: GraphQLNamedType): JsonSchema {
    if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
    if (isInputObjectType(type)) return this.objectOf(Object.values(type.getFields()));
    if (isObjectType(type)) return this.objectOf(Object.values(type.getFields()));
    return {}; // a scalar that is any JSON value of its description
  }

  /** Returns the schema of an object. Outputs have no required fields, since `fields` selects them. */
  objectOf(fields: readonly Declared[]): JsonSchema {
    const required = fields
      .filter(({ type, ...declared }) => isNonNullType(type) && !('args' in declared))
      .map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, this.valueOf(field)])),
      ...(required.length > 0 && { required }),
    };
  }
}
