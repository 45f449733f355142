/** A field with arguments, and its type. */
export interface Takes<A, R> {
  readonly __arguments: A;
  readonly __result: R;
}

type ObjectType = { readonly __typename: string };
type Element<F> = NonNullable<F> extends readonly (infer E)[] ? E : NonNullable<F>;

/** Fields of an object to return: `true`, the arguments of a field, or a selection of an object's fields. */
export type Selection<T> = {
  readonly [K in keyof T]?: T[K] extends Takes<infer A, unknown>
    ? true | A
    : Element<T[K]> extends ObjectType
      ? Selection<Element<T[K]>>
      : true;
};

/** Rejects names that the type does not have. */
export type Known<S, T> = {
  readonly [K in keyof S]: K extends keyof T
    ? T[K] extends Takes<unknown, unknown>
      ? S[K]
      : Element<T[K]> extends ObjectType
        ? Known<S[K], Element<T[K]>>
        : S[K]
    : never;
};

/** Type of a selection's result. */
export type Selected<F, S> =
  F extends Takes<unknown, infer R>
    ? R
    : F extends readonly (infer E)[]
      ? Selected<E, S>[]
      : F extends ObjectType
        ? { -readonly [K in keyof S & keyof F]: Selected<F[K], S[K]> }
        : F;

export type Operation = 'query' | 'mutation';
type Fields = { readonly [name: string]: unknown };

/** Writes the document of an operation with one root field. Types are those of the schema, such as `ID!`. */
export function writeDocument(
  kind: Operation,
  name: string,
  types: { readonly [argument: string]: string },
  given: readonly string[],
  fields?: Fields,
): string {
  const declared = given.map((argument) => `$${argument}: ${types[argument]}`).join(', ');
  const passed = given.map((argument) => `${argument}: $${argument}`).join(', ');
  const body = fields ? ` ${writeFields(fields)}` : '';
  return `${kind} ${name}${declared && `(${declared})`} { ${name}${passed && `(${passed})`}${body} }`;
}

function writeFields(fields: Fields): string {
  const written = Object.entries(fields).flatMap(([name, wanted]) => {
    if (wanted === true) return name;
    return wanted
      ? `${name}${isArguments(wanted as Fields) ? writeArguments(wanted as Fields) : ` ${writeFields(wanted as Fields)}`}`
      : [];
  });
  return `{ ${written.join(' ')} }`;
}

/** A selection has `true` and objects as values; arguments have neither. */
const isArguments = (wanted: Fields) => Object.values(wanted).every((value) => value !== true && typeof value !== 'object');

function writeArguments(given: Fields): string {
  const written = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${JSON.stringify(value)}`,
  );
  return written.length > 0 ? `(${written.join(', ')})` : '';
}
