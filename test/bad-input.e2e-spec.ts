// @nightly sqlite: every wrong value in every place; PostgreSQL refuses more of them
import type { Service } from '../src/common/auth/scopes.js';
import { type Known, type Place, placesOf } from './support/schema-walk.js';
import { TestServer } from './support/server.js';

const MIB = 'x'.repeat(1024 * 1024);
const TIMES = [
  '0000-01-01',
  '0000-12-31T23:59:59.999Z',
  '0001-01-01',
  '0001-01-01T00:00:00+14:00',
  '1582-10-10',
  '1969-12-31T23:59:59.999Z',
  '9999-12-31',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-23:59',
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '275760-09-13',
  '-000001-01-01T00:00:00Z',
];
const TEXTS = ['', '\0', 'a\0b', '\ud800', 'a\udc00b', MIB, '\u{10ffff}', '%', '\\', "'", '__proto__'];
const NUMBERS = [0, -0, -1, 1, 1.5, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 53, 1e308, -1e308, 5e-324];
const OBJECTS = [null, {}, [], [[]], { __proto__: null }, { en: '\0' }, { '\ud800': 'x' }, { ['__proto__']: 'x' }];

const VALUES: Record<string, unknown[]> = {
  String: TEXTS,
  ID: [...TEXTS, 0, -1, 2 ** 53],
  DateTime: [...TIMES, 0],
  Int: NUMBERS,
  Float: NUMBERS,
  Boolean: [null, 'true', 1],
  Name: [...TEXTS, ...OBJECTS],
};
const AT_ONCE = 8;
/** Share of the pairs of a place and a value tried on each change, in which every place and every value occurs. */
const SHARE = process.env.TEST_LONG === '1' ? 1 : 3;

describe('arbitrary input', () => {
  let server: TestServer;
  let key: string;
  let adminKey: string;
  beforeAll(async () => {
    server = await TestServer.start();
    key = await server.createKey();
    adminKey = await server.createAdminKey();
  });
  afterAll(() => server.stop());

  const apiOf = (service: Service) => server.api(service, service === 'admin' ? adminKey : key);
  const ask = async (service: Service, query: string) => (await apiOf(service)).ask(query);

  const KNOWN: Record<Service, () => Promise<Known>> = {
    'file-management': async () => {
      const { createFile } = await ask('file-management', 'mutation{createFile{id}}');
      const input = `input:{fileId:"${createFile.id}"}`;
      const { initiateMultipartUpload: upload } = await ask('file-management', `mutation{initiateMultipartUpload(${input}){uploadId}}`); // prettier-ignore
      return { ID: createFile.id, id: createFile.id, fileId: createFile.id, uploadId: upload.uploadId };
    },
    'document-rendering': async () => {
      const fields = 'type:email,contentType:html';
      const { createCss } = await ask('document-rendering', 'mutation{createCss(input:{name:"c"}){id}}');
      await ask('document-rendering', `mutation{createTemplate(input:{name:"t",body:"{{ a }}",${fields}}){id}}`);
      const { createTemplate } = await ask('document-rendering', `mutation{createTemplate(input:{name:"l",body:"{% block content %}{% endblock %}",${fields}}){id}}`); // prettier-ignore
      return { templateName: 't', params: '{}', parentCssId: createCss.id, layoutId: createTemplate.id, body: '{{ a }}' };
    },
    'websockets-manager': async () => ({ expiresAt: '9000-01-01' }),
    'document-log': async () => {
      const input = '{documentId:"d",documentType:"t",dateTime:"2024-01-01",attribute:{id:"a",name:"n"}}';
      const { createLog } = await ask('document-log', `mutation{createLog(input:${input}){item{id}}}`);
      return { id: createLog.item.id, documentId: 'd', documentType: 't', checkpoint: null };
    },
    email: async () => ({ address: 'ann@example.com', to: 'ann@example.com', subject: 's', textBody: 't' }),
    admin: async () => {
      const { createTenant } = await ask('admin', 'mutation{createTenant(input:{name:"t"}){id}}');
      return { id: createTenant.id, tenantId: createTenant.id, scope: 'email-api:query:*' };
    },
  };

  it.each(Object.keys(KNOWN) as Service[])(
    'to %s gets an answer or an error code other than INTERNAL_SERVER_ERROR',
    async (service) => {
      const places = await placesOf(await apiOf(service), await KNOWN[service]());
      // Some range bounds are strings.
      const valuesOf = ({ name, scalar }: Place) => [...(VALUES[scalar] ?? []), ...(/\.(from|to)$/.test(name) ? TIMES : [])];
      const attempts = places.flatMap((place, row) =>
        valuesOf(place).flatMap((value, column) => ((row + column) % SHARE === 0 ? [{ place, value }] : [])),
      );
      expect(attempts.length).toBeGreaterThan(100);
      const failed: string[] = [];
      const attempt = async (): Promise<void> => {
        for (let next = attempts.pop(); next; next = attempts.pop()) {
          const { place, value } = next;
          const { status, errors = [] } = await place.send(value);
          const wrong = errors.filter(({ extensions }) =>
            ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'].includes(extensions.code),
          );
          if (status < 500 && wrong.length === 0) continue;
          failed.push(`${place.name} = ${JSON.stringify(value)?.slice(0, 40)}: ${status} ${JSON.stringify(wrong[0])}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, attempt));
      expect(failed).toEqual([]);
      expect(server.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
    },
  );
});
