import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { AppError, badInput } from '../common/base/app-error.js';

type Declared = GraphQLArgument | GraphQLInputField;

/** Parameter in the path or query of a route. */
export interface Parameter {
  /** Name in the URL, such as `createdAt.from`. */
  name: string;
  in: 'path' | 'query';
  /** Place of its value in the variables, such as `filter`, `createdAt`, `from`. */
  place: readonly string[];
  declared: Declared;
  isRequired: boolean;
}

/** Parameter that selects the fields of an answer. Its place is no variable. */
export const FIELDS: Parameter = {
  name: 'fields',
  in: 'query',
  place: ['$fields'],
  declared: {
    name: 'fields',
    type: GraphQLString,
    description:
      'Fields of the answer, or of the items of a page, separated by commas; those of objects behind a dot, such as ' +
      'id,author.name. By default all scalars and small objects.',
    defaultValue: undefined,
    deprecationReason: undefined,
    extensions: {},
    astNode: undefined,
  },
  isRequired: false,
};

const INT = { smallest: -(2 ** 31), largest: 2 ** 31 - 1 };

/**
 * Returns query parameters for arguments. Fields of objects become parameters of their own, those of `filter` under their plain name,
 * others behind that of their object. Lists are repeated. A list of objects cannot be a parameter.
 */
export function queryParameters(args: readonly Declared[], place: readonly string[] = [], prefix = ''): Parameter[] {
  return args.flatMap((declared) => {
    const here = [...place, declared.name];
    const name = `${prefix}${declared.name}`;
    const type = getNullableType(declared.type);
    if (isInputObjectType(type)) return queryParameters(Object.values(type.getFields()), here, isFilter(here) ? '' : `${name}.`);
    if (isInputObjectType(getNamedType(type))) return [];
    return [{ name, in: 'query', place: here, declared, isRequired: isNonNullType(declared.type) && place.length === 0 }];
  });
}

const isFilter = (place: readonly string[]): boolean => place.length === 1 && ['filter', 'input'].includes(place[0]!);

/** Reads parameters into variables. @throws BAD_USER_INPUT naming the parameter that is unknown, missing, repeated or malformed */
export function readParameters(known: readonly Parameter[], given: URLSearchParams, variables: Record<string, unknown>): void {
  const byName = new Map(known.map((parameter) => [parameter.name, parameter]));
  for (const name of new Set(given.keys())) {
    const parameter = byName.get(name);
    if (!parameter) throw unknownParameter(name, known);
    setAt(variables, parameter.place, valueOf(parameter, given.getAll(name)));
  }
  for (const { name, isRequired } of known) {
    if (isRequired && !given.has(name)) throw badInput(name, 'is required');
  }
}

function unknownParameter(name: string, known: readonly Parameter[]): AppError {
  const names = known.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name);
  const offered = names.length > 0 ? `the parameters are ${names.join(', ')}` : 'there are no parameters';
  const shown = name.slice(0, 100).toWellFormed();
  return badInput(shown, `is no parameter of this route; ${offered}`);
}

/** Sets a value in variables. Parents are created without a prototype, since their names come from the schema alone. */
export function setAt(variables: Record<string, unknown>, place: readonly string[], value: unknown): void {
  const [last, ...parents] = place.toReversed();
  let parent = variables;
  for (const name of parents.reverse()) parent = (parent[name] ??= {}) as Record<string, unknown>;
  parent[last!] = value;
}

function valueOf({ name, declared }: Parameter, texts: string[]): unknown {
  const type = getNullableType(declared.type);
  if (isListType(type)) return texts.map((text) => leafOf(name, type.ofType as GraphQLInputType, text));
  if (texts.length > 1) throw badInput(name, 'can be given once only');
  return leafOf(name, type, texts[0]!);
}

/** Reads a value of a scalar or enum. The scalars of this project read their own texts. */
function leafOf(name: string, declared: GraphQLInputType, text: string): unknown {
  const type = getNamedType(declared);
  if (isEnumType(type)) {
    const names = type.getValues().map((value) => value.name);
    if (!names.includes(text)) throw badInput(name, `must be one of ${names.join(', ')}`);
    return text;
  }
  if (type.name === 'Boolean') {
    if (text !== 'true' && text !== 'false') throw badInput(name, 'must be true or false');
    return text === 'true';
  }
  if (type.name === 'Int') {
    const value = Number(text);
    if (/^-?\d{1,10}$/.test(text) && value >= INT.smallest && value <= INT.largest) return value;
    throw badInput(name, `must be a whole number from ${INT.smallest} to ${INT.largest}`);
  }
  if (type.name === 'Float') {
    if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))) return Number(text);
    throw badInput(name, 'must be a number');
  }
  return text;
}
