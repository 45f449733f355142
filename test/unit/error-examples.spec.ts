import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { ALL_SCOPES } from '../../src/common/auth/scopes.js';
import { allRowsOf } from '../support/behind-the-api.js';
import { TestServer } from '../support/server.js';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
/** Settings that the examples name. */
const SETTINGS = { TENANT_MAX_STYLESHEETS: '1', TENANT_MAX_MAILS_PER_DAY: '1', WEBSOCKET_MAX_CONNECTIONS: '0' };

interface Example {
  section: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Missing for a request that only prepares the next one. */
  answer?: { status: number; body: unknown };
}

function examplesOf(section: string, text: string): Example[] {
  return [...text.matchAll(/^```http\n(.*?)^```$/gms)].map(([, block]) => {
    const [sent, status, received] = block!.split(/^HTTP\/1\.1 (\d+)\n/m) as [string, string?, string?];
    const [head, ...body] = sent.split('\n\n') as [string, ...string[]];
    const [first, ...lines] = head.trim().split('\n') as [string, ...string[]];
    const [method, path] = first.split(' ') as [string, string];
    const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
    const answer = status ? { status: Number(status), body: received?.trim() ? JSON.parse(received) : undefined } : undefined;
    return { section, method, path, headers, body: body.join('\n\n').trim(), answer };
  });
}

const sections = page.split(/^## /m).slice(1);
const examples = sections.flatMap((text) => examplesOf(text.split('\n', 1)[0]!, text));

/** Accepts any text in the place of an ellipsis. */
function withEllipses(expected: unknown): unknown {
  if (typeof expected === 'string' && expected.includes('…')) {
    return expect.stringMatching(new RegExp(`^${expected.split('…').map(escaped).join('.+')}$`));
  }
  if (Array.isArray(expected)) return expected.map(withEllipses);
  if (typeof expected !== 'object' || expected === null) return expected;
  return Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, withEllipses(value)]));
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('examples of docs/errors.md', () => {
  let server: TestServer;
  let keys: Record<string, string>;
  beforeAll(async () => {
    server = await TestServer.start(SETTINGS);
    keys = {
      KEY: await server.createKey(ALL_SCOPES, 'acme'),
      READER: await server.createKey('file-management-api:query:*', 'acme'),
    };
  });
  afterAll(() => server.stop());

  function send({ method, path, headers, body }: Example): Promise<{ status: number; body: any }> {
    const all = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, keys[value] ?? value]));
    return new Promise((resolve, reject) => {
      const call = request(`${server.address}${path}`, { method, headers: all }, async (response) => {
        const text = (await response.toArray()).join('');
        resolve({ status: response.statusCode!, body: JSON.parse(text) });
      });
      call.once('error', reject).end(body);
    });
  }

  it('cover every code of the list', () => {
    const listed = [...page.matchAll(/^\| \[`([A-Z_]+)`\]/gm)].map(([, code]) => code);
    expect(sections.map((text) => text.split('\n', 1)[0])).toEqual(listed);
    const answered = new Set(examples.filter(({ answer }) => answer).map(({ section }) => section));
    expect([...answered]).toEqual(listed);
  });

  it.each(examples.map((example, index) => [`${example.section}, request ${index + 1}`, example] as const))(
    'are answered as printed: %s',
    async (_, example) => {
      if (example.section === 'INTERNAL_SERVER_ERROR') await removeTable();
      const { status, body } = await send(example);
      if (!example.answer) return expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
      expect({ status, body: shown(body) }).toEqual({ status: example.answer.status, body: withEllipses(example.answer.body) });
      expect(body.errors?.[0].extensions.code ?? body.code).toBe(example.section);
    },
  );

  const removeTable = () => allRowsOf('no API makes the database fail', server).$executeRawUnsafe('DROP TABLE "Template"');

  /** Leaves out places in the document, as the page does. */
  function shown(body: any): unknown {
    if (!body.errors) return body;
    return { errors: body.errors.map(({ message, extensions }: any) => ({ message, extensions })) };
  }
});
