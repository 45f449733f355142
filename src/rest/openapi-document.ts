import { getNullableType } from 'graphql';
import { ERROR_STATUSES } from '../common/base/app-error.js';
import { type Service, SERVICES } from '../common/auth/scopes.js';
import { contentParameters } from './content-upload.js';
import type { Parameter } from './parameters.js';
import type { RestOperation } from './rest-operations.js';
import { camel } from './route-naming.js';
import { pageOf } from '../common/graphql/documents/selection.js';
import { type JsonSchema, JsonSchemas } from './json-schemas.js';

/** Titles of the services, as tags of their operations. */
const TAGS: Record<Exclude<Service, 'admin'>, string> = {
  'file-management': 'Files: content by one request, by a signed URL, or in parts',
  'document-rendering': 'Templates, stylesheets and renderings',
  'websockets-manager': 'Messages pushed to recipients over WebSockets',
  'document-log': 'Records of changes of documents, with seals against tampering',
  email: 'Emails, domains, identities and suppressions',
};
const DESCRIPTION =
  'Each operation is one of a GraphQL schema, with the same rules, limits and answers. Errors are problems by RFC 9457. ' +
  'An answer has all scalars and small objects; the parameter fields selects others.';

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Error by RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string', description: 'Always about:blank; see code.' },
    title: { type: 'string', description: 'Name of the status.' },
    status: { type: 'integer', description: 'HTTP status.' },
    detail: { type: 'string', description: 'Error message: the fault, then what to send.' },
    code: { type: 'string', description: 'Code of the closed list in docs/errors.md.' },
    field: { type: 'string', description: 'Parameter, or path in the body, of the invalid value.' },
    requestId: { type: 'string', description: 'Id of the request in the log.' },
  },
};
const ITEM_ERROR: JsonSchema = {
  type: 'object',
  description: 'Error of one item of a page, which is null.',
  required: ['code', 'detail', 'path'],
  properties: {
    code: { type: 'string', description: 'Code of the closed list in docs/errors.md.' },
    detail: { type: 'string', description: 'What is wrong.' },
    path: { type: 'array', description: 'Path of the item in the answer.', items: { type: ['string', 'integer'] } },
  },
};
const FAILED: JsonSchema = {
  description: 'Error.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** Each status by itself, since generated clients tell answers by it. */
const FAILURES = Object.fromEntries(ERROR_STATUSES.map((status) => [status, { $ref: '#/components/responses/Failed' }]));

/** Describes all operations by OpenAPI 3.1. */
export function openapiDocument(operations: readonly RestOperation[], version: string): object {
  const components: Record<string, JsonSchema> = { Problem: PROBLEM, ItemError: ITEM_ERROR };
  const paths: Record<string, Record<string, object>> = {};
  const schemas = new Map(SERVICES.map((service) => [service as Service, new JsonSchemas(prefixOf(service), components)]));
  for (const operation of operations) {
    const path = (paths[`/v1${operation.path}`] ??= {});
    path[operation.method.toLowerCase()] = describe(operation, schemas.get(operation.service)!);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'platform-services', version, description: DESCRIPTION, contact: { name: 'Operator of this server' } },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: SERVICES.map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      schemas: components,
      responses: { Failed: FAILED },
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

const prefixOf = (service: Service): string => camel(['', ...service.split('-')]);

function describe(operation: RestOperation, schemas: JsonSchemas): object {
  const { field, id, service, kind } = operation;
  const body = bodyOf(operation, schemas);
  const uploads = operation.acceptsContent ? contentParameters(operation) : operation.parameters;
  return {
    operationId: id,
    tags: [service],
    summary: `${field.name} of ${service}`,
    description: `${field.description ?? ''}\n\nThe key needs the scope entry ${service}-api:${kind}:${field.name}.`.trim(),
    parameters: uploads.map((parameter) => parameterOf(parameter, schemas)),
    ...(body && { requestBody: body }),
    responses: { [operation.status]: answerOf(operation, schemas), ...FAILURES },
  };
}

function parameterOf({ name, in: place, declared, isRequired }: Parameter, schemas: JsonSchemas): object {
  const { description } = declared;
  return { name, in: place, required: isRequired, ...(description && { description }), schema: schemas.parameterOf(declared) };
}

function bodyOf({ body, field, acceptsContent }: RestOperation, schemas: JsonSchemas): object | undefined {
  if (!body) return undefined;
  const input = field.args.find(({ name }) => name === 'input');
  const hasAll = body.kind === 'input' && input && !body.isPartial;
  const schema = hasAll ? schemas.notNull(getNullableType(input.type)) : schemas.objectOf(body.fields!);
  const content = acceptsContent && { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  return { required: body.isRequired, content: { 'application/json': { schema }, ...content } };
}

function answerOf({ field, kind, parameters }: RestOperation, schemas: JsonSchemas): object {
  const isNever = kind === 'mutation' || parameters.some((each) => each.in === 'path'); // null, which would be an error
  const schema = isNever ? schemas.notNull(getNullableType(field.type)) : schemas.schemaOf(field.type);
  if (!pageOf(field)) return { description: 'Answer.', content: { 'application/json': { schema } } };
  const errors = {
    type: 'array',
    description: 'Errors of items that are null.',
    items: { $ref: '#/components/schemas/ItemError' },
  };
  const page = { allOf: [schemas.notNull(getNullableType(field.type)), { type: 'object', properties: { errors } }] };
  const link = { description: 'URL of the next page, with rel="next".', schema: { type: 'string' } };
  return { description: 'Page.', headers: { link }, content: { 'application/json': { schema: page } } };
}
