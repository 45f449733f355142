import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';

declare const databaseKind: string;

/** PostgreSQL itself answers with these codes; a trigger brings it to do so without a disk of its own. SQLite: full-disk.spec. */
(databaseKind === 'postgresql' ? describe : describe.skip)('a disk or memory fault of the database', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start();
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  it.each([
    ['53100', /^The disk of the database is full/],
    ['53200', /^The database reports a disk or memory error/],
    ['58030', /^The database reports a disk or memory error/],
  ])('%s is reported as SERVICE_UNAVAILABLE, in a mutation and in an upload', async (code, message) => {
    const { uploadUrl } = (await api.ask('mutation{createFile{uploadUrl}}')).createFile;
    const database = allRowsOf('no API makes the database fail', server);
    await database.$executeRawUnsafe(
      `CREATE OR REPLACE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${code}'; END $$ LANGUAGE plpgsql`,
    );
    await database.$executeRawUnsafe(
      'CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON "File" FOR EACH ROW EXECUTE FUNCTION fail()',
    );
    const refusal = { code: 'SERVICE_UNAVAILABLE', message: expect.stringMatching(message) };
    expect(await api.refusal('mutation{createFile{id}}')).toEqual(refusal);
    const upload = await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') });
    expect([upload.status, await upload.json()]).toEqual([503, refusal]);
    await database.$executeRawUnsafe('DROP TRIGGER fail ON "File"');
    expect((await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') })).status).toBe(200);
  });
});

/** SQLite itself answers so; a pragma brings it to do so, as a disk does that was mounted read-only after an error. */
(databaseKind === 'sqlite' ? describe : describe.skip)('a read-only SQLite file', () => {
  it('refuses changes with SERVICE_UNAVAILABLE, in a mutation and in an upload, and serves reads', async () => {
    const server = await TestServer.start();
    const api = await server.api('file-management');
    const { id, uploadUrl } = (await api.ask('mutation{createFile{id uploadUrl}}')).createFile;
    const database = allRowsOf('no API makes the database fail', server);
    await database.$executeRawUnsafe('PRAGMA query_only = ON');
    const refusal = {
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(/^The database accepts no changes at present/),
    };
    expect(await api.refusal('mutation{createFile{id}}')).toEqual(refusal);
    const upload = await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') });
    expect([upload.status, await upload.json()]).toEqual([503, refusal]);
    expect((await api.ask(`{file(ID:"${id}"){id}}`)).file).toEqual({ id });
    await database.$executeRawUnsafe('PRAGMA query_only = OFF');
    expect((await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') })).status).toBe(200);
    await server.stop();
  });
});
