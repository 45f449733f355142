import { PlatformError, UnsupportedError } from './errors.js';
import type { Operation } from './selection.js';
import type { Transport } from './transport.js';

type Fields = { readonly [name: string]: unknown };

/** The fields of each type that a service has, and the arguments of each field as those of `Type.field`, with the type of each. */
type Types = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface TypeNode {
  name: string | null;
  ofType?: TypeNode | null;
}
interface Named {
  name: string;
  type: TypeNode;
}
interface Schema {
  types: { name: string; fields: (Named & { args: Named[] })[] | null; inputFields: Named[] | null }[];
}

/** A call as it is asked for. */
export interface Asked {
  kind: Operation;
  name: string;
  fields: Fields | undefined;
  /** Whether the caller selected the fields. */
  isSelected: boolean;
  /** What the caller gave. */
  given: Fields;
  /** The same with idempotency keys of the client's own. */
  keyed: Fields;
}

/** A call as a server takes it. */
export interface Sent {
  fields: Fields | undefined;
  variables: Fields;
  /** Whether the server knows of the idempotency keys. */
  isKeyed: boolean;
}

/** A type is at most a list in a list of what never is null. */
const NAMED = 'name type { name ofType { name ofType { name ofType { name } } } }';
const QUERY = `{ __schema { types { name fields(includeDeprecated: true) { ${NAMED} args { ${NAMED} } } inputFields { ${NAMED} } } } }`;
const ROOTS = { query: 'Query', mutation: 'Mutation' };
/** A server can be updated while its clients run. */
const READ_AGAIN_MS = 10 * 60_000;

/** Keeps a newer client working with a service of an older server: it asks for what the server has, and says what it lacks. */
export class OlderServer {
  private types: Types | undefined;
  private validUntilMs = 0;

  constructor(
    private readonly transport: Transport,
    private readonly service: string,
  ) {}

  /**
   * Asks for all fields of an operation, or for those of them that the server has.
   * @throws UnsupportedError naming what the caller gave or selected that the server does not have
   */
  async ask<T>(asked: Asked, send: (sent: Sent) => Promise<T>): Promise<T> {
    const known = Date.now() < this.validUntilMs ? this.types : undefined;
    const sent = known ? suited(known, asked) : { fields: asked.fields, variables: asked.keyed, isKeyed: true };
    try {
      return await send(sent);
    } catch (error) {
      // Nothing was done of an operation that is not valid.
      if (!isOfUnknown(error)) throw error;
      const types = await this.read();
      const lacked = lackedOf(types, asked);
      if (lacked !== undefined) throw await this.unsupported(asked, lacked, error);
      const next = suited(types, asked);
      if (JSON.stringify(next) === JSON.stringify(sent)) throw error; // what it refused is something else
      return send(next);
    }
  }

  private async read(): Promise<Types> {
    const answer = await this.transport.send(this.service, { query: QUERY, variables: {}, isRepeatable: true });
    const { types } = answer['__schema'] as Schema;
    this.validUntilMs = Date.now() + READ_AGAIN_MS;
    return (this.types = new Map(
      types.flatMap(({ name, fields, inputFields }) => [
        [name, typed(fields ?? inputFields ?? [])] as const,
        ...(fields ?? []).map((field) => [`${name}.${field.name}`, typed(field.args)] as const),
      ]),
    ));
  }

  private async unsupported({ name }: Asked, lacked: string, cause: PlatformError): Promise<UnsupportedError> {
    // A key without queries may not ask for the version.
    const version = await this.transport
      .send(this.service, { query: '{ version }', variables: {}, isRepeatable: true })
      .then(({ version: text }) => String(text))
      .catch(() => undefined);
    const server = version === undefined ? 'The server' : `The server, version ${version},`;
    const what = lacked === name ? `${name}: update the server` : `${lacked} of ${name}: update the server, or leave it out`;
    const { status, requestId } = cause;
    return new UnsupportedError(cause.code, `${server} has no ${what}`, version, {
      field: lacked,
      mayHaveHappened: false,
      cause,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
    });
  }
}

const NO_ARGUMENTS: ReadonlyMap<string, string> = new Map();

/** Whether a server may have refused something because it does not know it. */
const isOfUnknown = (error: unknown): error is PlatformError =>
  error instanceof PlatformError &&
  (error.code === 'GRAPHQL_VALIDATION_FAILED' ||
    (error.code === 'BAD_USER_INPUT' && error.message.includes('is not defined by type')));

const typed = (named: readonly Named[]) => new Map(named.map(({ name, type }) => [name, innermost(type)]));

const innermost = ({ name, ofType }: TypeNode): string => (ofType ? innermost(ofType) : (name ?? ''));

/** Returns the call as a server takes it: with the fields that it has, and without idempotency keys where it takes none. */
function suited(types: Types, { kind, name, fields, isSelected, given, keyed }: Asked): Sent {
  const args = types.get(`${ROOTS[kind]}.${name}`);
  const isKeyed = !args || inputLacked(types, args, keyed) === undefined;
  return {
    fields: isSelected || !fields ? fields : fieldsOf(types, kind, name, fields),
    variables: isKeyed ? keyed : given,
    isKeyed,
  };
}

/** Returns the path of what a call has and the server does not, such as `input.accept`; the name of the operation, if it lacks that. */
function lackedOf(types: Types, { kind, name, fields, isSelected, given }: Asked): string | undefined {
  const root = ROOTS[kind];
  const type = types.get(root)?.get(name);
  const args = types.get(`${root}.${name}`);
  if (type === undefined || !args) return name;
  return inputLacked(types, args, given) ?? (isSelected && fields ? selectedLacked(types, type, fields) : undefined);
}

/** Looks through the objects and lists of an input. */
function inputLacked(types: Types, known: ReadonlyMap<string, string>, given: Fields): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const type = known.get(name);
    if (type === undefined) return name;
    const fields = types.get(type);
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const isObject = typeof one === 'object' && one !== null && !ArrayBuffer.isView(one) && !(one instanceof Date);
      const inner = isObject && fields?.size ? inputLacked(types, fields, one as Fields) : undefined;
      if (inner !== undefined) return `${name}.${inner}`;
    }
  }
  return undefined;
}

function selectedLacked(types: Types, type: string, fields: Fields): string | undefined {
  const known = types.get(type);
  for (const [name, wanted] of Object.entries(fields)) {
    if (!wanted) continue;
    const inner = known?.get(name);
    if (inner === undefined) return name;
    if (typeof wanted !== 'object') continue;
    const further = types.get(inner)?.size
      ? selectedLacked(types, inner, wanted as Fields)
      : inputLacked(types, types.get(`${type}.${name}`) ?? NO_ARGUMENTS, wanted as Fields);
    if (further !== undefined) return `${name}.${further}`;
  }
  return undefined;
}

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
