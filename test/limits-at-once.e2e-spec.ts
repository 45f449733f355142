import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../src/common/auth/scopes.js';
import { BackgroundJobs } from '../src/common/jobs/background-jobs.js';
import { uuidv7 } from '../src/common/base/ids.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email } from './support/email.js';

const CALLS = 40;

interface Limited {
  service: Service;
  limit: number;
  /** Mutation with a number in each name, and with `tenant` for the tenant. */
  create: (at: number, tenant: string) => string;
  model: 'webhook' | 'logStream' | 'emailDomain' | 'emailIdentity' | 'templatePartial' | 'personErasure';
  /** Columns in which two rows differ. */
  unique: (at: number) => object;
}

/** Every limit on a number of rows, by its constant. */
const LIMITS: Record<string, Limited> = {
  MAX_WEBHOOKS: {
    service: 'document-log',
    limit: 20,
    create: () => 'mutation{createWebhook(input:{url:"poll:",events:[LOG_CREATED]}){webhook{id}}}',
    model: 'webhook',
    unique: () => ({ id: uuidv7() }),
  },
  MAX_STREAMS: {
    service: 'document-log',
    limit: 5,
    create: () => 'mutation{createLogStream(input:{name:"n",destination:{https:{url:"https://siem.example"}}}){id}}',
    model: 'logStream',
    unique: () => ({ id: uuidv7() }),
  },
  MAX_PARTIALS: {
    service: 'document-rendering',
    limit: 1_000,
    create: (at) => `mutation{createPartial(input:{name:"n${at}",contentType:plain,body:"b"}){id}}`,
    model: 'templatePartial',
    unique: (at) => ({ id: uuidv7(), name: `m${at}`, nameHash: `m${at}` }),
  },
  MAX_DOMAINS: {
    service: 'email',
    limit: 100,
    create: (at) => `mutation{createEmailDomain(domain:"n${at}.example"){domain}}`,
    model: 'emailDomain',
    unique: (at) => ({ id: uuidv7(), domain: `m${at}.example` }),
  },
  MAX_IDENTITIES: {
    service: 'email',
    limit: 1_000,
    create: (at, tenant) => `mutation{verifyEmailIdentity(address:"n${at}@${tenant}.example"){address}}`,
    model: 'emailIdentity',
    unique: (at) => ({ address: `m${at}@sender.example`, tokenHash: uuidv7() }),
  },
  MAX_RUNNING_ERASURES: {
    service: 'admin',
    limit: 1_000,
    create: (at, tenant) => `mutation{erasePerson(input:{tenantId:"${tenant}",authorId:"n${at}"}){id}}`,
    model: 'personErasure',
    unique: () => ({ id: uuidv7() }),
  },
};

/** Constants that the sources compare a row count with. */
function countedLimits(): Set<string> {
  const folder = join(import.meta.dirname, '..', 'src');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\.count\(.*\)\)? [<>]=? (MAX_\w+)/g)].map(([, limit]) => limit!)));
}

let email: Email;
beforeAll(async () => {
  email = await Email.start();
  await email.server.app.get(BackgroundJobs, { strict: false }).onModuleDestroy(); // erasures stay running
});
afterAll(() => email.stop());

it('every limit on a number of rows is tested below', () => {
  expect([...countedLimits()].sort()).toEqual(Object.keys(LIMITS).sort());
});

it.each(Object.entries(LIMITS))(
  `%s holds where ${CALLS} calls come at once`,
  async (_, { service, limit, create, model, unique }) => {
    const { server } = email;
    const ofTenant = await server.api(service === 'admin' ? 'email' : service);
    const tenantId = await server.tenantIdOf(ofTenant);
    const api = service === 'admin' ? await server.api('admin') : ofTenant;
    // Each model has these methods, with arguments of its own.
    const rows = allRowsOf('a limit is reached by rows, not by 1,000 calls', server)[model] as any;
    const where = { tenantId };
    await api.ask(create(0, tenantId));
    const first = await rows.findFirst({ where });
    const missing = Math.max(0, limit - 4);
    await rows.createMany({ data: Array.from({ length: missing }, (__, at) => ({ ...first, ...unique(at) })) });
    const answers = await Promise.all(Array.from({ length: CALLS }, (__, at) => api.send(create(at + 1, tenantId))));
    expect(await rows.count({ where })).toBe(limit);
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(limit - missing - 1);
  },
);
