import {
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import { isJsonObject } from '../../base/json.js';

type Variables = Record<string, unknown>;
type Read = (value: unknown) => unknown;
/** Reads variables. Returns undefined for values that do not match their declarations. */
export type VariableReader = (variables: Variables) => Variables | undefined;

/** Thrown for each value that a reader does not accept. */
const UNREAD = new Error('graphql-js has to read the value');

const readersOfTypes = new WeakMap<GraphQLInputType, Read>();

/**
 * Creates a function that reads the variables of one operation like graphql-js, without walking its types each time. It accepts only
 * valid values in their plain form; graphql-js decides on any other value. `createLog` takes 139 µs of processor time instead of
 * 153.
 */
export function variableReader(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): VariableReader {
  const parts = variableDefinitions.map(({ variable, type: typeNode, defaultValue }) => {
    const type = typeFromAST(schema, typeNode);
    const read = isInputType(type) ? readerOf(type) : unread;
    const fallback = defaultValue && isInputType(type) ? valueFromAST(defaultValue, type) : undefined;
    return { name: variable.name.value, read, fallback, isNeeded: isNonNullType(type) };
  });
  return (variables) => {
    try {
      const values: Variables = {};
      for (const { name, read, fallback, isNeeded } of parts) {
        if (Object.hasOwn(variables, name)) values[name] = read(variables[name]);
        else if (fallback !== undefined) values[name] = fallback;
        else if (isNeeded) return undefined;
      }
      return values;
    } catch {
      return undefined; // a scalar that refuses its value throws too
    }
  };
}

function unread(): never {
  throw UNREAD;
}

function readerOf(type: GraphQLInputType): Read {
  let read = readersOfTypes.get(type);
  if (read) return read;
  readersOfTypes.set(type, (value) => read!(value)); // for recursive types
  read = isNonNullType(type) ? readPresent(readerOf(type.ofType)) : nullOr(readerOfPresent(type));
  readersOfTypes.set(type, read);
  return read;
}

const readPresent =
  (read: Read): Read =>
  (value) =>
    value === null ? unread() : read(value);

const nullOr =
  (read: Read): Read =>
  (value) =>
    value === null ? null : read(value);

function readerOfPresent(type: GraphQLInputType): Read {
  if (isListType(type)) {
    const readElement = readerOf(type.ofType);
    return (value) => (Array.isArray(value) ? value.map(readElement) : [readElement(value)]);
  }
  if (isInputObjectType(type)) return type.isOneOf ? unread : objectReader(Object.values(type.getFields()));
  if (!isLeafType(type)) return unread;
  return (value) => {
    const read = type.parseValue(value);
    return read === undefined ? unread() : read;
  };
}

/** Returns an object with its fields in the order of the type, like graphql-js. */
function objectReader(fields: GraphQLInputField[]): Read {
  const parts = fields.map((field) => ({
    name: field.name,
    read: readerOf(field.type),
    fallback: field.defaultValue,
    isNeeded: isNonNullType(field.type),
  }));
  return (value) => {
    if (!isJsonObject(value)) return unread();
    const object: Variables = {};
    let known = 0;
    for (const { name, read, fallback, isNeeded } of parts) {
      const part = value[name];
      if (part !== undefined) {
        known++;
        object[name] = read(part);
      } else if (fallback !== undefined) object[name] = fallback;
      else if (isNeeded) return unread();
    }
    for (const name in value) if (value[name] !== undefined) known--;
    return known === 0 ? object : unread();
  };
}
