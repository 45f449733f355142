import { ApiKeysService } from '../src/common/auth/api-keys.service.js';
import type { Caller } from '../src/common/auth/caller.js';
import { TenantUsage } from '../src/common/tenants/tenant-usage.js';
import { KeyDescriptionService } from '../src/usage/key-description.service.js';
// Past the API: counts are stored without the pause of a minute.
import { RequestCounts } from '../src/common/tenants/request-counts.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

describe('GET /key', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const ask = (key?: string) => fetch(`${server.address}/key`, { headers: { ...(key !== undefined && { 'x-api-key': key }) } });
  const describe = async (key: string) => (await (await ask(key)).json()) as Record<string, unknown>;

  it('returns the scope, tenant and expiry of the key, and never the key', async () => {
    const key = await server.createKey('email-api:query:* email-api:mutation:sendMessage', 'key-tenant', 3_600);
    const response = await ask(key);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const text = await response.text();
    expect(text).not.toContain(key);
    const description = JSON.parse(text) as { expiresAt: string };
    expect(description).toMatchObject({
      name: null,
      prefix: key.slice(0, 12),
      scope: ['email-api:query:*', 'email-api:mutation:sendMessage'],
      tenant: { name: 'key-tenant' },
    });
    expect(Math.abs(new Date(description.expiresAt).getTime() - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect((await describe(await server.createKey('email-api:query:*'))).expiresAt).toBeNull();
  });

  it('returns the name of the key', async () => {
    const service = server.app.get(ApiKeysService);
    const key = await service.create({ tenant: 'key-tenant', name: 'Shop', scope: 'email-api:query:*' });
    expect(await describe(key)).toMatchObject({ name: 'Shop', prefix: key.slice(0, 12) });
  });

  it('returns the usage of the tenant, only for services that the key has an entry of', async () => {
    const files = await server.createKey('file-management-api:mutation:createFile', 'usage-tenant');
    await (await server.api('file-management', files)).ask('mutation { createFile(input: { name: "a" }) { id } }');
    await (await server.api('file-management', files)).ask('mutation { createFile(input: { name: "b" }) { id } }');
    expect((await describe(files)).limits).toEqual([
      { name: 'storedBytes', limit: null, used: 0 },
      { name: 'files', limit: null, used: 2 },
      { name: 'waitingEvents', limit: null, used: 0 },
    ]);
    const log = await server.createKey('document-log-api:query:*', 'usage-tenant');
    expect((await describe(log)).limits).toEqual([{ name: 'waitingEvents', limit: null, used: 0 }]);
  });

  it('counts the usage of the tenant once for concurrent requests', async () => {
    const key = await server.createKey('websockets-manager-api:query:*', 'shared-tenant');
    const { id: keyId, tenant, scope } = (await describe(key)) as { id: string; tenant: { id: string }; scope: string[] };
    const usage = server.app.get(TenantUsage, { strict: false });
    const { of } = usage;
    let counts = 0;
    usage.of = (ids) => {
      counts++;
      return of.call(usage, ids);
    };
    const descriptions = server.app.get(KeyDescriptionService, { strict: false });
    const caller = { keyId, keyPrefix: key.slice(0, 12), tenantId: tenant.id, scope } as unknown as Caller;
    const all = await Promise.all(Array.from({ length: 20 }, () => descriptions.describe(caller)));
    usage.of = of;
    expect(counts).toBe(1);
    for (const { limits } of all)
      expect(limits).toEqual([
        { name: 'waitingMessages', limit: null, used: 0 },
        { name: 'waitingEvents', limit: null, used: 0 },
      ]);
  });

  it('refuses a missing, a malformed and an unknown key exactly as the services do', async () => {
    for (const key of [undefined, '', 'psk_wrong', 'psk_' + 'A'.repeat(40)]) {
      const response = await ask(key);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([401, 'UNAUTHENTICATED']);
    }
    const response = await fetch(`${server.address}/key`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('GET /key/requests', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  /** Reads the counts once there are this many requests: a request is counted when its answer has been sent. */
  const countsOf = (key: string, requests: number): Promise<any> =>
    until(async () => {
      const counts = await requestsOf(key);
      const sum = counts.hours.reduce((total: number, hour: { requests: number }) => total + hour.requests, 0);
      return sum === requests && counts;
    });
  const requestsOf = async (key: string, search = ''): Promise<any> => {
    await server.app.get(RequestCounts, { strict: false }).flush();
    const response = await fetch(`${server.address}/key/requests${search}`, { headers: { 'x-api-key': key } });
    return response.json();
  };
  const send = async (service: 'email' | 'document-log', key: string, query: string) =>
    (await server.api(service, key)).send(query);

  it('counts the requests of all keys of a tenant by hour, service, key and code', async () => {
    const one = await server.createKey(undefined, 'counted-tenant');
    const other = await server.createKey('email-api:query:*', 'counted-tenant');
    for (let sent = 0; sent < 3; sent++) await send('email', one, '{ messages { items { id } } }');
    await send('email', one, '{ messages(limit: 0) { items { id } } }');
    await send('email', other, '{ a: version b: messages { items { id } } }');
    await send('email', other, '{ unknown }');
    await send('document-log', one, '{ version }');
    await fetch(`${server.address}/v1/emails`, { headers: { 'x-api-key': other } });
    const { hours, keys } = await countsOf(one, 8);
    expect(hours.reduce((sum: number, { errors }: { errors: number }) => sum + errors, 0)).toBe(2);
    expect(keys.map(({ service, key, code, requests }: any) => [service, key.prefix, code, requests])).toEqual([
      ['email', one.slice(0, 12), 'OK', 3],
      ['email', other.slice(0, 12), 'OK', 2],
      ['document-log', one.slice(0, 12), 'OK', 1],
      ['email', one.slice(0, 12), 'BAD_USER_INPUT', 1],
      ['email', other.slice(0, 12), 'GRAPHQL_VALIDATION_FAILED', 1],
    ]);
    expect((await requestsOf(other)).keys.map(({ service }: any) => service)).not.toContain('document-log');
  });

  it('adds later counts to the same hour, and counts a request that was refused before its operation by its status', async () => {
    const key = await server.createKey('email-api:query:*', 'refused-tenant');
    for (let sent = 0; sent < 2; sent++) {
      await send('document-log', key, '{ version }');
      await send('email', key, '{ version }');
      await server.app.get(RequestCounts, { strict: false }).flush();
    }
    expect((await countsOf(key, 2)).keys).toEqual([expect.objectContaining({ service: 'email', code: 'OK', requests: 2 })]);
    const all = await server.createKey(undefined, 'refused-tenant');
    expect((await countsOf(all, 4)).keys).toContainEqual(
      expect.objectContaining({ service: 'document-log', code: '403', requests: 2 }),
    );
  });

  it('shows nothing of another tenant, and refuses a number of hours outside its bounds', async () => {
    const key = await server.createKey(undefined, 'quiet-tenant');
    expect(await requestsOf(key)).toMatchObject({ hours: [], keys: [] });
    for (const hours of ['0', '721', '1.5', '-1', 'x', '', '99999999999999999999']) {
      expect(await requestsOf(key, `?hours=${hours}`)).toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    expect(Date.parse((await requestsOf(key, '?hours=720')).from)).toBeLessThan(Date.now() - 719 * 3_600_000);
  });
});
