// What the clients of all languages are made from: schema/*.graphql, read once, with what the schemas do not say. The generators of
// clients/js, clients/python and clients/go write the same operations in their languages.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSchema, extendSchema, getNamedType, isEnumType, isInputObjectType, isLeafType, isNonNullType, isObjectType, parse, printType } from 'graphql'; // prettier-ignore

/** The name of each service in the clients, and that in its address. */
export const SERVICES = {
  files: 'file-management',
  rendering: 'document-rendering',
  push: 'websockets-manager',
  log: 'document-log',
  email: 'email',
  admin: 'admin',
};
/** Mutations that can be repeated without a further change, besides those with an idempotency key. */
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
  'moveFiles',
  'rotateEmailDomainKeys',
]);
/** Queries for one thing, which is null for an unknown id, or where there is none yet. */
const CAN_BE_NULL = new Set(['file', 'latestSeal', 'logProof', 'messageSource', 'multipartUpload', 'personErasure', 'tenant']);
/** Fields that are always there, although the schema says otherwise; `items` of every page besides. */
const WITH_ID = [
  'File', 'Template', 'Css', 'Partial', 'Message', 'GlobalMessage', 'Connection', 'Log', 'EmailMessage', 'SendMessageResult', 'Webhook',
  'WebhookDelivery', 'LogStream', 'RecipientMail',
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
/** The object of each event of a webhook, by its type or the first word of that. */
const EVENT_OBJECTS = {
  'file-management': { file: 'File' },
  'document-rendering': { template: 'Template', stylesheet: 'Css', partial: 'Partial' },
  'websockets-manager': { message: 'Message', recipient: 'RecipientPresence' },
  'document-log': { log: 'Log', logs: 'RemovedLogs' },
  email: {
    message: 'EmailMessage',
    'recipient.unsubscribed': 'EmailSuppression',
    recipient: 'RecipientMail',
    domain: 'EmailDomain',
  },
};
/** Objects that only events have, as types of the schema of a service. */
const ONLY_IN_EVENTS = {
  'websockets-manager': () => `
    """A recipient who came or went."""
    type RecipientPresence {
      recipient: String!
      at: DateTime!
    }`,
  'document-log': () => `
    """Records that were removed at the end of their period."""
    type RemovedLogs {
      removedRecords: Int!
      removedEdits: Int!
      """Number of the last block whose records were looked at."""
      upToBlock: Int!
      """Time before which the records were written."""
      olderThan: DateTime!
    }`,
  email: (schema) => {
    const mail = printType(schema.getType('EmailMessage'));
    const fields = mail.slice(mail.indexOf('{') + 1);
    return `"""A mail, with the recipient whom an event is about."""\ntype RecipientMail {\nrecipient: EmailRecipient!\n${fields}`;
  },
};
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
    const served = buildSchema(readFileSync(at(`../../../schema/${service}.graphql`), 'utf8'));
    const added = ONLY_IN_EVENTS[service]?.(served);
    const schema = added ? extendSchema(served, parse(added)) : served;
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
      events: eventsOf(service, schema),
    };
  });
}

/** The events of a service: FILE_DONE is of the type file.done. */
function eventsOf(service, schema) {
  const values = schema.getType('WebhookEvent')?.getValues() ?? [];
  return values.map(({ name, description }) => {
    const type = name.toLowerCase().replace('_', '.');
    const object = schema.getType(EVENT_OBJECTS[service][type] ?? EVENT_OBJECTS[service][type.split('.')[0]] ?? '');
    if (!object) throw new Error(`EVENT_OBJECTS has no object for the event ${name} of ${service}`);
    return { name, description, type, object };
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
