// @nightly postgresql: no SQL of its own
import { ApiKeysService } from '../src/common/auth/api-keys.service.js';
import type { Caller } from '../src/common/auth/caller.js';
import { TenantUsage } from '../src/common/tenants/tenant-usage.js';
import { KeyDescriptionService } from '../src/usage/key-description.service.js';
import { TestServer } from './support/server.js';

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
