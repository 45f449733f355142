import { randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { TestServer } from './support/server.js';
import { type Received, Receiver, RECEIVER_SETTINGS, Webhooks } from './support/webhooks.js';

const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;

describe('a secret given for a webhook', () => {
  let server: TestServer;
  let receiver: Receiver;
  let hooks: Webhooks;
  beforeAll(async () => {
    server = await TestServer.start(RECEIVER_SETTINGS);
    receiver = await Receiver.start();
    hooks = new Webhooks(server, await server.api('document-rendering'));
  });
  afterAll(async () => {
    await receiver.stop();
    await server.stop();
  });

  const create = (more: object) => hooks.create({ url: receiver.url, events: ['TEMPLATE_CREATED'], ...more });
  const ping = async (id: string): Promise<Received> => {
    await hooks.test(id);
    return receiver.received.at(-1)!;
  };
  const isSignedWith = (secret: string, { body, headers }: Received): boolean => {
    try {
      new StandardWebhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  it('signs the events of several webhooks', async () => {
    const given = newSecret();
    for (const bytes of [given, given]) {
      const { webhook, secret } = await create({ secret: bytes });
      expect(secret).toBe(given);
      expect(isSignedWith(given, await ping(webhook.id))).toBe(true);
    }
  });

  it('replaces the current one, which signs for another day', async () => {
    const { webhook, secret: first } = await create({});
    const second = newSecret(64);
    const before = Date.now();
    const updated = await hooks.update(webhook.id, { secret: second });
    expect(Date.parse(updated.previousSecretUntil) - before).toBeGreaterThanOrEqual(86_399_000);
    const request = await ping(webhook.id);
    expect([first, second].map((one) => isSignedWith(one, request))).toEqual([true, true]);
  });

  it('changes nothing when it is the current one, however often it is given', async () => {
    const given = newSecret(24);
    const { webhook } = await create({ secret: given });
    const updates = Array.from({ length: 8 }, () => hooks.update(webhook.id, { secret: given }));
    for (const updated of await Promise.all(updates)) expect(updated.previousSecretUntil).toBeNull();
  });

  it('is refused while five former ones still sign', async () => {
    const { webhook } = await create({});
    for (let count = 0; count < 5; count++) await hooks.update(webhook.id, { secret: newSecret() });
    await expect(hooks.update(webhook.id, { secret: newSecret() })).rejects.toThrow(/5 secrets of earlier rotations still sign/);
  });

  it('is refused in another form, and never repeated in the answer', async () => {
    const { webhook } = await create({});
    const bad = [
      '',
      'whsec_',
      newSecret(23),
      newSecret(65),
      newSecret().slice(6),
      `${newSecret()}=`,
      `${newSecret()}\n`,
      'whsec_ä',
    ];
    for (const secret of bad) {
      const refused = [create({ secret }), hooks.update(webhook.id, { secret })].map((call) =>
        call.catch((error: Error) => error.message),
      );
      for (const message of await Promise.all(refused)) {
        expect(message).toContain('must be whsec_ and the base64 of 24 to 64 bytes');
        if (secret.length > 6) expect(message).not.toContain(secret.slice(6));
      }
    }
  });
});
