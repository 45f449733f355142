// node clients/js/scripts/generate.mjs: writes src/generated from schema/*.graphql, a file for each service: the types of its schema,
// and a table of its operations, from which the client makes documents at run time.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';

const SERVICES = {
  files: 'file-management',
  rendering: 'document-rendering',
  push: 'websockets-manager',
  log: 'document-log',
  email: 'email',
  admin: 'admin',
};
const SCALARS = {
  ID: 'string',
  String: 'string',
  DateTime: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  Name: 'string | { [languageTag: string]: string }',
};
/** Mutations that change nothing more when they come again. Those with an idempotency key can be repeated besides. */
const REPEATABLE = new Set([
  'cancelGlobalMessage',
  'cancelMessage',
  'completeMultipartUpload',
  'confirmWebhookDeliveries',
  'generatePartUploadUrl',
  'initiateMultipartUpload',
  'registerRecipient',
  'reportBounce',
  'rescheduleMessage',
  'rewindLogStream',
  'createEmailDomain',
  'createSuppressions',
  'rotateEmailDomainKeys',
]);
/** Fields that are always there, although the schema says otherwise; `items` of every page besides. */
const WITH_ID = [
  'File', 'Template', 'Css', 'Partial', 'Message', 'GlobalMessage', 'Connection', 'Log', 'EmailMessage', 'SendMessageResult', 'Webhook',
  'WebhookDelivery', 'LogStream',
]; // prettier-ignore
const ALWAYS = new Set(
  WITH_ID.map((type) => `${type}.id`).concat(
    'CreateLogBatchResult.results',
    'CreateLogResult.itemId',
    'FileFolder.name',
    'FileFolder.prefix',
    'MultipartUpload.parts',
    'MultipartUpload.uploadId',
    'PushMessageResult.results',
    'RegisterRecipientResponse.connectionUri',
    'RegisterRecipientResponse.token',
    'StorageSample.at',
    'StorageSample.fileCount',
    'StorageSample.fileSize',
    'Token.value',
    'UploadedPart.ETag',
    'UploadedPart.partNumber',
    'UploadedPart.size',
    'WebhookSecret.secret',
    'WebhookSecret.webhook',
  ),
);
/** Fields that can be large, and are loaded only where a selection names them. */
const ON_REQUEST = new Set(['EmailMessage.content', 'WebhookDelivery.body']);
const KEY = 'idempotencyKey';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

const comment = (text, indent = '') => (text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n` : '');
/** The type names of a schema may begin in lower case, and one is called Error. */
const typeName = ({ name }) => (name === 'Error' ? 'ErrorInfo' : name[0].toUpperCase() + name.slice(1));
const constantOf = (type) => `ALL_OF_${typeName(type)}`;

const inputTypeOf = (type) => `${bareType(getNullableType(type))}${isNonNullType(type) ? '' : ' | null'}`;
const variableOf = ({ name, type }) => `${name}${isNonNullType(type) ? '' : '?'}: ${inputTypeOf(type)}`;
/** A query for one thing is null for an unknown id. */
const isNullable = ({ root, field }) => root.name === 'Query' && !isListType(field.type) && !isPage(field);
const takesArguments = (type) => Object.values(type.getFields()).some(({ args }) => args.length > 0);
const isPage = ({ type, args }) =>
  args.some(({ name }) => name === 'nextToken') && isObjectType(type) && 'items' in type.getFields();

rmSync(at('../src/generated/'), { recursive: true, force: true });
mkdirSync(at('../src/generated/'), { recursive: true });
for (const [name, service] of Object.entries(SERVICES)) {
  const schema = buildSchema(readFileSync(at(`../../../schema/${service}.graphql`), 'utf8'));
  writeFileSync(at(`../src/generated/${name}.ts`), moduleOf(schema, service));
}

function moduleOf(schema, service) {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const objects = types.filter((type) => isObjectType(type) && !roots.includes(type));
  const operations = roots.flatMap((root) => Object.values(root.getFields()).map((field) => ({ root, field })));
  const answers = new Set(operations.map(({ field }) => getNamedType(field.type)));
  return [
    `// Made from schema/${service}.graphql by scripts/generate.mjs.`,
    ...(objects.some(takesArguments) ? [`import type { Takes } from '../selection.js';`] : []),
    `import type { OperationTable } from '../operations.js';\n`,
    ...types.filter(isEnumType).map(enumOf),
    ...types.filter(isInputObjectType).map(inputOf),
    ...objects.map(objectOf),
    ...objects.filter((type) => answers.has(type)).map((type) => `const ${constantOf(type)} = ${selectionOf(type)} as const;`),
    `\nexport interface Operations {\n${operations.map(signatureOf).join('\n')}\n}`,
    `\nexport const SERVICE = '${service}';`,
    `export const OPERATIONS: OperationTable<Operations> = {\n${operations.map(entryOf).join('\n')}\n};\n`,
  ].join('\n');
}

function enumOf(type) {
  const values = type.getValues().map(({ name }) => `'${name}'`);
  return `${comment(type.description)}export type ${typeName(type)} = ${values.join(' | ')};\n`;
}

function inputOf(type) {
  const fields = Object.values(type.getFields()).map((field) => `${comment(field.description, '  ')}  ${variableOf(field)};`);
  return `${comment(type.description)}export interface ${typeName(type)} {\n${fields.join('\n')}\n}\n`;
}

/** The elements of lists are never null: the server refuses such input, and an answer with one has an error, which is thrown. */
function bareType(type) {
  if (isListType(type)) return `readonly (${bareType(getNullableType(type.ofType))})[]`;
  return isScalarType(type) ? SCALARS[type.name] : typeName(type);
}

function objectOf(type) {
  const fields = Object.values(type.getFields()).map((field) => {
    const isAlways = isNonNullType(field.type) || ALWAYS.has(`${type.name}.${field.name}`) || field.name === 'items';
    const result = `${bareType(getNullableType(field.type))}${isAlways ? '' : ' | null'}`;
    const { args } = field;
    const taken = args.length > 0 ? `Takes<{ ${args.map(variableOf).join('; ')} }, ${result}>` : result;
    return `${comment(field.description, '  ')}  ${field.name}: ${taken};`;
  });
  const name = typeName(type);
  return `${comment(type.description)}export interface ${name} {\n  readonly __typename: '${type.name}';\n${fields.join('\n')}\n}\n`;
}

/** All fields but large ones and those with arguments, which are made for the call. A type that is in itself is left out at the second time. */
function selectionOf(type, outer = []) {
  const isAsked = ({ name, args }) => args.length === 0 && !ON_REQUEST.has(`${type.name}.${name}`);
  const fields = Object.values(type.getFields()).filter(isAsked);
  const entries = fields.flatMap(({ name, type: fieldType }) => {
    const named = getNamedType(fieldType);
    if (isLeafType(named)) return `${name}: true`;
    return [type, ...outer].includes(named) ? [] : `${name}: ${selectionOf(named, [type, ...outer])}`;
  });
  return `{ ${entries.join(', ')} }`;
}

function signatureOf({ root, field }) {
  const named = getNamedType(field.type);
  const variables = field.args.length > 0 ? `{ ${field.args.map(variableOf).join('; ')} }` : 'Record<string, never>';
  const result = `${bareType(getNullableType(field.type))}${isNullable({ root, field }) ? ' | null' : ''}`;
  const all = isObjectType(named) ? `typeof ${constantOf(named)}` : 'undefined';
  const page = isPage(field) ? `; page: true` : '';
  return `${comment(field.description, '  ')}  ${field.name}: { variables: ${variables}; result: ${result}; all: ${all}${page} };`;
}

function entryOf({ root, field }) {
  const named = getNamedType(field.type);
  const args = field.args.map(({ name, type }) => `${name}: '${type}'`);
  const key = keyPlaceOf(field);
  const entry = [
    `kind: '${root.name.toLowerCase()}'`,
    `args: { ${args.join(', ')} }`,
    ...(isObjectType(named) ? [`all: ${constantOf(named)}`] : []),
    ...(key ? [`key: '${key}'`] : []),
    ...(root.name === 'Query' || key || REPEATABLE.has(field.name) ? ['isRepeatable: true'] : []),
  ];
  return `  ${field.name}: { ${entry.join(', ')} },`;
}

/** Where the input takes an idempotency key: in itself, or in each element of a list. */
function keyPlaceOf(field) {
  for (const { name, type } of field.args) {
    const named = getNamedType(type);
    if (!isInputObjectType(named)) continue;
    const fields = named.getFields();
    if (KEY in fields) return name;
    const list = Object.values(fields).find((one) => KEY in (getNamedType(one.type).getFields?.() ?? {}));
    if (list) return `${name}.${list.name}`;
  }
  return undefined;
}
