// @only postgresql: only a network loses an answer
import { createDatabase, type TestDatabase } from './support/databases.js';
import { PolledWebhook } from './support/polled-webhook.js';
import { FaultyProxy } from './support/s3.js';
import { TestServer } from './support/server.js';
import { Push, until } from './support/websockets.js';

describe('an event of a recipient', () => {
  let database: TestDatabase;
  let proxy: FaultyProxy;
  let server: TestServer;
  let push: Push;
  beforeAll(async () => {
    database = await createDatabase('postgresql');
    const url = new URL(database.settings('').DATABASE_URL!);
    proxy = await FaultyProxy.to(`http://${url.hostname}:${url.port || 5432}`);
    url.host = new URL(proxy.endpoint).host;
    server = await TestServer.start({ DATABASE_URL: url.href });
    push = new Push(await server.api('websockets-manager'));
  });
  afterAll(async () => {
    await server.stop();
    await proxy.close();
    await database.drop();
  });

  it('that was stored although the answer of the database was lost is stored once, however often the node repeats it', async () => {
    const hook = await PolledWebhook.create(push.api, 'RECIPIENT_ONLINE', 'RECIPIENT_OFFLINE');
    proxy.toStore = (bytes) => {
      proxy.losesAnswers ||= bytes.includes('INSERT INTO "Event"');
      return 'pass';
    };
    const ann = await push.connect('ann');
    await until(async () => (await fetch(`${server.address}/health/ready`)).status === 503);
    proxy.pass();
    await ann.close();
    await hook.of('ann', 2);
    const events = (await hook.of('ann', 2)).map(({ type }) => type);
    expect(events).toEqual(['recipient.online', 'recipient.offline']);
  });
});
