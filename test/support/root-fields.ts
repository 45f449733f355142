import { buildClientSchema, getIntrospectionQuery, type GraphQLField } from 'graphql';
import type { Service } from '../../src/common/auth/scopes.js';
import type { Api } from './api.js';
import { type Known, selectionOf, valueOf, type Variable } from './schema-walk.js';

/** Values for arguments of root fields, and nested ones, by name. */
type KnownArguments = (field: string, args: string[]) => Known;

/** Builds one request with every argument of a root field, under any number of aliases. */
export interface RootField {
  service: Service;
  name: string;
  kind: 'query' | 'mutation';
  request(aliases: number): { query: string; variables: Record<string, unknown> };
}

/** Returns every root field of a service. */
export async function rootFieldsOf(api: Api, known: KnownArguments): Promise<RootField[]> {
  const schema = buildClientSchema((await api.ask(getIntrospectionQuery())) as never);
  return (['query', 'mutation'] as const).flatMap((kind) => {
    const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(type?.getFields() ?? {}).map((field) => rootField(api.service as Service, kind, field, known));
  });
}

function rootField(
  service: Service,
  kind: RootField['kind'],
  field: GraphQLField<unknown, unknown>,
  known: KnownArguments,
): RootField {
  const variables: Variable[] = [];
  const selected = selectionOf(field, field.name, variables);
  const declared = variables.map(({ name, type }) => `$${name}:${String(type)}`).join();
  return {
    service,
    name: field.name,
    kind,
    request: (aliases) => {
      const fields = Array.from({ length: aliases }, (_, at) => `a${at}:${selected}`).join(' ');
      const values = known(
        field.name,
        field.args.map(({ name }) => name),
      );
      return {
        query: `${kind}${declared && `(${declared})`}{${fields}}`,
        variables: Object.fromEntries(variables.map((one) => [one.name, valueOf(one.type, one.path.split('.').at(-1)!, values)])),
      };
    },
  };
}
