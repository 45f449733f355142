// Entry points of the server, each tested by a property of fast-check: operations, content, raw HTTP, sockets.
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { printedSchema, SERVICES } from '../scripts/schemas.mjs';
import { exchange, faultOfAnswer, rawRequest } from './http.mjs';
import { operation } from './operations.mjs';
import { converse, frames } from './sockets.mjs';
import { anyText, oneOf } from './values.mjs';

const ANSWER_LIMIT_MS = 12_000;
const MAX_KNOWN = 500;

/** The closed list of docs/errors.md. */
const CODES = new Set([
  'UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'FAILED_PRECONDITION', 'RATE_LIMITED',
  'GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_REQUEST',
]); // prettier-ignore

const schemas = Object.fromEntries(SERVICES.map((service) => [service, buildSchema(printedSchema(service))]));

/** Ids, tokens and URLs returned by the server; later requests use them. */
export class Known {
  #values = ['none'];

  collect(data) {
    const text = JSON.stringify(data ?? null);
    for (const [, value] of text.matchAll(/"(?:\w*[iI]d|nextToken|latestSeal|ETag|a\d+|token)":"([^"\\]{8,})"/g))
      this.#add(value);
  }

  resolve(body) {
    return body.replaceAll(/«known:(\d+)»/g, (_, number) => this.#values.at(-1 - (Number(number) % this.#values.length)));
  }

  #add(value) {
    if (this.#values.length < MAX_KNOWN) this.#values.push(value);
    else this.#values[Math.floor(Math.random() * MAX_KNOWN)] = value;
  }
}

/** Sends any operation of any service. */
export const operations = (server, known) => ({
  name: 'operations',
  draw: (g) => {
    const service = g(oneOf, SERVICES);
    return { service, body: JSON.stringify(operation(g, schemas[service])) ?? 'null' };
  },
  attempt: async ({ service, body }) => {
    const { status, text } = await send(server, `/${service}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': server.key },
      body: known.resolve(body),
    });
    if (status >= 500) return `${service}: status ${status}: ${text.slice(0, 300)}`;
    const answer = JSON.parse(text);
    known.collect(answer.data);
    const wrong = (answer.errors ?? []).find((error) => !CODES.has(error.extensions?.code) || !error.message);
    return wrong && `${service}.${wrong.path?.[0] ?? ''}: ${wrong.extensions?.code}: ${wrong.message}`;
  },
});

/** Sends PUT, GET and their relatives to the address of a file, with headers and signatures that may be damaged. */
export const content = (server) => ({
  name: 'content',
  draw: (g) => ({
    create: {
      name: g(oneOf, ['a.txt', 'a.html', 'a.bin', 'a.xsl']),
      public: g(fc.boolean),
      contentType: g(oneOf, [undefined, 'text/xsl', 'multipart/x-mixed-replace']),
    },
    requests: g(fc.array, fc.constant(0), { minLength: 1, maxLength: 4 }).map(() => ({
      method: g(oneOf, ['PUT', 'PUT', 'GET', 'GET', 'HEAD', 'DELETE', 'OPTIONS']),
      damage: g(fc.nat, { max: 9 }) === 0 ? g(fc.string, { maxLength: 8 }) : '',
      headers: Object.fromEntries(g(fc.array, oneOf(CONTENT_HEADERS), { maxLength: 4 })),
      body: g(fc.nat, { max: 20_000 }),
    })),
  }),
  attempt: async ({ create, requests }) => {
    const query = 'mutation($i: CreateFileInput) { createFile(input: $i) { id uploadUrl } }';
    const { text } = await send(server, '/file-management/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': server.key },
      body: JSON.stringify({ query, variables: { i: create } }),
    });
    const { id, uploadUrl } = JSON.parse(text).data.createFile;
    const found = `query { file(ID: "${id}") { downloadUrl } }`;
    for (const { method, damage, headers, body } of requests) {
      const url = method === 'PUT' ? uploadUrl : ((await ask(server, found)).file?.downloadUrl ?? uploadUrl);
      const { pathname, search } = new URL(url);
      const { status, text: answer } = await send(server, `${pathname}${search}${encodeURIComponent(damage)}`, {
        method,
        headers,
        ...(method === 'PUT' && { body: 'x'.repeat(body) }),
      });
      if (status >= 500) return `${method} content: status ${status}: ${answer.slice(0, 200)}`;
    }
    return undefined;
  },
});

const CONTENT_HEADERS = [
  ['content-type', 'text/plain'], ['content-type', 'text/html; charset=x'], ['content-type', 'é'], ['content-disposition', 'attachment; filename="a"'],
  ['content-disposition', 'x'.repeat(5_000)], ['range', 'bytes=0-0'], ['range', 'bytes=5-'], ['range', 'bytes=-99999'], ['range', 'bytes=a-b'],
  ['range', 'bytes=0-1,3-4'], ['if-none-match', '*'], ['if-none-match', '"x", W/"y"'], ['if-match', '"x"'], ['if-range', 'yesterday'],
  ['if-modified-since', 'Sat, 29 Oct 1994 19:43:31 GMT'], ['content-encoding', 'gzip'], ['origin', 'http://evil.example'],
]; // prettier-ignore

/** Sends raw bytes to the port. */
export const http = (server) => ({
  name: 'http',
  draw: (g) => rawRequest(g, PATHS, server.key),
  attempt: async (bytes) => faultOfAnswer(bytes, await exchange(server.port, bytes)),
});

const PATHS = [
  ...SERVICES.map((service) => `/${service}/graphql`), '/', '/nothing', '/health/live', '/health/ready', '/health/ready/email', '/metrics',
  '/document-log/export', '/document-log/export?format=csv&limit=x', '/file-management/content/x', '/file-management/files/x?signature=y',
  '/email/identities/verify?token=x', '*', 'http://localhost/health/live', '/%2e%2e/', '/\u00e9',
]; // prettier-ignore

/** Registers a recipient whose frames break the protocol, and pushes to it meanwhile. */
export const sockets = (server) => ({
  name: 'sockets',
  draw: (g) => ({ token: g(fc.nat, { max: 9 }) === 0 ? g(() => anyText) : undefined, sent: frames(g) }),
  attempt: async ({ token, sent }) => {
    const registered = await ask(
      server,
      'mutation { registerRecipient(input: {recipient: "fuzz"}) { connectionUri } }',
      'websockets-manager',
    );
    const uri = new URL(registered.registerRecipient.connectionUri);
    if (token !== undefined) uri.search = `?token=${encodeURIComponent(token.toWellFormed())}`;
    const conversation = converse(uri.href, sent);
    await ask(
      server,
      'mutation { pushMessage(input: {recipients: ["fuzz"], message: "m"}) { item { id } } }',
      'websockets-manager',
    );
    return conversation;
  },
});

async function ask(server, query, service = 'file-management') {
  const { text } = await send(server, `/${service}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': server.key },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = JSON.parse(text);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

async function send(server, path, request) {
  let headers;
  try {
    headers = new Headers(request.headers);
  } catch {
    headers = new Headers({ 'content-type': 'text/plain' }); // what fetch itself refuses never leaves
  }
  const response = await fetch(server.address + path, {
    ...request,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  return { status: response.status, text: await response.text() };
}
