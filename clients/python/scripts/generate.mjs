// node clients/python/scripts/generate.mjs: writes src/platform_services/types from schema/*.graphql, one module per service: its types
// as dataclasses and enums, and a class with a method for each of its operations.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getNamedType, getNullableType, isListType, isNonNullType, isObjectType, isScalarType } from 'graphql';
import {
  eventServicesOf,
  isAlways,
  readServices,
  SERVICES,
  selectionOf,
  takenAsText,
  typeName,
} from '../../js/scripts/schemas.mjs';
import { snake } from '../../js/scripts/words.mjs';

/** Scalars with different types in inputs and in answers. */
const TAKEN = { DateTime: 'typing.Union[str, datetime.datetime]', Name: 'typing.Union[str, typing.Dict[str, str]]' };
/** Types that text inputs accept besides a text. */
const TEXTS = {
  object: 'typing.Union[str, typing.Mapping[str, typing.Any]]',
  unknown: 'Json',
  Uint8Array: 'typing.Union[str, bytes]',
  Date: TAKEN.DateTime,
};
const SCALARS = {
  ...TAKEN,
  ID: 'str',
  String: 'str',
  DateTime: 'datetime.datetime',
  Int: 'int',
  Float: 'float',
  Boolean: 'bool',
};
const KEYWORDS = new Set([
  'and', 'as', 'assert', 'async', 'await', 'break', 'class', 'continue', 'def', 'del', 'elif', 'else', 'except', 'finally', 'for',
  'from', 'global', 'if', 'import', 'in', 'is', 'lambda', 'nonlocal', 'not', 'or', 'pass', 'raise', 'return', 'self', 'try',
  'while', 'with', 'yield',
]); // prettier-ignore

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const nameOf = (name) => (KEYWORDS.has(snake(name)) ? `${snake(name)}_` : snake(name));
const className = (name) => `${name[0].toUpperCase()}${name.slice(1)}Operations`;
const text = (value) => JSON.stringify(value);
const doc = (description, indent = '    ') => {
  const words = (description ?? '').replaceAll(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"""', "'''");
  return words ? `${indent}"""${words.endsWith('"') ? `${words} ` : words}"""\n` : '';
};
const docOfField = (description) => (description ? `\n${doc(description).trimEnd()}` : '');
/** Rejects repeated member names, of which Python would use only the last. */
function unique(names, where) {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`${where} has two names ${twice}`);
  return names;
}

function moduleOf({ name, service, enums, inputs, objects, operations }) {
  const classOf = (face) => [
    `\n\nclass ${face.name}${className(name)}(${face.name}Service):\n    """The operations of ${service}."""\n\n    _SERVICE = ${text(service)}\n`,
    ...operations.flatMap((operation) => [methodOf(operation, face), ...(operation.isPage ? [walkOf(operation, face)] : [])]),
  ];
  const written = inputs.map(inputOf).join('\n');
  return [
    `"""Types and operations of ${service}. Made from schema/${service}.graphql by scripts/generate.mjs."""\n`,
    'from __future__ import annotations\n',
    'import datetime\nimport typing\nfrom dataclasses import dataclass\n',
    `from ..operations import UNSET, AsyncService, Choice, Input, ${written.includes('Json') ? 'Json, ' : ''}Operation, Record, Service\n\n`,
    ...enums.map(enumOf),
    written,
    ...objects.map(objectOf),
    `_TYPES = {${[...enums, ...objects].map((type) => `${text(typeName(type))}: ${typeName(type)}`).join(', ')}}\n`,
    ...operations.map(entryOf),
    ...classOf({ name: '', def: 'def', result: (item) => `typing.Iterator[${item}]`, wait: '' }),
    ...classOf({ name: 'Async', def: 'async def', result: (item) => `typing.AsyncIterator[${item}]`, wait: 'await ' }),
  ].join('\n');
}

function enumOf(type) {
  const values = type.getValues();
  const names = unique(values.map((value) => snake(value.name).toUpperCase()), type.name); // prettier-ignore
  const members = values.map(({ name, description }, index) => `    ${names[index]} = ${text(name)}${docOfField(description)}`);
  return `class ${typeName(type)}(Choice):\n${doc(type.description)}\n${members.join('\n')}\n\n`;
}

function inputOf(type) {
  const fields = Object.values(type.getFields());
  unique(fields.map(({ name }) => nameOf(name)), type.name); // prettier-ignore
  // Python requires parameters with a default to come last.
  const ordered = [...fields.filter(isRequired), ...fields.filter((field) => !isRequired(field))];
  const lines = ordered.map((field) => `    ${nameOf(field.name)}: ${fieldType(type, field)}${isRequired(field) ? '' : ' = UNSET'}${docOfField(field.description)}`); // prettier-ignore
  const json = fields
    .filter((field) => ['object', 'unknown'].includes(takenAsText(type, field)))
    .map(({ name }) => text(nameOf(name)));
  const asJson = json.length > 0 ? `\n    JSON = frozenset((${json.join(', ')},))` : '';
  const wire = fields.map(({ name }) => `${text(nameOf(name))}: ${text(name)}`);
  return `@dataclass\nclass ${typeName(type)}(Input):\n${doc(type.description)}\n${lines.join('\n')}\n\n    WIRE: typing.ClassVar[typing.Dict[str, str]] = {${wire.join(', ')}}${asJson}\n\n`;
}

function objectOf(type) {
  const fields = Object.values(type.getFields());
  unique(fields.map(({ name }) => nameOf(name)), type.name); // prettier-ignore
  const lines = fields.map((field) => `    ${nameOf(field.name)}: ${givenType(field.type, isAlways(type, field))}${docOfField(field.description)}`); // prettier-ignore
  const wire = fields.map(({ name, type: fieldType }) => `${text(name)}: (${text(nameOf(name))}, ${madeOf(fieldType)})`);
  return `@dataclass(repr=False, eq=False)\nclass ${typeName(type)}(Record):\n${doc(type.description)}\n${lines.join('\n')}\n\n    WIRE: typing.ClassVar[typing.Dict[str, typing.Tuple[str, typing.Optional[str]]]] = {${wire.join(', ')}}\n\n`;
}

const isRequired = ({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined;

/** Returns the class from which a value of the type is created. Scalars other than times are unchanged. */
function madeOf(type) {
  const named = getNamedType(type);
  return isScalarType(named) && named.name !== 'DateTime' ? 'None' : text(typeName(named));
}

/** Returns the type of an input field; some texts can be given as values. */
function fieldType(type, field) {
  const taken = TEXTS[takenAsText(type, field)];
  return taken ? (isNonNullType(field.type) ? taken : `typing.Optional[${taken}]`) : takenType(field.type);
}

/** Accepts one value in place of a list of one, as GraphQL does. */
function takenType(type) {
  const bare = getNullableType(type);
  const one = isListType(bare)
    ? many(takenType(getNullableType(bare.ofType)).replace(/^typing\.Optional\[(.*)\]$/, '$1'))
    : plain(bare);
  return isNonNullType(type) ? one : `typing.Optional[${one}]`;
}
const many = (one) => `typing.Union[${one}, typing.Sequence[${one}]]`;
const plain = (type) => (isScalarType(type) ? (TAKEN[type.name] ?? SCALARS[type.name]) : typeName(type));

/** Declares list elements as never null: an answer with one has an error, which is raised. */
function givenType(type, isThere) {
  const bare = getNullableType(type);
  const one = isListType(bare)
    ? `typing.List[${givenType(bare.ofType, true)}]`
    : isScalarType(bare)
      ? SCALARS[bare.name]
      : typeName(bare);
  return isThere ? one : `typing.Optional[${one}]`;
}

const constantOf = ({ name }) => `_${snake(name).toUpperCase()}`;

function entryOf(operation) {
  const { name, field, kind, key, isRepeatable, isPage } = operation;
  const named = getNamedType(field.type);
  const parts = [
    text(kind),
    text(name),
    `{${field.args.map((one) => `${text(nameOf(one.name))}: (${text(one.name)}, ${text(String(one.type))})`).join(', ')}}`,
    madeOf(field.type),
    `_TYPES`,
    isObjectType(named) ? text(written(selectionOf(named))) : 'None',
    isPage ? text(written(selectionOf(getNamedType(named.getFields().items.type)))) : 'None',
    key ? text(key) : 'None',
    isRepeatable ? 'True' : 'False',
  ];
  return `${constantOf(operation)} = Operation(${parts.join(', ')})`;
}

const written = (selection) =>
  Object.entries(selection).map(([name, wanted]) => (wanted === true ? name : `${name} { ${written(wanted)} }`)).join(' '); // prettier-ignore

/** Writes the parameters. The input, else the only argument, else the only required one is positional; others are keyword-only. */
function parametersOf(args, rest) {
  const required = args.filter(isRequired);
  const first =
    args.find(({ name }) => name === 'input') ?? (args.length === 1 ? args[0] : required.length === 1 ? required[0] : undefined);
  const declare = (one) => `${nameOf(one.name)}: ${takenType(one.type)}${isRequired(one) ? '' : ' = UNSET'}`;
  const others = [...required, ...args.filter((one) => !isRequired(one))].filter((one) => one !== first).map(declare);
  const named = [...others, ...rest];
  return ['self', ...(first ? [declare(first)] : []), ...(named.length > 0 ? ['*', ...named] : [])].join(', ');
}

const passed = (args) => `{${args.map(({ name }) => `${text(nameOf(name))}: ${nameOf(name)}`).join(', ')}}`;
const selecting = (field) => isObjectType(getNamedType(field.type));

function methodOf(operation, face) {
  const { name, field, isNullable } = operation;
  const rest = selecting(field) ? ['select: typing.Optional[str] = None'] : [];
  const result = givenType(getNullableType(field.type), !isNullable);
  const select = selecting(field) ? 'select' : 'None';
  return `    ${face.def} ${nameOf(name)}(${parametersOf(field.args, rest)}) -> ${result}:\n${doc(field.description, '        ')}        return ${face.wait}self._call(${constantOf(operation)}, ${passed(field.args)}, ${select})\n`;
}

function walkOf(operation, face) {
  const { name, field } = operation;
  const args = field.args.filter((one) => one.name !== 'nextToken');
  const item = typeName(getNamedType(getNamedType(field.type).getFields().items.type));
  const signature = parametersOf(args, ['select: typing.Optional[str] = None']);
  return `    def all_${nameOf(name)}(${signature}) -> ${face.result(item)}:\n        """Yields the items of all pages of ${nameOf(name)}, asking for one page at a time; select is that of an item."""\n        return self._walk(${constantOf(operation)}, ${passed(args)}, select)\n`;
}

/** Writes the class of each event's object. */
function eventsModuleOf(services) {
  const all = services.flatMap(({ name, service, events }) =>
    events.map(({ type, object }) => [`/${service} ${type}`, `${name}.${typeName(object)}`]),
  );
  const names = [...new Set(services.filter(({ events }) => events.length > 0).map(({ name }) => name))].sort();
  const objects = [...new Set(all.map(([, object]) => object))].sort();
  return `"""The objects of events of webhooks. Made from schema/*.graphql by scripts/generate.mjs."""

from __future__ import annotations

import typing

from ..operations import Record
from . import ${names.join(', ')}

EventObject = typing.Union[${objects.join(', ')}]

# The service of each event, by the event's name.
SERVICES: typing.Dict[str, str] = {
${eventServicesOf(services)
  .map(([name, service]) => `    ${text(name)}: ${text(service)},`)
  .join('\n')}
}

# By source and type.
OBJECTS: typing.Dict[str, typing.Type[Record]] = {
${all.map(([key, object]) => `    ${text(key)}: ${object},`).join('\n')}
}
`;
}

const INDEX = `"""The types of each service: the inputs, the objects of answers, and the enums of its schema."""

from . import ${Object.keys(SERVICES).sort().join(', ')}

__all__ = [${Object.keys(SERVICES).sort().map(text).join(', ')}]
`;

const folder = at('../src/platform_services/types/');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}__init__.py`, INDEX);
const services = readServices();
for (const service of services) writeFileSync(`${folder}${service.name}.py`, moduleOf(service));
writeFileSync(`${folder}events.py`, eventsModuleOf(services));
