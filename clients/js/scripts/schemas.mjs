// Shared source of the generated clients: schema/*.graphql, read once, with facts that the schemas do not express. The generators of
// clients/js, clients/python and clients/go write the same operations in their languages.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSchema, extendSchema, getNamedType, isEnumType, isInputObjectType, isLeafType, isNonNullType, isObjectType, parse, printType } from 'graphql'; // prettier-ignore

/** Name of each service in the clients, with its name in the URL. */
export const SERVICES = {
  files: 'file-management',
  rendering: 'document-rendering',
  push: 'websockets-manager',
  log: 'document-log',
  email: 'email',
  admin: 'admin',
};
/** Mutations safe to repeat, besides those with an idempotency key. */
const REPEATABLE = new Set([
  'cancelGlobalMessage',
  'cancelMessage',
  'changeTopics',
  'completeMultipartUpload',
  'confirmWebhookDeliveries',
  'generatePartUploadUrl',
  'initiateMultipartUpload',
  'markMessages',
  'registerRecipient',
  'reportBounce',
  'rescheduleMessage',
  'rewindLogStream',
  'sendMessageNow',
  'createAccessToken',
  'createEmailDomain',
  'createSuppressions',
  'deleteFiles',
  'denyAccess',
  'moveFiles',
  'rotateEmailDomainKeys',
]);
/** Queries for one object, which return null for an unknown id or a missing object. */
const CAN_BE_NULL = new Set(['file', 'latestSeal', 'logProof', 'messageSource', 'multipartUpload', 'personErasure', 'tenant']);
/** Fields always present although nullable in the schema, besides `items` of every page. */
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
/** Fields that can be large or take a query, and are loaded only if a selection names them. */
const ON_REQUEST = new Set(['EmailMessage.content', 'Message.fallback', 'WebhookDelivery.body']);
const KEY = 'idempotencyKey';
/** Object type of each webhook event, by event type or by its first word. */
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
/** Objects used only in events, as types for the schema of their service. */
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
/** Inputs of type String in the schema, with the additional types that the JavaScript client accepts and serializes. */
const TEXTS = {
  params: 'object',
  sampleParams: 'object',
  message: 'unknown',
  'InlineAttachmentInput.content': 'Uint8Array',
  'DateFilter.from': 'Date',
  'DateFilter.to': 'Date',
};

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Returns every service, with the types and operations of its schema. */
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

/** Returns the events of a service: FILE_DONE has the type file.done. */
function eventsOf(service, schema) {
  const values = schema.getType('WebhookEvent')?.getValues() ?? [];
  return values.map(({ name, description }) => {
    const type = name.toLowerCase().replace('_', '.');
    const object = schema.getType(EVENT_OBJECTS[service][type] ?? EVENT_OBJECTS[service][type.split('.')[0]] ?? '');
    if (!object) throw new Error(`EVENT_OBJECTS has no object for the event ${name} of ${service}`);
    return { name, description, type, object };
  });
}

/** Returns the service of each event by the event's name, which is unique among all services. */
export function eventServicesOf(services) {
  const all = services.flatMap(({ service, events }) => events.map(({ name }) => [name, service]));
  const twice = all.find(([name], index) => all.findIndex(([other]) => other === name) !== index);
  if (twice) throw new Error(`two services have an event ${twice[0]}`);
  return all;
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

/** Returns the type name in the clients: capitalized, and not Error. */
export const typeName = ({ name }) => (name === 'Error' ? 'ErrorInfo' : name[0].toUpperCase() + name.slice(1));

const isPage = ({ type, args }) =>
  args.some(({ name }) => name === 'nextToken') && isObjectType(type) && 'items' in type.getFields();

/** Returns true if a field of an object is present in every answer. */
export const isAlways = (type, field) =>
  isNonNullType(field.type) || ALWAYS.has(`${type.name}.${field.name}`) || field.name === 'items';

/** Selects all fields except large ones and those with arguments, which are computed per call. Stops at a type nested in itself. */
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

/** Returns the additional type that the JavaScript client accepts for a text input; undefined for others. */
export const takenAsText = (type, { name, type: fieldType }) =>
  getNamedType(fieldType).name === 'String' ? (TEXTS[`${type?.name}.${name}`] ?? TEXTS[name]) : undefined;

/** Returns the paths of such inputs in the arguments of an operation, such as `input.params`. Stops at a type nested in itself. */
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

/** Returns the path of the idempotency key: in the input itself, or in each element of a list. */
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
