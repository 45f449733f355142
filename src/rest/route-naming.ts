import { getNamedType, getNullableType, type GraphQLField, isInputObjectType, isListType } from 'graphql';
import type { OperationKind, Service } from '../common/auth/scopes.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Route {
  method: Method;
  path: string;
  status: 200 | 201;
}

/** Operation of a schema, before it has a route. */
export interface Named {
  service: Service;
  kind: OperationKind;
  field: GraphQLField<unknown, unknown>;
  /** Set for an operation that every service has, such as `webhooks`. Its path begins with the service. */
  isShared: boolean;
}

/** Routes that the rule would name badly. Braces contain the path of an argument. */
const EXCEPTIONS = new Map<string, string>(
  Object.entries({
    confirmWebhookDeliveries: 'POST /webhooks/{webhookId}/confirm-deliveries',
    createLogBatch: 'POST /logs/batch',
    deleteTemplateTranslation: 'DELETE /templates/{templateId}/translations/{locale}',
    logProof: 'GET /logs/{id}/proof',
    messageSource: 'GET /emails/{ID}/source',
    putTemplateTranslation: 'PUT /templates/{templateId}/translations/{locale}',
    redeliver: 'POST /webhooks/{webhookId}/redeliver',
    render: 'POST /templates/{input.templateName}/render',
    renderFile: 'POST /rendered-files',
    restoreTemplateVersion: 'POST /templates/{id}/restore-version',
    rotateWebhookSecret: 'POST /webhooks/{id}/rotate-secret',
    sendMessageNow: 'POST /emails/{id}/send-now',
    sendMessages: 'POST /emails/batch',
    templateParams: 'GET /templates/{templateName}/params',
    templateVersions: 'GET /templates/{name}/versions',
    webhookDeliveries: 'GET /webhooks/{webhookId}/deliveries',
  }),
);
/** First words of mutations that add an object to its collection. */
const ADDING = new Set(['create', 'push', 'register', 'send']);
/** Words of a service that mean something else in another service. */
const OWN_WORDS: Partial<Record<Service, Record<string, string>>> = { email: { message: 'email', messages: 'emails' } };

/**
 * Returns the method and path of an operation, below /v1. By rule, `files` is `GET /files`, `file(ID)` is `GET /files/{ID}`,
 * `createFile` is `POST /files`, `updateFile` is `PATCH /files/{input.id}`, `deleteFile` is `DELETE /files/{id}`, and any other
 * mutation is a `POST` to its verb: `/files/{id}/copy`, or `/files/move` without an id.
 */
export function routeOf({ service, kind, field, isShared }: Named): Route {
  const [method, path] = (EXCEPTIONS.get(field.name) ?? byRule(service, kind, field)).split(' ') as [Method, string];
  const adds = kind === 'mutation' && method === 'POST' && ADDING.has(wordsOf(service, field.name)[0]!) && !idOf(field);
  return { method, path: isShared ? `/${service}${path}` : path, status: adds ? 201 : 200 };
}

/** Returns the name of an operation that is unique over all services, for generated clients. */
export function operationIdOf({ service, field, isShared }: Named): string {
  const words = wordsOf(service, field.name);
  return camel(isShared ? [...service.split('-'), ...words] : words);
}

function byRule(service: Service, kind: OperationKind, field: GraphQLField<unknown, unknown>): string {
  const words = wordsOf(service, field.name);
  const id = idOf(field);
  if (kind === 'query') {
    if (id) return `GET /${plural(words)}/{${id}}`;
    return `${field.args.some(({ name }) => name === 'input') ? 'POST' : 'GET'} /${words.join('-')}`;
  }
  const [verb = '', ...noun] = words;
  const collection = noun.length > 0 ? `/${plural(noun)}` : '';
  const object = id ? `${collection}/{${id}}` : collection;
  if (ADDING.has(verb) && !id) return `POST ${collection}`;
  if (verb === 'update') return `PATCH ${object}`;
  if (verb === 'put') return `PUT ${object}`;
  if (verb === 'delete' && !field.args.some(({ type }) => isListType(getNullableType(type)))) return `DELETE ${object}`;
  return `POST ${object}/${verb}`;
}

/** Returns the path of the argument that identifies the object of an operation, if any. */
function idOf({ name, args }: GraphQLField<unknown, unknown>): string | undefined {
  const own = args.find((argument) => /^id$/i.test(argument.name));
  if (own) return own.name;
  const input = getNamedType(args.find((argument) => argument.name === 'input')?.type);
  return name.startsWith('update') && isInputObjectType(input) && input.getFields().id ? 'input.id' : undefined;
}

function wordsOf(service: Service, name: string): string[] {
  const own = OWN_WORDS[service];
  return name.split(/(?=[A-Z])/).map((word) => own?.[word.toLowerCase()] ?? word.toLowerCase());
}

function plural(words: string[]): string {
  const name = words.join('-');
  if (name.endsWith('s')) return name;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}

export const camel = (words: readonly string[]): string =>
  words.map((word, at) => (at === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join('');
