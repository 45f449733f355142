import { Api } from './api.js';
import { CREATE, input } from './document-log.js';
import { SEND, someone } from './email.js';
import type { TestServer } from './server.js';
import { inSeconds, PUSH } from './websockets.js';

/** Outcome of an operation: undefined for success, else its code. */
export type Outcome = string | undefined;

export async function graphql(api: Api, query: string, variables: Record<string, unknown> = {}): Promise<Outcome> {
  const { errors } = await api.send(query, variables);
  return errors?.[0]?.extensions.code;
}

export async function bytes(url: string, init: RequestInit = {}): Promise<Outcome> {
  const response = await fetch(url, init);
  const text = await response.text();
  return response.ok ? undefined : (JSON.parse(text).code ?? String(response.status));
}

/** One operation of every kind, prepared through the API. */
export async function operationsOf(server: TestServer): Promise<Record<string, () => Promise<Outcome>>> {
  const key = await server.createKey();
  const of = (service: Api['service']) => new Api(server.address, service, key);
  const [files, logs, push, email, rendering] = [
    of('file-management'),
    of('document-log'),
    of('websockets-manager'),
    of('email'),
    of('document-rendering'),
  ];
  const create = async () => (await files.ask('mutation{createFile(input:{}){id uploadUrl}}')).createFile;
  const [stored, empty] = [await create(), await create()];
  expect(await bytes(stored.uploadUrl, { method: 'PUT', body: Buffer.from('content') })).toBeUndefined();
  const { downloadUrl } = (await files.ask(`{file(ID:"${stored.id}"){downloadUrl}}`)).file;
  const template = 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}';
  await rendering.ask(template, { input: { name: 't', type: 'document', body: 'b', contentType: 'html' } });
  const others = await Promise.all(Array.from({ length: 10 }, () => server.createKey()));
  const version = new Api(server.address, 'file-management', others[0]);
  let next = 1;
  return {
    'version with a key that is not known yet': () =>
      graphql(new Api(version.address, version.service, others[next++ % others.length]), '{version}'),
    file: () => graphql(files, `{file(ID:"${stored.id}"){status}}`),
    createFile: () => graphql(files, 'mutation{createFile(input:{}){id}}'),
    deleteFile: () => graphql(files, `mutation{deleteFile(id:"${empty.id}"){id}}`),
    createLog: () => graphql(logs, CREATE, { input: input() }),
    logs: () => graphql(logs, '{logs{items{id}}}'),
    verifyLogs: () => graphql(logs, '{verifyLogs{valid}}'),
    export: async () => {
      const response = await fetch(`${server.address}/document-log/export`, { headers: { 'x-api-key': key } });
      return response.ok ? void (await response.text()) : (JSON.parse(await response.text()).code as string);
    },
    pushMessage: () => graphql(push, PUSH, { input: { recipients: ['ann'], message: 'm', expiresAt: inSeconds(600) } }),
    'pushMessage with a key': () =>
      graphql(push, PUSH, {
        input: { recipients: ['ann'], message: 'm', expiresAt: inSeconds(600), idempotencyKey: `k${next++}` },
      }),
    sendMessage: () => graphql(email, SEND, { input: { to: { address: someone() }, subject: 's', textBody: 't' } }),
    render: () =>
      graphql(rendering, 'query($input:RenderingInput!){render(input:$input){body}}', {
        input: { templateName: 't', params: '{}' },
      }),
    upload: () => bytes(stored.uploadUrl, { method: 'PUT', body: Buffer.from('other content') }),
    download: () => bytes(downloadUrl),
    ready: async () => ((await fetch(`${server.address}/health/ready`)).ok ? undefined : 'SERVICE_UNAVAILABLE'),
  };
}

/** Runs all operations concurrently. Returns the outcome of each, and the duration of the slowest. */
export async function outcomes(operations: Record<string, () => Promise<Outcome>>, times = 1) {
  const began = Date.now();
  const names = Object.keys(operations).flatMap((name) => Array.from({ length: times }, () => name));
  const done = await Promise.all(names.map(async (name) => [name, (await operations[name]!()) ?? 'ok'] as const));
  return { seen: Object.fromEntries(done), all: done.map(([, outcome]) => outcome), tookMs: Date.now() - began };
}

export const each = (operations: object, outcome: string) =>
  Object.fromEntries(Object.keys(operations).map((name) => [name, outcome]));
