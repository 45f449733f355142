import { randomUUID } from 'node:crypto';
import { ApiKeysService } from '../src/common/auth/api-keys.service.js';
import { ALL_SCOPES, SERVICES } from '../src/common/auth/scopes.js';
import { ADMIN_TENANT } from '../src/common/tenants/tenant-names.js';
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, SEND, someone } from './support/email.js';
import { TestServer } from './support/server.js';
import { lastTimeOf } from './support/time.js';
import { Client, Push, until } from './support/websockets.js';

const TENANT = 'id name state createdAt suspendedAt deletingAt limits{name limit used isOwn}';
const KEY = 'id tenantId name prefix scope createdAt expiresAt lastUsedAt revokedAt';
const CREATE_TENANT = `mutation($name:String!){createTenant(input:{name:$name}){${TENANT}}}`;
const CREATE_KEY = `mutation($input:CreateKeyInput!){createKey(input:$input){secret key{${KEY}}}}`;
const ROTATE = `mutation($input:RotateKeyInput!){rotateKey(input:$input){secret key{${KEY}}}}`;
const UPDATE = `mutation($id:ID!,$input:UpdateKeyInput!){updateKey(id:$id,input:$input){${KEY}}}`;
const KEYS = `query($id:ID!,$limit:Int,$nextToken:String){keys(tenantId:$id,limit:$limit,nextToken:$nextToken){items{${KEY}} nextToken}}`;
const LOGS = `{logs(limit:1000){items{documentType documentId action authorId attribute{id} attributeOldValue{raw} attributeNewValue{raw} comment custom1}}}`;
const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const ENTRIES = ALL_SCOPES.split(' ');

describe('the admin API', () => {
  let email: Email;
  let server: TestServer;
  let admin: Api;
  beforeAll(async () => {
    email = await Email.start({ TENANT_DELETION_QUIET_SECONDS: '10' });
    ({ server } = email);
    admin = await server.api('admin');
  });
  afterAll(() => email.stop());

  const createTenant = async (name = `t-${randomUUID()}`) => (await admin.ask(CREATE_TENANT, { name })).createTenant;
  const createKey = async (tenantId: string, input: object = {}) =>
    (await admin.ask(CREATE_KEY, { input: { tenantId, scope: ENTRIES, ...input } })).createKey;
  const update = async (id: string, input: object) => (await admin.ask(UPDATE, { id, input })).updateKey;
  const isUsable = async (key: string) =>
    (await new Api(server.address, 'file-management', key).send('{version}')).errors === undefined;
  const audit = async (documentId: string) => {
    const log = new Api(server.address, 'document-log', await server.createKey('document-log-api:query:*', ADMIN_TENANT));
    const { logs } = await log.ask(LOGS);
    return logs.items.filter((one: { documentId: string }) => one.documentId === documentId);
  };

  it('creates a tenant and a working key for it', async () => {
    const tenant = await createTenant('shop');
    expect(tenant).toMatchObject({ name: 'shop', state: 'ACTIVE', suspendedAt: null, deletingAt: null });
    expect(tenant.limits).toHaveLength(7);
    const { secret, key } = await createKey(tenant.id, { scope: ['file-management-api:mutation:createFile'] });
    const files = new Api(server.address, 'file-management', secret);
    await files.ask('mutation{createFile{id}}');
    expect((await files.refusal('{files{nextToken}}')).code).toBe('FORBIDDEN');
    expect(key).toMatchObject({ tenantId: tenant.id, prefix: secret.slice(0, 12), expiresAt: null, revokedAt: null });
    const used = (await admin.ask(`{tenants(name:"shop"){items{limits{name used}}}}`)).tenants.items[0].limits;
    expect(used).toContainEqual({ name: 'files', used: 1 });
    await until(async () => (await admin.ask(KEYS, { id: tenant.id })).keys.items[0].lastUsedAt !== null);
    expect(JSON.stringify(await admin.ask(KEYS, { id: tenant.id }))).not.toContain(secret.slice(12));
  });

  it('refuses every tenant key, whatever its scope, and callers without a key', async () => {
    const { secret } = await createKey((await createTenant()).id);
    for (const [key, status] of [
      [secret, 403],
      [await server.createKey(), 403],
      [undefined, 401],
    ] as const) {
      // prettier-ignore
      const answer = await new Api(server.address, 'admin', key).send('{__schema{queryType{name}}}');
      expect([answer.status, answer.data]).toEqual([status, undefined]);
    }
  });

  it('creates no admin key, and accepts admin entries for the admin tenant only', async () => {
    const { id: tenantId } = await createTenant();
    for (const scope of [
      'admin-api:query:*',
      'admin-api:mutation:createKey',
      '*',
      '*:query:*',
      'email-api:query:* admin-api:query:*',
    ]) {
      expect(await admin.refusal(CREATE_KEY, { input: { tenantId, scope: [scope] } })).toMatchObject({ code: 'BAD_USER_INPUT' });
      expect(await admin.refusal(CREATE_KEY, { input: { tenantId: ADMIN_TENANT, scope: [scope] } })).toBeTruthy();
    }
    await expect(server.createKey('admin-api:query:*', 'shop-2')).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'scope',
    });
    for (const scope of [ALL_SCOPES, 'document-log-api:mutation:createLog']) {
      await expect(server.createKey(scope, ADMIN_TENANT)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'scope' });
    }
    expect(ALL_SCOPES).not.toContain('admin-api');
  });

  it('requires the scope entry of each field', async () => {
    const { id } = await createTenant();
    const reader = await server.api('admin', await server.createKey('admin-api:query:tenant', ADMIN_TENANT));
    expect((await reader.ask(`{version tenant(id:"${id}"){id}}`)).tenant.id).toBe(id);
    for (const query of [
      '{tenants{nextToken}}',
      `{keys(tenantId:"${id}"){nextToken}}`,
      'mutation{createTenant(input:{name:"x"}){id}}',
      `mutation{suspendTenant(id:"${id}"){id}}`,
      `mutation{resumeTenant(id:"${id}"){id}}`,
      `mutation{deleteTenant(id:"${id}",name:"x"){id}}`,
      `mutation{revokeKey(id:"${id}"){id}}`,
      `mutation{setTenantLimits(id:"${id}",limits:[{name:files,limit:1}]){id}}`,
      `mutation{rotateKey(input:{id:"${id}"}){secret}}`,
      `mutation{updateKey(id:"${id}",input:{name:"x"}){id}}`,
      `mutation{createKey(input:{tenantId:"${id}",scope:["email-api:query:*"]}){secret}}`,
    ]) {
      // prettier-ignore
      expect(await reader.refusal(query)).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('admin-api:') });
    }
  });

  it.each([UNKNOWN, ADMIN_TENANT, '', 'x'])('treats tenant %j as nonexistent in every field', async (id) => {
    expect((await admin.ask('query($id:ID!){tenant(id:$id){id}}', { id })).tenant).toBeNull();
    for (const mutation of [
      'suspendTenant(id:$id){id}',
      'resumeTenant(id:$id){id}',
      'deleteTenant(id:$id,name:"x"){id}',
      'setTenantLimits(id:$id,limits:[{name:files,limit:1}]){id}',
      'createKey(input:{tenantId:$id,scope:["email-api:query:*"]}){secret}',
      'revokeKey(id:$id){id}',
      'updateKey(id:$id,input:{name:"x"}){id}',
      'rotateKey(input:{id:$id}){secret}',
    ]) {
      // prettier-ignore
      expect([mutation, (await admin.refusal(`mutation($id:ID!){${mutation}}`, { id })).code]).toEqual([mutation, 'NOT_FOUND']);
    }
    expect((await admin.refusal(KEYS, { id })).code).toBe('NOT_FOUND');
    expect((await admin.ask(`{tenants(name:"${ADMIN_TENANT}"){items{id}}}`)).tenants.items).toEqual([]);
  });

  it('lists tenants and keys in pages, each once', async () => {
    const { id } = await createTenant();
    for (let count = 0; count < 3; count++) await createKey(id);
    const ids: string[] = [];
    for (let nextToken = null, more = true; more; more = nextToken !== null) {
      const { keys } = await admin.ask(KEYS, { id, limit: 2, nextToken });
      ids.push(...keys.items.map((key: { id: string }) => key.id));
      ({ nextToken } = keys);
    }
    expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
    const first = (await admin.ask('{tenants(limit:1){items{id} nextToken}}')).tenants;
    const second = (await admin.ask('query($t:String){tenants(limit:1,nextToken:$t){items{id}}}', { t: first.nextToken }))
      .tenants;
    expect(second.items[0].id > first.items[0].id).toBe(true);
  });

  it('sets limits that apply at once, and reports which ones the tenant has of its own', async () => {
    const { id } = await createTenant();
    const SET =
      'mutation($id:ID!,$limits:[TenantLimitInput!]!){setTenantLimits(id:$id,limits:$limits){limits{name limit isOwn}}}';
    const set = async (limits: object[]) => (await admin.ask(SET, { id, limits })).setTenantLimits.limits;
    expect(await set([{ name: 'files', limit: 0 }, { name: 'templates', limit: 2 }])).toEqual(
      expect.arrayContaining([
        { name: 'files', limit: null, isOwn: true },
        { name: 'templates', limit: 2, isOwn: true },
        { name: 'storedBytes', limit: null, isOwn: false },
      ]),
    ); // prettier-ignore
    expect(await set([{ name: 'templates' }])).toContainEqual({ name: 'templates', limit: null, isOwn: false });
    for (const limits of [
      [],
      [{ name: 'files', limit: -1 }],
      [{ name: 'files', limit: 1.5 }],
      [{ name: 'files' }, { name: 'files' }],
    ]) {
      expect((await admin.refusal(SET, { id, limits })).code).toBe('BAD_USER_INPUT');
    }
    const values = (await audit(id)).map((one: any) => [
      one.attribute.id,
      one.attributeOldValue?.raw,
      one.attributeNewValue?.raw,
    ]);
    expect(values).toEqual(expect.arrayContaining([['files', undefined, 'unlimited'], ['templates', '2', undefined]])); // prettier-ignore
  });

  it('counts the working keys of each tenant, and reports when one was last used', async () => {
    const [none, some] = [await createTenant(), await createTenant()];
    const USE = 'id activeKeys lastUsedAt';
    const [first, second] = [await createKey(some.id), await createKey(some.id, { expiresIn: 1 })];
    await createKey(some.id);
    await isUsable(first.secret);
    await admin.ask('mutation($id:ID!){revokeKey(id:$id){id}}', { id: first.key.id });
    await lastTimeOf(() => isUsable(second.secret));
    const useOf = async (id: string) => (await admin.ask(`query($id:ID!){tenant(id:$id){${USE}}}`, { id })).tenant;
    await until(async () => (await useOf(some.id)).lastUsedAt !== null);
    expect(await useOf(some.id)).toMatchObject({ activeKeys: 1 });
    const { items } = (await admin.ask(`{tenants(limit:1000){items{${USE}}}}`)).tenants;
    expect(items).toContainEqual({ id: none.id, activeKeys: 0, lastUsedAt: null });
    expect(items).toContainEqual(await useOf(some.id));
  });

  it('refuses a tenant name that is taken', async () => {
    const { name } = await createTenant();
    expect(await admin.refusal(CREATE_TENANT, { name })).toMatchObject({ code: 'CONFLICT', field: 'input.name' });
    for (const wrong of ['', 'a\nb', 'x'.repeat(257), ADMIN_TENANT]) {
      expect(await admin.refusal(CREATE_TENANT, { name: wrong })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.name' });
    }
  });

  it('rotates a key: both work during the overlap, and only the new one after it', async () => {
    const { id: tenantId } = await createTenant();
    const old = await createKey(tenantId, { scope: ['file-management-api:query:*'] });
    const rotated = (await admin.ask(ROTATE, { input: { id: old.key.id, overlap: 2 } })).rotateKey;
    const end = Date.now() + 2_000;
    expect(rotated.key).toMatchObject({ tenantId, scope: ['file-management-api:query:*'], expiresAt: null });
    expect([await isUsable(old.secret), await isUsable(rotated.secret)]).toEqual([true, true]);
    expect(await lastTimeOf(() => isUsable(old.secret))).toBeLessThan(end + 5_000);
    expect(await isUsable(rotated.secret)).toBe(true);
    expect((await admin.refusal(ROTATE, { input: { id: old.key.id } })).code).toBe('FAILED_PRECONDITION');
    const known = (await admin.ask(KEYS, { id: tenantId })).keys.items;
    expect(known.map((key: { expiresAt: string | null }) => key.expiresAt !== null)).toEqual([true, false]);
    for (const overlap of [-1, 2_592_001]) {
      expect((await admin.refusal(ROTATE, { input: { id: rotated.key.id, overlap } })).field).toBe('input.overlap');
    }
    const actions = [...(await audit(old.key.id)), ...(await audit(rotated.key.id))].map(({ action }) => action);
    expect(new Set(actions)).toEqual(new Set(['createKey', 'rotateKey']));
  });

  it('names a key; a rename changes the name, a rotation preserves it, and both are recorded', async () => {
    const { id: tenantId } = await createTenant();
    const RENAME = 'mutation($id:ID!,$name:String){updateKey(id:$id,input:{name:$name}){id name}}';
    const { key, secret } = await createKey(tenantId, { name: 'Shop <b>' });
    expect([key.name, (await createKey(tenantId)).key.name]).toEqual(['Shop <b>', null]);
    const rename = async (name: string | null) => (await admin.ask(RENAME, { id: key.id, name })).updateKey;
    expect(await rename('n'.repeat(100))).toEqual({ id: key.id, name: 'n'.repeat(100) });
    expect(await rename('Shop')).toEqual({ id: key.id, name: 'Shop' });
    expect(await rename('Shop')).toEqual({ id: key.id, name: 'Shop' });
    expect(await isUsable(secret)).toBe(true);
    expect((await admin.ask(ROTATE, { input: { id: key.id } })).rotateKey.key.name).toBe('Shop');
    await admin.ask('mutation($id:ID!){revokeKey(id:$id){id}}', { id: key.id });
    expect((await rename(null)).name).toBeNull();
    const names = (await admin.ask(KEYS, { id: tenantId })).keys.items.map((one: { name: string | null }) => one.name);
    expect(names).toEqual([null, null, 'Shop']);
    const changes = (await audit(key.id)).filter((one: any) => one.attribute.id === 'name');
    const told = changes.map((one: any) => [one.action, one.attributeOldValue?.raw, one.attributeNewValue?.raw]);
    expect(told).toHaveLength(4);
    const { prefix } = key;
    expect(new Set(changes.map((one: any) => one.comment))).toEqual(
      new Set([`Shop <b> (${prefix})`, `${'n'.repeat(100)} (${prefix})`, `Shop (${prefix})`, prefix]),
    );
    expect(changes.every((one: any) => one.custom1 === tenantId)).toBe(true);
    expect(told).toEqual(
      expect.arrayContaining([
        ['createKey', undefined, 'Shop <b>'],
        ['updateKey', 'Shop <b>', 'n'.repeat(100)],
        ['updateKey', 'n'.repeat(100), 'Shop'],
        ['updateKey', 'Shop', undefined],
      ]),
    );
    for (const name of ['', 'a\nb', 'a\u0000b', '\ud800', 'x'.repeat(101)]) {
      expect(await admin.refusal(RENAME, { id: key.id, name })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.name' });
      const input = { tenantId, scope: ENTRIES, name };
      expect(await admin.refusal(CREATE_KEY, { input })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.name' });
    }
    const own = (await server.app.get(ApiKeysService).list()).find(({ prefix }) => admin.key!.startsWith(prefix))!;
    expect((await admin.refusal(RENAME, { id: own.id, name: 'x' })).code).toBe('NOT_FOUND');
  });

  it('changes scope and expiry of a key within 5 seconds, leaves what is omitted, and records before and after', async () => {
    const { key, secret } = await createKey((await createTenant()).id, { name: 'Shop', expiresIn: 3_600 });
    const files = new Api(server.address, 'file-management', secret);
    const email = new Api(server.address, 'email', secret);
    await files.ask('mutation{createFile{id}}');
    const narrow = await update(key.id, { scope: ['file-management-api:query:*'], expiresIn: null });
    expect(narrow).toMatchObject({ name: 'Shop', scope: ['file-management-api:query:*'], expiresAt: null, prefix: key.prefix });
    const changedAt = Date.now();
    expect(await lastTimeOf(async () => (await email.send('{version}')).status === 200)).toBeLessThan(changedAt + 5_000);
    expect((await files.refusal('mutation{createFile{id}}')).code).toBe('FORBIDDEN');
    expect(await isUsable(secret)).toBe(true);
    expect(await update(key.id, { scope: null })).toMatchObject({ scope: ['file-management-api:query:*'], expiresAt: null });
    await update(key.id, { expiresIn: 1 });
    const endsAt = Date.now() + 1_000;
    expect(await lastTimeOf(() => isUsable(secret))).toBeLessThan(endsAt + 5_000);
    const changes = (await audit(key.id)).filter(({ action }: any) => action === 'updateKey');
    const told = changes.map((one: any) => [one.attribute.id, one.attributeOldValue?.raw, one.attributeNewValue?.raw]);
    expect(told).toContainEqual(['scope', ALL_SCOPES, 'file-management-api:query:*']);
    expect(told.filter(([attribute]: string[]) => attribute === 'expiresAt')).toHaveLength(2);
    expect(told).toHaveLength(3);
  });

  it('refuses to widen a key for an admin key that may not create keys, and any admin entry', async () => {
    const { key } = await createKey((await createTenant()).id, { scope: ['email-api:query:*'], expiresIn: 3_600 });
    const editor = await server.api('admin', await server.createKey('admin-api:mutation:updateKey', ADMIN_TENANT));
    for (const input of [
      { scope: ['email-api:query:*', 'email-api:mutation:sendMessage'] },
      { expiresIn: 7_200 },
      { expiresIn: null },
    ]) {
      expect((await editor.refusal(UPDATE, { id: key.id, input })).code).toBe('FORBIDDEN');
    }
    const input = { scope: ['email-api:query:messages'], expiresIn: 1_800, name: 'Reports' };
    expect((await editor.ask(UPDATE, { id: key.id, input })).updateKey).toMatchObject({ scope: input.scope, name: 'Reports' });
    for (const scope of [
      [],
      ['admin-api:query:*'],
      ['email-api:query:nothing'],
      ['email-api:query:* x'],
      Array(201).fill('a:b:*'),
    ]) {
      expect(await admin.refusal(UPDATE, { id: key.id, input: { scope } })).toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    for (const expiresIn of [0, -1, 2 ** 31 - 1 + 1]) {
      expect((await admin.refusal(UPDATE, { id: key.id, input: { expiresIn } })).code).toBe('BAD_USER_INPUT');
    }
    expect(await update(key.id, {})).toMatchObject({ scope: input.scope, name: 'Reports' });
  });

  it('changes a key once of many concurrent changes of the same state, and leaves it usable', async () => {
    const { key, secret } = await createKey((await createTenant()).id);
    const scopes = SERVICES.map((service) => [`${service}-api:query:*`]);
    const answers = await Promise.all(scopes.map((scope) => admin.send(UPDATE, { id: key.id, input: { scope } })));
    const codes = answers.flatMap(({ errors }) => errors?.map(({ extensions }: any) => extensions.code) ?? []);
    expect(new Set([...codes, 'CONFLICT'])).toEqual(new Set(['CONFLICT']));
    expect(codes.length).toBeLessThan(scopes.length);
    const [{ scope }] = (await admin.ask(KEYS, { id: key.tenantId })).keys.items;
    expect(scopes).toContainEqual(scope);
    const service = scope[0].split('-api:')[0];
    await until(async () => (await new Api(server.address, service, secret).send('{version}')).status === 200);
    expect((await update(key.id, { scope: ENTRIES })).scope).toEqual(ENTRIES);
  });

  it('changes only the name of a revoked or altered key', async () => {
    const { key } = await createKey((await createTenant()).id, { scope: ['email-api:query:*'] });
    const data = { scope: 'email-api:mutation:*' };
    await allRowsOf('no API alters a key without its MAC', server).apiKey.update({ where: { id: key.id }, data });
    const refused = async (input: object) => (await admin.refusal(UPDATE, { id: key.id, input })).code;
    expect(await refused({ expiresIn: 60 })).toBe('FAILED_PRECONDITION');
    await admin.ask('mutation($id:ID!){revokeKey(id:$id){id}}', { id: key.id });
    expect(await refused({ scope: ['email-api:query:*'] })).toBe('FAILED_PRECONDITION');
    expect(await update(key.id, { name: 'Old' })).toMatchObject({ name: 'Old' });
  });

  it('does not rotate a key whose scope was widened in the database', async () => {
    const { key } = await createKey((await createTenant()).id, { scope: ['email-api:query:*'] });
    const change = { where: { id: key.id }, data: { scope: 'admin-api:mutation:*' } };
    await allRowsOf('no API widens a key', server).apiKey.update(change);
    expect((await admin.refusal(ROTATE, { input: { id: key.id } })).code).toBe('FAILED_PRECONDITION');
  });

  it('revokes a key within 5 seconds, and refuses to revoke an admin key', async () => {
    const { secret, key } = await createKey((await createTenant()).id);
    expect(await isUsable(secret)).toBe(true);
    const REVOKE = 'mutation($id:ID!){revokeKey(id:$id){revokedAt}}';
    const { revokeKey } = await admin.ask(REVOKE, { id: key.id });
    const revokedAt = Date.now();
    expect(await lastTimeOf(() => isUsable(secret))).toBeLessThan(revokedAt + 5_000);
    expect((await admin.ask(REVOKE, { id: key.id })).revokeKey).toEqual(revokeKey);
    const own = (await server.app.get(ApiKeysService).list()).find(({ prefix }) => admin.key!.startsWith(prefix))!;
    expect((await admin.refusal(REVOKE, { id: own.id })).code).toBe('NOT_FOUND');
    expect((await admin.refusal(ROTATE, { input: { id: own.id } })).code).toBe('NOT_FOUND');
    expect(await audit(key.id)).toContainEqual(expect.objectContaining({ action: 'revokeKey', attribute: { id: 'revokedAt' } }));
  });

  it('suspends all access of a tenant within 5 seconds, preserves its data, and resumes it', async () => {
    const tenant = await createTenant();
    const { secret } = await createKey(tenant.id);
    const of = (service: 'file-management' | 'websockets-manager' | 'email') => new Api(server.address, service, secret);
    const input = 'input:{name:"a.txt",public:true}';
    const { createFile: file } = await of('file-management').ask(`mutation{createFile(${input}){id uploadUrl(expiresIn:600)}}`);
    await fetch(file.uploadUrl, { method: 'PUT', body: 'text' });
    const { downloadUrl } = (await of('file-management').ask(`{file(ID:"${file.id}"){downloadUrl}}`)).file;
    const push = new Push(of('websockets-manager'));
    const { connectionUri } = await push.register('ann');
    const client = await Client.open(connectionUri);
    await push.api.ask(
      'mutation{pushMessage(input:{recipients:["ann"],topic:"later",message:"waits",expiresAt:"2099-01-01"}){item{id}}}',
    );
    const to = someone();
    email.mail.treatments.set(to, { code: 451, at: 'DATA' });
    await of('email').ask(SEND, { input: { to: { address: to }, subject: 's', textBody: 't' } });
    await email.mail.receives(to);

    await admin.ask(`mutation{suspendTenant(id:"${tenant.id}"){state}}`);
    const suspendedAt = Date.now();
    expect(await lastTimeOf(() => isUsable(secret))).toBeLessThan(suspendedAt + 5_000);
    expect(await client.closed).toMatchObject({ code: 4403, reason: 'the tenant is suspended' });
    const message = 'The tenant is suspended; its operator can resume it';
    expect(await of('email').send('{version}')).toMatchObject({
      status: 403,
      errors: [{ message, extensions: { code: 'FORBIDDEN' } }],
    });
    const byUrl = [await fetch(downloadUrl), await fetch(file.uploadUrl, { method: 'PUT', body: 'b' })];
    expect(byUrl.map(({ status }) => status)).toEqual([403, 403]);
    expect(await (await Client.open(connectionUri)).closed).toMatchObject({ code: 4403 });
    email.mail.treatments.delete(to);
    await email.passTime();
    const other = await email.another();
    await other.finished(await other.send({ to: { address: someone() } }));
    expect(email.mail.mails.flatMap((one) => one.to)).not.toContain(to);

    await admin.ask(`mutation{resumeTenant(id:"${tenant.id}"){state}}`);
    await until(() => isUsable(secret));
    expect(await (await fetch(downloadUrl)).text()).toBe('text');
    const again = await push.connect('ann', { topic: 'later' });
    expect((await again.received(1))[0]).toMatchObject({ message: 'waits' });
    await again.close();
    await (await Client.open(connectionUri)).close();
    await email.passTime();
    await until(() => email.mail.mails.some((one) => one.to.includes(to)));
    const states = (await audit(tenant.id)).flatMap((one: any) =>
      one.attribute.id === 'state' ? [one.attributeNewValue.raw] : [],
    );
    expect(states.sort()).toEqual(['ACTIVE', 'ACTIVE', 'SUSPENDED']);
  });

  it('records each action with its author, sealed like any other record', async () => {
    const { id } = await createTenant('recorded');
    expect((await audit(id)).map((one: any) => one.comment)).toEqual(['recorded', 'recorded']);
    const own = (await audit(id)).map((one: any) => [one.documentType, one.action, one.attribute.id, one.attributeNewValue.raw]);
    expect(own.sort()).toEqual([
      ['tenant', 'createTenant', 'name', 'recorded'],
      ['tenant', 'createTenant', 'state', 'ACTIVE'],
    ]);
    const log = new Api(server.address, 'document-log', await server.createKey('document-log-api:query:*', ADMIN_TENANT));
    const verify = async () => (await log.ask('{verifyLogs{valid reason checkedRecords unsealedRecords}}')).verifyLogs;
    await until(async () => (await verify()).unsealedRecords === 0);
    expect(await verify()).toMatchObject({ valid: true });
    const CREATE = 'mutation{createLog(input:{documentId:"x",documentType:"tenant",dateTime:"2026-01-01"}){itemId}}';
    expect((await log.refusal(CREATE)).code).toBe('FORBIDDEN');
  });
});
