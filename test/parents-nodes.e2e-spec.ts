import { PARENTS_LOCK } from '../src/common/tenants/parents.queries.js';
import { Api } from './support/api.js';
import { allRowsOf, openPostgres } from './support/behind-the-api.js';
import { Family, type Member } from './support/family.js';
import { needing, program, SERVICE } from './support/needs.js';
import { OwnRedis } from './support/redis.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const CHILDREN = process.env.TEST_LONG === '1' ? 10_000 : 200;
/** Children with a key, which render on each node. */
const RENDERING = 5;
const WITHIN_MS = 5_000;
const MAKE = 'mutation($name:String!,$parentId:ID){createTenant(input:{name:$name,parentId:$parentId}){id}}';
const CREATE = 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}';
const UPDATE = 'mutation($id:ID!,$body:String!){updateTemplate(id:$id,input:{contentType:html,body:$body}){id}}';
const RENDER = 'query($input:RenderingInput!){render(input:$input){body}}';
const INPUT = { templateName: 'shared', params: '{}' };

/** Nodes share PostgreSQL only. */
const CLUSTERS: [string, ReturnType<typeof needing>][] =
  databaseKind === 'sqlite'
    ? [['one node', needing()]]
    : [
        ['two nodes without Redis', needing()],
        ['two nodes with Redis', needing(SERVICE.redis, program('redis-server'))],
      ];

describe.each(CLUSTERS)('one template of a parent on %s', (how, { it }) => {
  let redis: OwnRedis | undefined;
  let nodes: TestServer[] = [];
  let family: Family;
  let parent: Member;
  beforeAll(async () => {
    redis = how.includes('with Redis') ? await OwnRedis.start() : undefined;
    const first = await TestServer.start(redis ? { REDIS_URL: redis.url } : {});
    nodes = [first];
    if (how !== 'one node') nodes.push(await TestServer.start({ ...first.settings, PORT: '0' }));
    family = await Family.of(first);
    parent = await family.tenant();
  });
  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.stop();
    await redis?.stop();
  });

  const onAll = async (children: Member[], body: string): Promise<boolean> => {
    const bodies = await Promise.all(
      nodes.flatMap(({ address }) =>
        children.map(async ({ key }) => {
          const { data } = await new Api(address, 'document-rendering', key).send(RENDER, { input: INPUT });
          return data?.render?.body as string | undefined;
        }),
      ),
    );
    return bodies.every((one) => one === body);
  };

  const expectSoon = async (isSo: () => Promise<boolean>): Promise<void> => {
    const since = performance.now();
    await until(isSo);
    expect(performance.now() - since).toBeLessThan(WITHIN_MS);
  };

  it(`is one row for ${CHILDREN} children, and shows each change to all within ${WITHIN_MS / 1_000} s`, async () => {
    for (let at = RENDERING; at < CHILDREN; at += 50) {
      const some = Array.from({ length: Math.min(50, CHILDREN - at) }, (_, index) => `${how} ${at + index}`);
      await Promise.all(some.map((name) => family.admin.ask(MAKE, { name, parentId: parent.id })));
    }
    const children: Member[] = [];
    for (let at = 0; at < RENDERING; at++) children.push(await family.childOf(parent));
    const ofParent = await parent.as('document-rendering');
    const create = { input: { name: 'shared', type: 'document', contentType: 'html', body: 'first' } };
    const { id } = (await ofParent.ask(CREATE, create)).createTemplate;
    await until(() => onAll(children, 'first'));

    await ofParent.ask(UPDATE, { id, body: 'second' });
    await expectSoon(() => onAll(children, 'second'));

    const { template, tenant } = allRowsOf('no API counts the rows of all tenants', nodes[0]!);
    expect([await template.count(), await tenant.count({ where: { parentId: parent.id } })]).toEqual([1, CHILDREN]);

    await family.admin.ask('mutation($id:ID!){setTenantParent(id:$id){parentId}}', { id: children[0]!.id });
    const orphan = nodes.map(({ address }) => new Api(address, 'document-rendering', children[0]!.key));
    const refusals = () =>
      Promise.all(orphan.map(async (api) => (await api.send(RENDER, { input: INPUT })).errors?.[0]?.extensions?.code));
    await expectSoon(async () => (await refusals()).every((code) => code === 'NOT_FOUND'));
    expect(await onAll(children.slice(1), 'second')).toBe(true);
  });

  if (databaseKind === 'postgresql') {
    it('changes while others wait, whose changes of parents another node holds up', async () => {
      const client = await openPostgres('no API holds the lock of parents', nodes[0]!.settings.DATABASE_URL!);
      await client.query('BEGIN');
      await client.query(`SELECT pg_advisory_xact_lock(${PARENTS_LOCK})`);
      const names = Array.from({ length: 60 }, (_, at) => `${how} waiting ${at}`);
      const waiting = Promise.all(names.map((name) => family.admin.ask(MAKE, { name, parentId: parent.id })));
      const waits = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${PARENTS_LOCK % 2 ** 32} AND NOT granted`;
      await until(async () => (await client.query(waits)).rows.length > 0);
      const body = 'third';
      await expectSoon(async () => {
        const api = await parent.as('document-rendering');
        return (await api.ask(CREATE, { input: { name: how, type: 'document', contentType: 'html', body } })).createTemplate.id;
      });
      await client.query('COMMIT');
      await client.end();
      expect(await waiting).toHaveLength(names.length);
    });
  }
});
