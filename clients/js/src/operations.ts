import { type Known, type Operation, type Selected, type Selection, writeDocument } from './selection.js';
import type { CallOptions, Transport } from './transport.js';

/** Types of an operation. */
interface Signature {
  variables: object;
  result: unknown;
  all: unknown;
  page?: true;
}

/** Description of an operation at run time. */
interface OperationEntry {
  kind: Operation;
  /** Schema type of each argument. */
  args: { readonly [name: string]: string };
  /** Fields to select by default. */
  all?: { readonly [field: string]: unknown };
  /** Path of the objects with an idempotency key: an argument, or a list in it. */
  key?: string;
  isRepeatable?: boolean;
  /** Paths of inputs that are written as text, such as `input.params`. */
  texts?: readonly string[];
}

export type OperationTable<O> = { readonly [N in keyof O]: OperationEntry };

type Element<F> = NonNullable<F> extends readonly (infer E)[] ? E : NonNullable<F>;
type Given<V> = {} extends V ? [variables?: V] : [variables: V];

/** Calls an operation. Without a selection it returns all fields except those with arguments, such as signed URLs. */
interface Method<V, R, A> {
  (...given: [...Given<V>, selection?: undefined, options?: CallOptions]): Promise<Selected<R, A>>;
  <const S extends Selection<Element<R>>>(
    variables: V | ({} extends V ? undefined : never),
    selection: S & Known<S, Element<R>>,
    options?: CallOptions,
  ): Promise<Selected<R, S>>;
}

type ItemOf<R> = R extends { items: readonly (infer I)[] } ? I : never;
type AllOf<A> = A extends { items: infer I } ? I : never;

/** Iterates over all pages of a list and yields its items. The selection is that of an item. */
interface Walk<V, R, A> {
  (
    variables?: Omit<V, 'nextToken'>,
    selection?: undefined,
    options?: CallOptions,
  ): AsyncGenerator<Selected<ItemOf<R>, AllOf<A>>, void>;
  <const S extends Selection<ItemOf<R>>>(
    variables: Omit<V, 'nextToken'> | undefined,
    selection: S & Known<S, ItemOf<R>>,
    options?: CallOptions,
  ): AsyncGenerator<Selected<ItemOf<R>, S>, void>;
}

/** A service: a method for each operation of its schema, and `allX` for each operation X that returns pages. */
export type Service<O> = {
  readonly [N in keyof O]: O[N] extends Signature ? Method<O[N]['variables'], O[N]['result'], O[N]['all']> : never;
} & {
  readonly [N in keyof O as O[N] extends { page: true } ? `all${Capitalize<string & N>}` : never]: O[N] extends Signature
    ? Walk<O[N]['variables'], O[N]['result'], O[N]['all']>
    : never;
};

type Variables = { readonly [name: string]: unknown };
type Fields = { readonly [name: string]: unknown };
interface Page {
  items: readonly unknown[];
  nextToken: string | null;
}

/** Creates the methods of a service. */
export function serviceOf<O>(transport: Transport, service: string, table: OperationTable<O>): Service<O> {
  const methods: { [name: string]: unknown } = {};
  for (const [name, entry] of Object.entries<OperationEntry>(table)) {
    const call = (variables: Variables = {}, selection?: Fields, options?: CallOptions) =>
      run(transport, service, { name, entry, variables, selection, options });
    methods[name] = call;
    if (entry.all?.['items']) methods[`all${name[0]!.toUpperCase()}${name.slice(1)}`] = walker(call);
  }
  return methods as Service<O>;
}

interface Call {
  name: string;
  entry: OperationEntry;
  variables: Variables;
  selection: Fields | undefined;
  options: CallOptions | undefined;
}

async function run(
  transport: Transport,
  service: string,
  { name, entry, variables, selection, options }: Call,
): Promise<unknown> {
  const given = Object.keys(variables).filter((argument) => variables[argument] !== undefined);
  const unknown = given.find((argument) => !(argument in entry.args));
  if (unknown) throw new TypeError(`${name} takes no ${unknown}; it takes ${Object.keys(entry.args).join(', ') || 'nothing'}`);
  const query = writeDocument(entry.kind, name, entry.args, given, selection ?? entry.all);
  const sent = withKeys(entry, withTexts(entry, variables));
  const request = { query, variables: sent, isRepeatable: entry.isRepeatable ?? false };
  const answer = await transport.send(service, request, options);
  return answer[name];
}

type Change = (object: Variables) => Variables;

/** Adds an idempotency key to every object without one, so that the operation can be repeated. */
const withKey: Change = (object) => ({ ...object, idempotencyKey: object['idempotencyKey'] ?? crypto.randomUUID() });

/** Writes a value of an object as text: bytes as base64, other values as JSON. */
const withText =
  (name: string): Change =>
  (object) => {
    const value = object[name];
    return value === undefined || value === null ? object : { ...object, [name]: textOf(value) };
  };

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!ArrayBuffer.isView(value)) return JSON.stringify(value);
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')); // pages have no Buffer
}

/** Copies the arguments, with the objects at a path changed, including those in lists on the way. */
function changedAt(given: unknown, [name, ...inner]: readonly string[], change: Change): unknown {
  if (typeof given !== 'object' || given === null) return given;
  if (Array.isArray(given)) return given.map((one) => changedAt(one, name === undefined ? [] : [name, ...inner], change));
  const object = given as Variables;
  return name === undefined ? change(object) : { ...object, [name]: changedAt(object[name], inner, change) };
}

const withKeys = ({ key }: OperationEntry, variables: Variables): Variables =>
  key ? (changedAt(variables, key.split('.'), withKey) as Variables) : variables;

function withTexts({ texts = [] }: OperationEntry, variables: Variables): Variables {
  let all: unknown = variables;
  for (const text of texts) {
    const place = text.split('.');
    all = changedAt(all, place.slice(0, -1), withText(place.at(-1)!));
  }
  return all as Variables;
}

function walker(call: (variables: Variables, selection?: Fields, options?: CallOptions) => Promise<unknown>) {
  return async function* walk(
    variables: Variables = {},
    selection?: Fields,
    options?: CallOptions,
  ): AsyncGenerator<unknown, void> {
    const fields = selection && { items: selection, nextToken: true };
    for (let nextToken: string | null = null; ;) {
      const page = (await call(nextToken ? { ...variables, nextToken } : variables, fields, options)) as Page;
      yield* page.items;
      nextToken = page.nextToken;
      if (nextToken === null) return;
    }
  };
}
