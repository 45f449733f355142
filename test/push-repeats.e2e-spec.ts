import { TestServer } from './support/server.js';
import { type Client, inSeconds, Push } from './support/websockets.js';

const ROUNDS = 40;
const AT_ONCE = 12;

describe('concurrent pushes with one idempotency key', () => {
  let server: TestServer;
  let push: Push;
  beforeAll(async () => {
    server = await TestServer.start();
    push = new Push(await server.api('websockets-manager'));
  });
  afterAll(() => server.stop());

  it.each(['cannot', 'can'])('send each connection one frame of a message that %s wait', async (word) => {
    const rest = word === 'can' ? { expiresAt: inSeconds(1_200) } : {};
    const recipients = ['ann', 'bob'];
    const clients: Client[] = [];
    for (const recipient of [...recipients, 'bob']) clients.push(await push.connect(recipient));
    const keys = Array.from({ length: ROUNDS }, (_, round) => `${word} wait ${round}`);
    for (const idempotencyKey of keys) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => push.push(recipients, idempotencyKey, { ...rest, idempotencyKey })),
      );
    }
    await push.push(recipients, 'last', rest);
    for (const client of clients) {
      await client.received(ROUNDS + 1);
      expect(client.texts).toEqual([...keys, 'last']);
      client.socket.terminate();
    }
  });
});
