// Operations derived from the printed schemas, which include later ones automatically: every argument filled, every field selected,
// with the maximum number of aliases.
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

const FOLDER = new URL('../../schema/', import.meta.url);
const MAX_DEPTH = 3;
const STAMP = '2026-01-01T00:00:00Z';
const NO_ID = '00000000-0000-7000-8000-000000000000';

/** Values that are valid by type alone. Arguments with a meaning get their values from the data of the run. */
const BY_TYPE = { Int: 1_000, Float: 1, Boolean: true, String: 'text', ID: NO_ID, DateTime: STAMP, Name: { en: 'Name' } };

const schemaOf = (service) => buildSchema(readFileSync(new URL(`${service}.graphql`, FOLDER), 'utf8'));

/**
 * Returns operations of a service as `{ name, what, kind, field }`: each root field of `kinds` once with its required arguments and
 * once with all. Finds `values` by `service.name.path`, by `name.path` or by the end of the path; undefined omits an optional argument.
 */
export function operationsOf(service, values, mutations = []) {
  const schema = schemaOf(service);
  return ['Query', 'Mutation'].flatMap((kind) =>
    Object.values(schema.getType(kind).getFields())
      .filter(({ name }) => kind === 'Query' || mutations.includes(name))
      .flatMap((field) => {
        const selection = selectionOf(field.type, 0);
        const [needed, all] = ['needed', 'all'].map((form) => field.name + argumentsOf(service, field, form, values) + selection);
        const named = (text, form) => ({ service, kind, what: `${service} ${field.name}, ${form} arguments`, field: text });
        return [named(needed, 'needed'), ...(all === needed ? [] : [named(all, 'all')])];
      }),
  );
}

/** Repeats a root field under aliases in one document. */
export function aliased({ kind, field }, count) {
  const fields = Array.from({ length: count }, (_, i) => `a${i}:${field}`).join(' ');
  return `${kind.toLowerCase()}{${fields}}`;
}

function argumentsOf(service, field, form, values) {
  const written = field.args
    .filter(({ type }) => form === 'all' || isNonNullType(type))
    .map((arg) => [arg.name, literal(arg.type, [service, field.name, arg.name], values)])
    .filter(([, value]) => value !== undefined);
  return written.length === 0 ? '' : `(${written.map(([name, value]) => `${name}:${value}`).join(',')})`;
}

function literal(type, path, values, isNeeded = false) {
  const known = [path.join('.'), path.slice(1).join('.'), path.at(-1)].find((name) => Object.hasOwn(values, name));
  const value = known && values[known];
  if (value !== undefined) return written(value);
  if (known && !isNeeded && !isNonNullType(type)) return undefined;
  if (isNonNullType(type)) return literal(type.ofType, path, values, true);
  if (isListType(type)) return `[${literal(type.ofType, path, values)}]`;
  if (isEnumType(type)) return type.getValues()[0].name;
  if (!isInputObjectType(type)) return written(BY_TYPE[type.name] ?? 'text');
  const fields = Object.values(type.getFields())
    .map((field) => [field.name, literal(field.type, [...path, field.name], values)])
    .filter(([, value]) => value !== undefined);
  return `{${fields.map(([name, value]) => `${name}:${value}`).join(',')}}`;
}

/** Writes a value as GraphQL does. `{ $enum }` is a name without quotes. */
function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value.$enum) return value.$enum;
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}:${written(inner)}`)
    .join(',')}}`;
}

function selectionOf(type, depth) {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  const fields = Object.values(named.getFields()).filter(
    (field) => field.args.length === 0 && (depth < MAX_DEPTH || !isObjectType(getNamedType(field.type))),
  );
  return `{${fields.map((field) => field.name + selectionOf(field.type, depth + 1)).join(' ')}}`;
}
