import {
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { OperationKind } from '../../auth/scopes.js';
import { badInput } from '../../base/app-error.js';
import { listSizeOf } from '../../scheduling/list-size.js';

type Field = GraphQLField<unknown, unknown>;

/** Length of a list of objects above which an answer has it only if asked. */
const LONG_LIST = 1_000;

/** Selected fields by name, each with its own selected fields; none for a scalar. */
type Selected = Map<string, Selected>;

/** Returns the object type of a page of items, if a field returns one. */
export function pageOf(field: Field): GraphQLObjectType | undefined {
  const type = getNullableType(field.type);
  return isObjectType(type) && type.getFields().items && type.getFields().nextToken ? type : undefined;
}

/** Returns the type of the objects of an answer, which `fields` selects from: those of the items of a page. */
export function objectOf(field: Field): GraphQLObjectType | undefined {
  const type = getNamedType(pageOf(field)?.getFields().items!.type ?? field.type);
  return isObjectType(type) ? type : undefined;
}

/**
 * Returns the fields of an answer. By default, an answer has all scalars and small objects, which have scalars only. An answer that is
 * one object also has its other objects, and its lists of up to 1,000 objects.
 * @param fields comma-separated paths such as `id,author.name`, in place of the default
 * @throws BAD_USER_INPUT for a field that does not exist
 */
function selectionOf(field: Field, fields?: string): Selected {
  const page = pageOf(field);
  const type = objectOf(field);
  if (!type) return new Map();
  const isOne = !page && !isListType(getNullableType(field.type));
  const selected = fields === undefined ? byDefault(type, isOne) : named(type, fields);
  if (!page) return selected;
  return new Map([...byDefault(page, false), ['items', selected]]);
}

function byDefault(type: GraphQLObjectType, isOne: boolean): Selected {
  const selected: Selected = new Map();
  for (const field of Object.values(type.getFields())) {
    if (needsArguments(field)) continue;
    const inner = getNamedType(field.type);
    const isList = isListType(getNullableType(field.type));
    if (!isObjectType(inner)) selected.set(field.name, new Map());
    else if (isOne ? (listSizeOf(field)?.countedItems ?? 0) <= LONG_LIST : isSmall(inner) && !isList) {
      selected.set(field.name, byDefault(inner, false));
    }
  }
  return selected;
}

function isSmall(type: GraphQLObjectType): boolean {
  return Object.values(type.getFields()).every((field) => !isObjectType(getNamedType(field.type)));
}

const needsArguments = ({ args }: Field): boolean =>
  args.some(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);

function named(type: GraphQLObjectType, fields: string): Selected {
  const selected: Selected = new Map();
  for (const path of fields.split(',')) add(selected, type, path.split('.'));
  return selected;
}

function add(selected: Selected, type: GraphQLObjectType, [name = '', ...path]: string[]): void {
  const field = Object.hasOwn(type.getFields(), name) ? type.getFields()[name]! : undefined;
  if (!field || needsArguments(field)) throw unknownField(type, name);
  const inner = getNamedType(field.type);
  const within = selected.get(name) ?? new Map<string, Selected>();
  selected.set(name, within);
  if (isObjectType(inner)) {
    if (path.length > 0) add(within, inner, path);
    else for (const [each, below] of byDefault(inner, false)) within.set(each, below);
  } else if (path.length > 0) throw badInput('fields', `${name} has no fields of its own; name it alone`);
}

function unknownField(type: GraphQLObjectType, name: string) {
  const names = Object.values(type.getFields()).map((field) => field.name);
  return badInput(
    'fields',
    `${type.name} has no field ${JSON.stringify(name.slice(0, 100))}; its fields are ${names.join(', ')}`,
  );
}

/** Writes a selection as GraphQL. */
function selectionText(selected: Selected): string {
  if (selected.size === 0) return '';
  return `{${[...selected].map(([name, inner]) => name + selectionText(inner)).join(' ')}}`;
}

/** Recent documents of each root field, by selection. */
const documents = new WeakMap<Field, LRUCache<string, string>>();
const MAX_DOCUMENTS = 10;
const LONGEST_SELECTION = 500;

/**
 * Returns the document of a root field, with all of its arguments as variables of their names.
 * @throws BAD_USER_INPUT for a field that does not exist
 */
export function documentOf({ kind, field }: { kind: OperationKind; field: Field }, fields?: string): string {
  let recent = documents.get(field);
  if (!recent) documents.set(field, (recent = new LRUCache({ max: MAX_DOCUMENTS })));
  const name = fields ?? ''; // an empty selection is refused, so it is never stored
  const known = fields === '' ? undefined : recent.get(name);
  if (known !== undefined) return known;
  const text = written(kind, field, fields);
  if (name.length <= LONGEST_SELECTION) recent.set(name, text);
  return text;
}

function written(kind: OperationKind, field: Field, fields?: string): string {
  const selection = selectionText(selectionOf(field, fields));
  if (field.args.length === 0) return `${kind}{${field.name}${selection}}`;
  const declared = field.args.map(({ name, type }) => `$${name}:${String(type)}`);
  const passed = field.args.map(({ name }) => `${name}:$${name}`);
  return `${kind}(${declared.join()}){${field.name}(${passed.join()})${selection}}`;
}

/** Writes the names of all fields that a caller may select of the objects of an answer; undefined without objects. */
export function fieldNames(field: Field): string | undefined {
  const type = objectOf(field);
  return type && namesOf(type, []);
}

function namesOf(type: GraphQLObjectType, outer: readonly GraphQLObjectType[]): string {
  const names = Object.values(type.getFields()).map((field) => {
    const inner = getNamedType(field.type);
    if (needsArguments(field)) return '';
    if (!isObjectType(inner)) return field.name;
    return [type, ...outer].includes(inner) ? '' : `${field.name}{${namesOf(inner, [type, ...outer])}}`;
  });
  return names.filter(Boolean).join(' ');
}
