import { PlatformError } from './errors.js';
import type { Operation } from './selection.js';
import type { Transport } from './transport.js';

type Fields = { readonly [name: string]: unknown };

/** The fields of each type that a service has, with the type that a field returns. */
type Types = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface TypeNode {
  name: string | null;
  ofType?: TypeNode | null;
}
interface Schema {
  types: { name: string; fields: { name: string; type: TypeNode }[] | null }[];
}

/** A type is at most a list in a list of what never is null. */
const QUERY =
  '{ __schema { types { name fields(includeDeprecated: true) { name type { name ofType { name ofType { name ofType { name } } } } } } } }';
const ROOTS = { query: 'Query', mutation: 'Mutation' };
/** A server can be updated while its clients run. */
const READ_AGAIN_MS = 10 * 60_000;

/** Keeps a newer client working with a service of an older server: it asks for the fields that the server has. */
export class OlderServer {
  private types: Types | undefined;
  private validUntilMs = 0;

  constructor(
    private readonly transport: Transport,
    private readonly service: string,
  ) {}

  /** Asks for all fields of an operation, or for those of them that the server has. */
  async ask<T>(kind: Operation, name: string, all: Fields, send: (fields: Fields) => Promise<T>): Promise<T> {
    const isKnown = this.types && Date.now() < this.validUntilMs;
    const sent = isKnown ? fieldsOf(this.types!, kind, name, all) : all;
    try {
      return await send(sent);
    } catch (error) {
      // Nothing was done of an operation that is not valid.
      if (!(error instanceof PlatformError && error.code === 'GRAPHQL_VALIDATION_FAILED')) throw error;
      const fields = fieldsOf(await this.read(), kind, name, all);
      if (JSON.stringify(fields) === JSON.stringify(sent)) throw error; // the fields are not what it refused
      return send(fields);
    }
  }

  private async read(): Promise<Types> {
    const answer = await this.transport.send(this.service, { query: QUERY, variables: {}, isRepeatable: true });
    const { types } = answer['__schema'] as Schema;
    this.validUntilMs = Date.now() + READ_AGAIN_MS;
    return (this.types = new Map(types.map((type) => [type.name, returned(type.fields ?? [])])));
  }
}

const returned = (fields: NonNullable<Schema['types'][number]['fields']>) =>
  new Map(fields.map(({ name, type }) => [name, innermost(type)]));

const innermost = ({ name, ofType }: TypeNode): string => (ofType ? innermost(ofType) : (name ?? ''));

/** Returns the fields that the server has, or all of an operation that it does not know, which it then refuses by name. */
function fieldsOf(types: Types, kind: Operation, name: string, all: Fields): Fields {
  const type = types.get(ROOTS[kind])?.get(name);
  return (type ? kept(types, type, all) : undefined) ?? all;
}

function kept(types: Types, type: string, fields: Fields): Fields | undefined {
  const known = types.get(type);
  const entries = Object.entries(fields).flatMap(([name, wanted]) => {
    const inner = known?.get(name);
    if (inner === undefined) return [];
    const value = wanted === true ? true : kept(types, inner, wanted as Fields);
    return value === undefined ? [] : [[name, value] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
