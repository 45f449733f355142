// node clients/js/scripts/generate.mjs: writes src/generated from schema/*.graphql, one file per service: the types of its schema, and
// a table of its operations, from which the client builds documents at run time.
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
  textPlacesOf,
  typeName,
} from './schemas.mjs';

const SCALARS = {
  ID: 'string',
  String: 'string',
  DateTime: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  Name: 'string | { [languageTag: string]: string }',
};

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

const comment = (text, indent = '') => (text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n` : '');
const constantOf = (type) => `ALL_OF_${typeName(type)}`;

const variableOf = (field, type) => `${field.name}${isNonNullType(field.type) ? '' : '?'}: ${inputTypeOf(field, type)}`;
const argumentsOf = ({ args }) => args.map((argument) => variableOf(argument)).join('; ');
const takesArguments = (type) => Object.values(type.getFields()).some(({ args }) => args.length > 0);

rmSync(at('../src/generated/'), { recursive: true, force: true });
mkdirSync(at('../src/generated/'), { recursive: true });
const services = readServices();
writeFileSync(at('../src/generated/services.ts'), servicesModule());
for (const service of services) writeFileSync(at(`../src/generated/${service.name}.ts`), moduleOf(service));

function servicesModule() {
  const entries = Object.entries(SERVICES).map(([name, service]) => `  ${name}: '${service}',\n`);
  const events = eventServicesOf(services).map(([name, service]) => `  ${name}: '${service}',\n`);
  return `// Made from schema/*.graphql and scripts/schemas.mjs by scripts/generate.mjs.\n/** The path of each service, by its name in this client. */
export const SERVICES = {\n${entries.join('')}} as const;\n
export type ServiceName = (typeof SERVICES)[keyof typeof SERVICES];\n
/** The service of each event, by the event's name. */
export const EVENT_SERVICES = {\n${events.join('')}} as const;\n
/** An event of any service. */
export type EventName = keyof typeof EVENT_SERVICES;\n`;
}

function moduleOf({ service, enums, inputs, objects, operations, events }) {
  const answers = new Set(operations.map(({ field }) => getNamedType(field.type)));
  return [
    `// Made from schema/${service}.graphql by scripts/generate.mjs.`,
    ...(objects.some(takesArguments) ? [`import type { Takes } from '../selection.js';`] : []),
    `import type { OperationTable } from '../operations.js';\n`,
    ...enums.map(enumOf),
    ...inputs.map(inputOf),
    ...objects.map(objectOf),
    ...objects
      .filter((type) => answers.has(type))
      .map((type) => `const ${constantOf(type)} = ${written(selectionOf(type))} as const;`),
    `\nexport interface Operations {\n${operations.map(signatureOf).join('\n')}\n}`,
    ...(events.length > 0 ? [eventObjectsOf(events)] : []),
    `\nexport const SERVICE = '${service}';`,
    `export const OPERATIONS: OperationTable<Operations> = {\n${operations.map(entryOf).join('\n')}\n};\n`,
  ].join('\n');
}

function eventObjectsOf(events) {
  const entries = events.map(({ type, description, object }) => `${comment(description, '  ')}  '${type}': ${typeName(object)};`);
  return `\n/** The object of each event, by its type. */\nexport interface EventObjects {\n${entries.join('\n')}\n}`;
}

function enumOf(type) {
  const values = type.getValues().map(({ name }) => `'${name}'`);
  return `${comment(type.description)}export type ${typeName(type)} = ${values.join(' | ')};\n`;
}

function inputOf(type) {
  const fields = Object.values(type.getFields()).map(
    (field) => `${comment(field.description, '  ')}  ${variableOf(field, type)};`,
  );
  return `${comment(type.description)}export interface ${typeName(type)} {\n${fields.join('\n')}\n}\n`;
}

function inputTypeOf(field, type) {
  const taken = takenAsText(type, field);
  const bare = taken ? `string | ${taken}` : bareInput(getNullableType(field.type));
  return `${taken === 'unknown' ? taken : bare}${isNonNullType(field.type) ? '' : ' | null'}`;
}

/** Accepts one element in place of a list of one, as GraphQL does. */
function bareInput(type) {
  if (!isListType(type)) return type.name === 'DateTime' ? 'string | Date' : bareType(type);
  const element = bareInput(getNullableType(type.ofType));
  return `${element} | readonly (${element})[]`;
}

/**
 * Declares list elements as never null: the server rejects such input, and an answer with one has an error, which the client throws.
 */
function bareType(type) {
  if (isListType(type)) return `readonly (${bareType(getNullableType(type.ofType))})[]`;
  return isScalarType(type) ? SCALARS[type.name] : typeName(type);
}

function objectOf(type) {
  const fields = Object.values(type.getFields()).map((field) => {
    const result = `${bareType(getNullableType(field.type))}${isAlways(type, field) ? '' : ' | null'}`;
    const { args } = field;
    const taken = args.length > 0 ? `Takes<{ ${argumentsOf(field)} }, ${result}>` : result;
    return `${comment(field.description, '  ')}  ${field.name}: ${taken};`;
  });
  const name = typeName(type);
  return `${comment(type.description)}export interface ${name} {\n  readonly __typename: '${type.name}';\n${fields.join('\n')}\n}\n`;
}

function written(selection) {
  const entries = Object.entries(selection).map(([name, wanted]) => `${name}: ${wanted === true ? true : written(wanted)}`);
  return `{ ${entries.join(', ')} }`;
}

function signatureOf({ name, field, isNullable, isPage }) {
  const named = getNamedType(field.type);
  const variables = field.args.length > 0 ? `{ ${argumentsOf(field)} }` : 'Record<string, never>';
  const result = `${bareType(getNullableType(field.type))}${isNullable ? ' | null' : ''}`;
  const all = isObjectType(named) ? `typeof ${constantOf(named)}` : 'undefined';
  const page = isPage ? `; page: true` : '';
  return `${comment(field.description, '  ')}  ${name}: { variables: ${variables}; result: ${result}; all: ${all}${page} };`;
}

function entryOf({ name, field, kind, key, isRepeatable }) {
  const named = getNamedType(field.type);
  const texts = textPlacesOf(field);
  const args = field.args.map((argument) => `${argument.name}: '${argument.type}'`);
  const entry = [
    `kind: '${kind}'`,
    `args: { ${args.join(', ')} }`,
    ...(isObjectType(named) ? [`all: ${constantOf(named)}`] : []),
    ...(key ? [`key: '${key}'`] : []),
    ...(isRepeatable ? ['isRepeatable: true'] : []),
    ...(texts.length > 0 ? [`texts: [${texts.map((place) => `'${place}'`).join(', ')}]`] : []),
  ];
  return `  ${name}: { ${entry.join(', ')} },`;
}
