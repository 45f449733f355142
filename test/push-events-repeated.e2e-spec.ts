// @only postgresql: only a network loses an answer
import { createDatabase, type TestDatabase } from './support/databases.js';
import { PolledWebhook } from './support/polled-webhook.js';
import { FaultyProxy } from './support/s3.js';
import { TestServer } from './support/server.js';
import { Push, until } from './support/websockets.js';

describe('an event of a push recipient', () => {
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

  it('is stored once although the response of the database was lost, however often the node repeats it', async () => {
    const hook = await PolledWebhook.create(push.api, 'RECIPIENT_ONLINE', 'RECIPIENT_OFFLINE');
    const ann = await push.connect('ann');
    await hook.of('ann', 1);
    proxy.toStore = (bytes) => {
      proxy.losesAnswers ||= bytes.includes('INSERT INTO "Event"');
      return 'pass';
    };
    await ann.close();
    await until(async () => (await fetch(`${server.address}/health/ready`)).status === 503);
    proxy.pass();
    const bob = await until(() => push.connect('bob').catch(() => undefined));
    await hook.of('bob', 1); // stored after all events before it
    expect((await hook.of('ann', 2)).map(({ type }) => type)).toEqual(['recipient.online', 'recipient.offline']);
    await bob.close();
  });
});
