// What the clients of all languages are made from: schema/*.graphql, read once, with what the schemas do not say. The generators of
// clients/js, clients/python and clients/go write the same operations in their languages.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSchema, getNamedType, isEnumType, isInputObjectType, isLeafType, isNonNullType, isObjectType } from 'graphql';

/** The name of each service in the clients, and that in its address. */
export const SERVICES = {
  files: 'file-management',
  rendering: 'document-rendering',
  push: 'websockets-manager',
  log: 'document-log',
  email: 'email',
  admin: 'admin',
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
  'sendMessageNow',
  'createEmailDomain',
  'createSuppressions',
  'deleteFiles',
  'rotateEmailDomainKeys',
]);
/** Queries for one thing, which is null for an unknown id, or where there is none yet. */
const CAN_BE_NULL = new Set(['file', 'latestSeal', 'logProof', 'multipartUpload', 'personErasure', 'tenant']);
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
    'RenderedFile.contentLength',
    'RenderedFile.fileId',
    'RenderedFile.pages',
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
/** Inputs that are texts in the schema, with what else the JavaScript client takes and writes as a text. */
const TEXTS = {
  params: 'object',
  sampleParams: 'object',
  message: 'unknown',
  'InlineAttachmentInput.content': 'Uint8Array',
  'DateFilter.from': 'Date',
  'DateFilter.to': 'Date',
};

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Every service, with the types and the operations of its schema. */
export function readServices() {
  return Object.entries(SERVICES).map(([name, service]) => {
    const schema = buildSchema(readFileSync(at(`../../../schema/${service}.graphql`), 'utf8'));
    const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'));
    const roots = [schema.getQueryType(), schema.getMutationType()];
    const operations = roots.flatMap((root) => Object.values(root.getFields()).map((field) => operationOf(root, field)));
    return {
      name,
      service,
      enums: types.filter(isEnumType),
      inputs: types.filter(isInputObjectType),
      objects: types.filter((type) => isObjectType(type) && !roots.includes(type)),
      operations,
    };
  });
}

function operationOf(root, field) {
  const key = keyPlaceOf(field);
  const page = isPage(field);
  const isQuery = root.name === 'Query';
  return {
    name: field.name,
    field,
    kind: root.name.toLowerCase(),
    key,
    isRepeatable: isQuery || key !== undefined || REPEATABLE.has(field.name),
    isPage: page,
    isNullable: CAN_BE_NULL.has(field.name),
  };
}

/** The type names of a schema may begin in lower case, and one is called Error. */
export const typeName = ({ name }) => (name === 'Error' ? 'ErrorInfo' : name[0].toUpperCase() + name.slice(1));

const isPage = ({ type, args }) =>
  args.some(({ name }) => name === 'nextToken') && isObjectType(type) && 'items' in type.getFields();

/** Whether a field of an object is there in every answer. */
export const isAlways = (type, field) =>
  isNonNullType(field.type) || ALWAYS.has(`${type.name}.${field.name}`) || field.name === 'items';

/** All fields but large ones and those with arguments, which are made for the call. A type that is in itself is left out at the second time. */
export function selectionOf(type, outer = []) {
  const isAsked = ({ name, args }) => args.length === 0 && !ON_REQUEST.has(`${type.name}.${name}`);
  const fields = Object.values(type.getFields()).filter(isAsked);
  const entries = fields.flatMap(({ name, type: fieldType }) => {
    const named = getNamedType(fieldType);
    if (isLeafType(named)) return [[name, true]];
    return [type, ...outer].includes(named) ? [] : [[name, selectionOf(named, [type, ...outer])]];
  });
  return Object.fromEntries(entries);
}

/** What else the JavaScript client takes for an input that is a text; undefined for others. */
export const takenAsText = (type, { name, type: fieldType }) =>
  getNamedType(fieldType).name === 'String' ? (TEXTS[`${type?.name}.${name}`] ?? TEXTS[name]) : undefined;

/** The places of such inputs in the arguments of an operation, as `input.params`. A type that is in itself is left out at the second time. */
export function textPlacesOf({ args }) {
  const inside = (type, field, outer) => {
    const named = getNamedType(field.type);
    const taken = takenAsText(type, field);
    if (taken) return taken === 'Date' ? [] : [field.name]; // JSON writes a Date as a text
    if (!isInputObjectType(named) || outer.includes(named)) return [];
    const places = Object.values(named.getFields()).flatMap((one) => inside(named, one, [...outer, named]));
    return places.map((place) => `${field.name}.${place}`);
  };
  return args.flatMap((argument) => inside(undefined, argument, []));
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
