// @only postgresql: several nodes
import { TestIssuer } from './nodes/issuer.mjs';
import { Api } from './support/api.js';
import { SignedIn } from './support/people.js';
import { TestServer } from './support/server.js';

const WITHIN_MS = 5_000;

describe('a change of access', () => {
  let issuer: TestIssuer;
  let nodes: TestServer[];
  let admin: Api;
  beforeAll(async () => {
    issuer = await TestIssuer.start();
    issuer.people = { ann: { name: 'Ann Lee', groups: ['editor:acme'] } };
    const first = await TestServer.start(issuer.settings());
    nodes = [first, await TestServer.start({ ...first.settings, PORT: '0' })];
    admin = await first.api('admin');
  });
  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.stop();
    await issuer.stop();
  });

  const statuses = (credential: string): Promise<number[]> =>
    Promise.all(nodes.map(async ({ address }) => (await new Api(address, 'email', credential).send('{version}')).status));
  /** Waits until every node refuses a credential, and returns the time that it took. */
  const refusedAfter = async (credential: string): Promise<number> => {
    const since = performance.now();
    while ((await statuses(credential)).includes(200)) await new Promise((resolve) => setTimeout(resolve, 20));
    return performance.now() - since;
  };
  const idOf = async (key: string): Promise<string> =>
    ((await (await fetch(`${nodes[0]!.address}/key`, { headers: { 'x-api-key': key } })).json()) as { id: string }).id;

  it('by updateKey takes effect on every node within 5 s, also for tokens of the key', async () => {
    const key = await nodes[0]!.createKey();
    const { createAccessToken } = await new Api(nodes[1]!.address, 'email', key).ask(
      'mutation{createAccessToken(input:{scope:["email-api:query:*"],expiresIn:600}){token}}',
    );
    expect([await statuses(key), await statuses(createAccessToken.token)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const scope = ['file-management-api:query:*'];
    await admin.ask('mutation($id:ID!,$scope:[String!]){updateKey(id:$id,input:{scope:$scope}){id}}', {
      id: await idOf(key),
      scope,
    });
    const [ofKey, ofToken] = await Promise.all([refusedAfter(key), refusedAfter(createAccessToken.token)]);
    expect([ofKey < WITHIN_MS, ofToken < WITHIN_MS]).toEqual([true, true]);
  });

  it('by denyAccess ends tokens on every node within 5 s', async () => {
    const key = await nodes[0]!.createKey();
    const api = new Api(nodes[1]!.address, 'email', key);
    const create = 'mutation{createAccessToken(input:{scope:["email-api:query:*"],expiresIn:600}){token}}';
    const { token } = (await api.ask(create)).createAccessToken;
    expect(await statuses(token)).toEqual([200, 200]);
    await api.ask('mutation($id:ID){denyAccess(input:{keyId:$id}){deniedAt}}', { id: await idOf(key) });
    expect(await refusedAfter(token)).toBeLessThan(WITHIN_MS);
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it('by a sign-out ends the session on every node within 5 s, and no other session of the person', async () => {
    const tenantId = await nodes[0]!.tenantIdOf(await nodes[0]!.api('email', await nodes[0]!.createKey(undefined, 'acme')));
    const [ann, other] = [await SignedIn.as('ann', nodes[0]!), await SignedIn.as('ann', nodes[0]!)];
    expect(await statuses(ann.in(tenantId))).toEqual([200, 200]);
    expect((await ann.send('/session/sign-out', { method: 'POST' })).status).toBe(200);
    expect(await refusedAfter(ann.in(tenantId))).toBeLessThan(WITHIN_MS);
    expect(await statuses(other.in(tenantId))).toEqual([200, 200]);
  });
});
