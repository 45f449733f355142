// @nightly: generates and compiles two clients of the whole API
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestServer } from './support/server.js';

const run = promisify(execFile);
const NODE_MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));
const program = (name: string) => join(NODE_MODULES, '.bin', name);

/** Uploads a file, sends an email, pages through files, and reads the code of an error; prints what it saw. */
const WITH_OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { paths } from './types.js';

const client = createClient<paths>({ baseUrl: process.env.URL!, headers: { 'x-api-key': process.env.KEY! } });
const file = await client.POST('/v1/files', { body: { name: 'a.txt', attributes: [{ name: 'kind', value: 'b' }] } });
const id: string = file.data!.id!;
const page = await client.GET('/v1/files', { params: { query: { limit: 1, ids: [id], 'createdAt.from': '2020-01-01T00:00:00Z' } } });
const name: string | null | undefined = page.data?.items?.[0]?.name;
const sent = await client.POST('/v1/emails', { body: { to: [{ address: 'ann@example.com' }], subject: 's', textBody: 't' } });
const one = await client.GET('/v1/files/{id}', { params: { path: { id: 'unknown' } } });
const code: string = one.error!.code;
console.log(JSON.stringify({ name, isSent: typeof sent.data?.id === 'string', code }));
`;
const WITH_OAZAPFTS = `
import * as api from './api.js';

api.defaults.baseUrl = process.env.URL!;
api.defaults.headers = { 'x-api-key': process.env.KEY! };
const created = await api.createFile({ name: 'a.txt', attributes: [{ name: 'kind', value: 'b' }] }, {});
if (created.status !== 201) throw new Error(JSON.stringify(created));
const page = await api.files({ limit: 1, ids: [created.data.id!], createdAtFrom: '2020-01-01T00:00:00Z' });
const name = page.status === 200 ? page.data.items?.[0]?.name : undefined;
const sent = await api.sendEmail({ to: [{ address: 'ann@example.com' }], subject: 's', textBody: 't' });
const one = await api.file('unknown');
const code = one.status === 404 ? one.data.code : undefined;
console.log(JSON.stringify({ name, isSent: sent.status === 201 && typeof sent.data.id === 'string', code }));
`;

describe('the OpenAPI document', () => {
  let server: TestServer;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    server = await TestServer.start();
    folder = mkdtempSync(join(tmpdir(), 'platform-services-rest-'));
    symlinkSync(NODE_MODULES, join(folder, 'node_modules'));
    const response = await fetch(`${server.address}/openapi.json`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    writeFileSync(join(folder, 'openapi.json'), await response.text());
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    env = { ...process.env, URL: server.address, KEY: await server.createKey() };
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** Compiles a program strictly, runs it, and returns what it printed. */
  async function resultOf(name: string, text: string): Promise<unknown> {
    writeFileSync(join(folder, `${name}.ts`), text);
    const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
    const compiled = await run(program('tsc'), [...options, `${name}.ts`], { cwd: folder }).catch((error) => error);
    expect(compiled.stdout).toBe('');
    const { stdout } = await run(process.execPath, [`${name}.js`], { cwd: folder, env });
    return JSON.parse(stdout);
  }
  const EXPECTED = { name: 'a.txt', isSent: true, code: 'NOT_FOUND' };

  it('passes the linter of Redocly without a warning', async () => {
    const { createConfig, lint } = await import('@redocly/openapi-core');
    const rules = {
      'no-server-example.com': 'off', // no server is named, only the one that the document is from
      'info-license': 'off', // an operator states the license of the service
      'no-ambiguous-paths': 'off', // a literal part goes before a parameter, as OpenAPI says
    } as const;
    const config = await createConfig({ extends: ['recommended'], rules });
    const problems = await lint({ ref: join(folder, 'openapi.json'), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('is answered with 304 to a client that has it', async () => {
    const first = await fetch(`${server.address}/openapi.json`);
    const headers = { 'if-none-match': first.headers.get('etag')! };
    expect((await fetch(`${server.address}/openapi.json`, { headers })).status).toBe(304);
  });

  it('makes openapi-typescript write types with which a program of openapi-fetch compiles and runs', async () => {
    await run(program('openapi-typescript'), ['openapi.json', '-o', 'types.ts'], { cwd: folder });
    expect(await resultOf('fetching', WITH_OPENAPI_FETCH)).toEqual(EXPECTED);
  }, 120_000);

  it('makes oazapfts write a client with which a program compiles and runs', async () => {
    await run(program('oazapfts'), ['openapi.json', 'api.ts'], { cwd: folder });
    expect(await resultOf('calling', WITH_OAZAPFTS)).toEqual(EXPECTED);
  }, 120_000);
});
