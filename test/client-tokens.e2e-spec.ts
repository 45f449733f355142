// @nightly postgresql: no SQL of its own
import { createClient, ForbiddenError } from '../clients/js/dist/index.js';
import { createClient as createPageClient } from '../clients/js/dist/edge.js';
import { TestServer } from './support/server.js';

const FILES = ['file-management-api:query:file', 'file-management-api:mutation:createFile'];

describe('the tokens of the JavaScript client', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('upload and register a recipient in a page, and are asked for again once they were denied', async () => {
    const client = createClient({ url: server.address, key: await server.createKey() });
    const scope = [...FILES, 'websockets-manager-api:mutation:registerRecipient'];
    let asked = 0;
    const key = async () => {
      asked += 1;
      return (await client.tokens.create({ scope, expiresIn: 600, recipient: 'ann', filePrefix: 'users/ann/' })).token!;
    };
    const page = createPageClient({ url: server.address, key });
    const file = await page.files.upload(new Blob(['text']), { name: 'users/ann/a.txt' });
    expect(await page.files.file({ ID: file.id })).toMatchObject({ name: 'users/ann/a.txt', status: 'done' });
    expect((await page.push.registerRecipient({ input: { recipient: 'ann' } })).connectionUri).toContain('token=');
    await expect(page.files.upload(new Blob(['text']), { name: 'users/bob/a.txt' })).rejects.toThrow(ForbiddenError);
    expect(asked).toBe(1);
    await client.tokens.deny({ recipient: 'ann' });
    expect((await page.push.registerRecipient({ input: { recipient: 'ann' } })).connectionUri).toContain('token=');
    expect(asked).toBe(2);
  });

  it('are created and denied in the first service that the key may use', async () => {
    const scope =
      'email-api:query:* email-api:mutation:createAccessToken document-log-api:query:* document-log-api:mutation:denyAccess';
    const client = createClient({ url: server.address, key: await server.createKey(scope), retries: 0 });
    const created = await client.tokens.create({
      scope: ['document-log-api:query:logs', 'email-api:query:messages'],
      expiresIn: 60,
    });
    expect(created).toMatchObject({ scope: ['document-log-api:query:logs', 'email-api:query:messages'], recipient: null });
    expect(await client.tokens.deny({ recipient: 'ann' })).toMatchObject({ recipient: 'ann', keyId: null });
    const none = createClient({ url: server.address, key: await server.createKey(FILES.join(' ')), retries: 0 });
    await expect(none.tokens.create({ scope: FILES, expiresIn: 60 })).rejects.toThrow(ForbiddenError);
  });
});
