import { Injectable } from '@nestjs/common';
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInputObjectType,
  isNonNullType,
} from 'graphql';
import { type OperationKind, type Service, SERVICES } from '../common/auth/scopes.js';
import { Operations } from '../common/graphql/operations.js';
import { FIELDS, type Parameter, queryParameters } from './parameters.js';
import { type Method, operationIdOf, routeOf } from './route-naming.js';
import { objectOf } from '../common/graphql/documents/selection.js';

/** Operation whose route also accepts content. */
const UPLOAD = 'createFile';

/** JSON body of a route: the argument `input`, or an object of all arguments that are not parameters. */
interface Body {
  kind: 'input' | 'arguments';
  /** Fields of the body, without those in the path; undefined for a list. */
  fields: readonly (GraphQLArgument | GraphQLInputField)[] | undefined;
  /** Set if the path has a field of the input. */
  isPartial: boolean;
  isRequired: boolean;
}

/** Operation of a service as a route. */
export interface RestOperation {
  service: Service;
  kind: OperationKind;
  field: GraphQLField<unknown, unknown>;
  /** Name that is unique over all services. */
  id: string;
  method: Method;
  /** Path below /v1, with parameters in braces. */
  path: string;
  /** Status of an answer: 201 if the operation adds an object. */
  status: 200 | 201;
  parameters: Parameter[];
  body?: Body;
  /** Set for the route that also accepts the content of a file, with the fields of the input as query parameters. */
  acceptsContent: boolean;
}

/** Operations of all services as routes. */
@Injectable()
export class RestOperations {
  private known?: readonly RestOperation[];

  constructor(private readonly operations: Operations) {}

  /** Call it once all schemas exist: when a server gets its routes, or later. */
  get all(): readonly RestOperation[] {
    return (this.known ??= restOperations((service) => this.operations.schemaOf(service)));
  }

  withId(id: string): RestOperation {
    return this.all.find((operation) => operation.id === id)!;
  }
}

/** Returns the operations of schemas as routes. */
function restOperations(schemaOf: (service: Service) => GraphQLSchema): RestOperation[] {
  const roots = SERVICES.flatMap((service) => {
    const schema = schemaOf(service);
    const fieldsOf = (kind: OperationKind, root: GraphQLObjectType | null | undefined) =>
      Object.values(root?.getFields() ?? {}).map((field) => ({ service, kind, field }));
    return [...fieldsOf('query', schema.getQueryType()), ...fieldsOf('mutation', schema.getMutationType())];
  });
  const uses = new Map<string, number>();
  for (const { field } of roots) uses.set(field.name, (uses.get(field.name) ?? 0) + 1);
  return roots.map((root) => operationOf({ ...root, isShared: uses.get(root.field.name) === SERVICES.length }));
}

function operationOf(named: Parameters<typeof routeOf>[0]): RestOperation {
  const { service, kind, field } = named;
  const { method, path, status } = routeOf(named);
  const inPath = [...path.matchAll(/\{([\w.]+)\}/g)].map(([, place]) => pathParameter(field, place!.split('.')));
  const taken = new Set(inPath.map(({ place }) => place.join('.')));
  const others = field.args.filter(({ name }) => !taken.has(name));
  const body = ['GET', 'DELETE'].includes(method) ? undefined : bodyOf(others, taken);
  const inBody = body?.kind === 'input' ? 'input' : undefined;
  const inQuery = body?.kind === 'arguments' ? [] : queryParameters(others.filter(({ name }) => name !== inBody));
  return {
    service,
    kind,
    field,
    id: operationIdOf(named),
    method,
    status,
    path: path.replaceAll(/\{(?:\w+\.)?(\w+)\}/g, (_, name: string) => `{${publicName(name)}}`),
    parameters: [...inPath, ...inQuery, ...(objectOf(field) ? [FIELDS] : [])],
    ...(body && { body }),
    acceptsContent: field.name === UPLOAD,
  };
}

/** The schemas have arguments named ID beside those named id. */
export const publicName = (name: string): string => (name === 'ID' ? 'id' : name);

function pathParameter(field: GraphQLField<unknown, unknown>, place: string[]): Parameter {
  const argument = field.args.find(({ name }) => name === place[0])!;
  const input = getNamedType(argument.type);
  const declared = place.length > 1 && isInputObjectType(input) ? input.getFields()[place[1]!]! : argument;
  return { name: publicName(place.at(-1)!), in: 'path', place, declared, isRequired: true };
}

function bodyOf(args: readonly GraphQLArgument[], taken: ReadonlySet<string>): Body | undefined {
  const input = args.find(({ name }) => name === 'input');
  if (!input) {
    const isRequired = args.some(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);
    return args.length > 0 ? { kind: 'arguments', fields: args, isPartial: false, isRequired } : undefined;
  }
  const type = isNonNullType(input.type) ? input.type.ofType : input.type;
  const fields = isInputObjectType(type)
    ? Object.values(type.getFields()).filter(({ name }) => !taken.has(`input.${name}`))
    : undefined;
  const isPartial = [...taken].some((place) => place.startsWith('input.'));
  return { kind: 'input', fields, isPartial, isRequired: isNonNullType(input.type) };
}
