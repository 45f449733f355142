import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Api } from './api.js';

/** Values of arguments and input fields with which an operation succeeds, by name; others get one by type. */
export type Known = Record<string, unknown>;
/** The same by the path of the tested place, for operations whose values exclude each other. They are requested for each attempt. */
export type KnownOf = Known | ((place: string) => Known);

/** A place of an operation that accepts a scalar value. */
export interface Place {
  /** Path such as `createLog.input.attribute.id`. */
  name: string;
  kind: 'query' | 'mutation';
  scalar: string;
  /** Sends the operation with a value in this place, and valid values in all others. Another caller of the service may send it. */
  send(value: unknown, caller?: Api): ReturnType<Api['send']>;
}

const OF_TYPE: Record<string, unknown> = {
  String: 'text',
  ID: 'id',
  Int: 1,
  Float: 1,
  Boolean: true,
  DateTime: '2024-01-01T00:00:00Z',
  Name: 'Price',
};
const MAX_DEPTH = 4;

/** Returns every place of every query and mutation of a service, including arguments of nested fields. */
export async function placesOf(api: Api, known: KnownOf): Promise<Place[]> {
  const schema = buildClientSchema((await api.ask(getIntrospectionQuery())) as never);
  return (['query', 'mutation'] as const).flatMap((kind) => {
    const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(type?.getFields() ?? {}).flatMap((field) => placesOfOperation({ api, schema, kind, known }, field));
  });
}

interface Walk {
  api: Api;
  schema: GraphQLSchema;
  kind: 'query' | 'mutation';
  known: KnownOf;
}

export interface Variable {
  name: string;
  type: GraphQLInputType;
  path: string;
}

function placesOfOperation({ api, kind, known }: Walk, field: GraphQLField<unknown, unknown>): Place[] {
  const variables: Variable[] = [];
  const selected = selectionOf(field, field.name, variables);
  const declared = variables.map(({ name, type }) => `$${name}:${String(type)}`).join();
  const document = `${kind}${declared && `(${declared})`}{${selected}}`;
  const places: Place[] = [];
  for (const { name, type, path } of variables) {
    for (const leaf of leavesOf(type, path.split('.').at(-1)!)) {
      const place = [path, ...leaf.path].join('.');
      places.push({
        name: place,
        kind,
        scalar: leaf.scalar,
        send: (value, caller = api) => {
          const values = typeof known === 'function' ? known(place) : known;
          const given = Object.fromEntries(
            variables.map((one) => [one.name, valueOf(one.type, one.path.split('.').at(-1)!, values)]),
          );
          return caller.send(document, { ...given, [name]: withValue(given[name], leaf.path, value) });
        },
      });
    }
  }
  return places;
}

/** Writes a field with a variable for each argument, and all leaves below it with their arguments. */
export function selectionOf(field: GraphQLField<unknown, unknown>, path: string, variables: Variable[]): string {
  const given = field.args.map((argument: GraphQLArgument) => {
    const name = `v${variables.length}`;
    variables.push({ name, type: argument.type, path: `${path}.${argument.name}` });
    return `${argument.name}:$${name}`;
  });
  const type = getNamedType(field.type);
  const inner = isObjectType(type)
    ? Object.values(type.getFields())
        .filter((one) => path.split('.').length < MAX_DEPTH || isLeafType(getNamedType(one.type)))
        .map((one) => selectionOf(one, `${path}.${one.name}`, variables))
    : [];
  return `${field.name}${given.length > 0 ? `(${given.join()})` : ''}${inner.length > 0 ? `{${inner.join(' ')}}` : ''}`;
}

interface Leaf {
  path: (string | number)[];
  scalar: string;
}

function leavesOf(type: GraphQLInputType, name: string, path: (string | number)[] = []): Leaf[] {
  if (isNonNullType(type)) return leavesOf(type.ofType, name, path);
  if (isListType(type)) return leavesOf(type.ofType, name, [...path, 0]);
  if (!isInputObjectType(type)) return isEnumType(type) ? [] : [{ path, scalar: type.name }];
  return Object.values(type.getFields()).flatMap((field) => leavesOf(field.type, field.name, [...path, field.name]));
}

export function valueOf(type: GraphQLInputType, name: string, known: Known, isRequired = false): unknown {
  if (Object.hasOwn(known, name)) return known[name];
  if (isNonNullType(type)) return valueOf(type.ofType, name, known, true);
  if (!isRequired) return undefined;
  if (isListType(type)) return [valueOf(type.ofType, name, known, true)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (!isInputObjectType(type)) return OF_TYPE[type.name];
  const fields = Object.values(type.getFields()).map((field: GraphQLInputField) => [
    field.name,
    valueOf(field.type, field.name, known),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as unknown;
}

/** Returns a copy of a value with another one at a path, adding missing parents. */
function withValue(around: unknown, [key, ...path]: (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') return [withValue((around as unknown[] | undefined)?.[0], path, value)];
  const object = (around ?? {}) as Record<string, unknown>;
  return { ...object, [key]: withValue(object[key], path, value) };
}
