// @nightly postgresql: no SQL of its own
import { randomBytes } from 'node:crypto';
import {
  createClient,
  type Client,
  ForbiddenError,
  UnauthenticatedError,
  verifyWebhook,
  WebhooksError,
} from '../clients/js/dist/index.js';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { ClientAndServer } from './support/client.js';
import { Receiver, RECEIVER_SETTINGS } from './support/webhooks.js';

const EVENTS = ['FILE_DONE', 'FILE_FAILED', 'MESSAGE_DELIVERED', 'RECIPIENT_BOUNCED', 'LOG_CREATED', 'TEMPLATE_CREATED'] as const;
const OF_FILES = ['FILE_DONE', 'FILE_FAILED'] as const;
const SERVICES = ['document-log', 'document-rendering', 'email', 'file-management', 'websockets-manager'];
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

describe('the webhooks of the JavaScript client', () => {
  let both: ClientAndServer;
  let receiver: Receiver;
  let url: string;
  let tenant: string;
  let client: Client;
  const clientWith = async (scope: string) =>
    createClient({ url: both.server.address, key: await both.server.createKey(scope, tenant), retries: 0 });
  const services = (webhooks: readonly { service: string }[]) => webhooks.map(({ service }) => service).sort();
  /** Sends a ping through each webhook, and returns the ids of those whose signature fits. */
  const signedWith = async (secret: string, one: Client = client) => {
    const [found] = (await one.webhooks.list()).filter((other) => other.url === url);
    receiver.received.length = 0;
    const byService = { files: one.files, rendering: one.rendering, push: one.push, log: one.log, email: one.email };
    for (const service of Object.values(byService) as unknown as Client['files'][]) {
      for (const { id, url: own } of (await service.webhooks()).items) if (own === url) await service.testWebhook({ id: id! });
    }
    const judged = receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, secret).then(() => true, () => false)); // prettier-ignore
    expect(judged).toHaveLength(found!.webhooks.length);
    return (await Promise.all(judged)).filter(Boolean).length;
  };

  beforeAll(async () => {
    both = await ClientAndServer.start(RECEIVER_SETTINGS);
    receiver = await Receiver.start();
  });
  beforeEach(async () => {
    both.proxy.pass();
    tenant = `tenant-${randomBytes(6).toString('hex')}`;
    url = `${receiver.url}/${tenant}`;
    client = await clientWith(ALL_SCOPES);
  });
  afterAll(async () => {
    await receiver.stop();
    await both.stop();
  });

  it('are one in each service of the events, with one secret', async () => {
    const created = await client.webhooks.create({ url, events: EVENTS });
    expect(services(created.webhooks)).toEqual(SERVICES);
    const updates = await Promise.all(Array.from({ length: 10 }, () => client.webhooks.create({ url, events: EVENTS })));
    expect(new Set(updates.map(({ events }) => events.join()))).toEqual(new Set([created.events.join()]));
    expect(await signedWith(created.secret!)).toBe(5);
    const [listed, ...others] = await client.webhooks.list();
    expect(others).toEqual([]);
    expect([...listed!.events].sort()).toEqual([...EVENTS].sort());
  });

  it('stay the same when they are created again', async () => {
    const given = newSecret();
    const first = await client.webhooks.create({ url, events: EVENTS, secret: given });
    const again = await client.webhooks.create({ url, events: EVENTS, secret: given });
    expect(again).toEqual(first);
    expect((await client.webhooks.create({ url, events: EVENTS })).secret).toBeUndefined();
    expect(await signedWith(given)).toBe(5);
    const { items } = await client.files.webhooks();
    expect(items.map(({ previousSecretUntil }) => previousSecretUntil)).toEqual([null]);
  });

  it('follow the events, and share the secret that a further service needs', async () => {
    const { secret: first } = await client.webhooks.create({ url, events: OF_FILES });
    const { secret, webhooks } = await client.webhooks.create({ url, events: ['FILE_DONE', 'LOG_CREATED'] });
    expect(services(webhooks)).toEqual(['document-log', 'file-management']);
    expect(secret).not.toBe(first);
    expect([await signedWith(secret!), await signedWith(first!)]).toEqual([2, 1]);
    const left = await client.webhooks.create({ url, events: ['LOG_CREATED'] });
    expect([services(left.webhooks), left.secret]).toEqual([['document-log'], undefined]);
    expect((await client.files.webhooks()).items).toEqual([]);
  });

  it('are active again, and one in each service, after they are created again', async () => {
    const secret = newSecret();
    const { webhooks } = await client.webhooks.create({ url, events: OF_FILES, secret });
    await client.files.updateWebhook({ id: webhooks[0]!.id, input: { active: false } });
    await client.files.createWebhook({ input: { url, events: ['FILE_DELETED'] } });
    const again = await client.webhooks.create({ url, events: OF_FILES, secret });
    expect(again.webhooks).toEqual(webhooks);
    expect((await client.files.webhooks()).items).toMatchObject([{ id: webhooks[0]!.id, active: true, events: [...OF_FILES] }]);
  });

  it('of which some failed are reported, and completed by the next call', async () => {
    const narrow = await clientWith(`${ALL_SCOPES.split(' ').filter((entry) => !entry.startsWith('email-api')).join(' ')} email-api:query:*`); // prettier-ignore
    const secret = newSecret();
    const error = await narrow.webhooks.create({ url, events: EVENTS, secret }).catch((refusal: WebhooksError) => refusal);
    expect(error).toBeInstanceOf(WebhooksError);
    const { failures, receiver: done, message } = error as WebhooksError;
    expect([...failures].map(([service, cause]) => [service, cause instanceof ForbiddenError])).toEqual([['email', true]]);
    expect(services(done.webhooks)).toEqual(SERVICES.filter((service) => service !== 'email'));
    expect(message).toMatch(/^email: .* Call again to complete the rest$/s);
    expect(services((await client.webhooks.create({ url, events: EVENTS, secret })).webhooks)).toEqual(SERVICES);
    expect(await signedWith(secret)).toBe(5);
  });

  it('need no access to services without events', async () => {
    const narrow = await clientWith('file-management-api:query:* file-management-api:mutation:*');
    const { webhooks } = await narrow.webhooks.create({ url, events: OF_FILES });
    expect(services(webhooks)).toEqual(['file-management']);
    expect(services((await narrow.webhooks.list())[0]!.webhooks)).toEqual(['file-management']);
    expect(await narrow.webhooks.delete(url)).toBe(1);
  });

  it('are deleted in all services by their URL, and others stay', async () => {
    await client.webhooks.create({ url, events: EVENTS });
    await client.webhooks.create({ url: `${url}/other`, events: OF_FILES });
    await client.files.createWebhook({ input: { url: 'poll:', events: ['FILE_DONE'] } });
    expect(await client.webhooks.delete(url)).toBe(5);
    expect(await client.webhooks.delete(url)).toBe(0);
    expect((await client.webhooks.list()).map((one) => one.url)).toEqual([`${url}/other`]);
    expect((await client.files.webhooks()).items).toHaveLength(2);
  });

  it('are refused for unknown events, no events, a bad secret, and poll:', async () => {
    const refusal = (options: object) => client.webhooks.create({ url, events: OF_FILES, ...options } as never);
    await expect(refusal({ events: ['NOTHING'] })).rejects.toThrow('NOTHING is no event: use names such as FILE_DONE');
    await expect(refusal({ events: ['constructor'] })).rejects.toThrow('constructor is no event');
    await expect(refusal({ events: [] })).rejects.toThrow('Give at least one event');
    await expect(refusal({ url: 'poll:' })).rejects.toThrow('poll: has no receiver');
    await expect(refusal({ secret: 'whsec_short' })).rejects.toThrow(/input\.secret .*must be whsec_|must be whsec_/);
    await expect(refusal({ url: 'http://10.0.0.1/' })).rejects.toThrow(WebhooksError);
    expect(await client.webhooks.list()).toEqual([]);
    const stranger = createClient({ url: both.server.address, key: 'wrong', retries: 0 });
    await expect(stranger.webhooks.list()).rejects.toThrow(UnauthenticatedError);
    await expect(stranger.webhooks.create({ url, events: OF_FILES })).rejects.toThrow(WebhooksError);
  });
});
