import { Receiver, RECEIVER_SETTINGS, Webhooks } from './support/webhooks.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const CREATE_CSS = 'mutation($input:CreateCssInput!){createCss(input:$input){id}}';
const CREATE_LOG = 'mutation($input:CreateLogInput!){createLog(input:$input){itemId}}';
const FOREVER_MS = 600_000;

describe('webhooks of a server', () => {
  let server: TestServer;
  let receiver: Receiver;
  beforeAll(async () => {
    server = await TestServer.start(RECEIVER_SETTINGS);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    receiver = await Receiver.start();
    receiver.answer = ({ path }) => ({ status: 204, afterMs: path.startsWith('/slow') ? FOREVER_MS : 0 });
  });
  afterEach(() => receiver.stop());

  const at = (path: string): string => new URL(path, receiver.url).href;
  const pathsOf = (prefix: string): string[] =>
    receiver.received.map(({ path }) => path).filter((path) => path.startsWith(prefix));
  const ofNewTenant = async () => new Webhooks(server, await server.api('document-rendering'));
  const createCss = async (hooks: Webhooks, count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => hooks.api.ask(CREATE_CSS, { input: { name: 'n', text: '' } })));
  };
  const EVENTS = ['STYLESHEET_CREATED'];

  it('of one tenant with hanging receivers use no request of another at the same host', async () => {
    const hanging = await ofNewTenant();
    for (let n = 0; n < 12; n++) await hanging.create({ url: at(`/slow/${n}`), events: EVENTS });
    await createCss(hanging, 12);
    await until(() => pathsOf('/slow').length >= 10);
    const other = await ofNewTenant();
    const { webhook } = await other.create({ url: at('/well'), events: EVENTS });
    await createCss(other, 10);
    const deliveries = await other.settled(webhook.id, 10);
    expect(deliveries.map(({ status, attempts }) => [status, attempts])).toEqual(
      Array.from({ length: 10 }, () => ['DELIVERED', 1]),
    );
    expect(pathsOf('/slow')).toHaveLength(10);
  });

  it('get a request each, however many of their tenant hang', async () => {
    const hooks = await ofNewTenant();
    for (let n = 0; n < 9; n++) await hooks.create({ url: at(`/slow/${n}`), events: EVENTS });
    await createCss(hooks, 12);
    await until(() => pathsOf('/slow').length >= 9);
    const { webhook } = await hooks.create({ url: at('/well'), events: EVENTS });
    await createCss(hooks, 5);
    await hooks.settled(webhook.id, 5);
    expect(pathsOf('/well')).toHaveLength(5);
    expect(new Set(pathsOf('/slow'))).toHaveProperty('size', pathsOf('/slow').length); // one request to each
  });

  it('of one tenant use at most a fifth of the slots of a node', async () => {
    const hooks = await ofNewTenant();
    const log = new Webhooks(server, await server.api('document-log', hooks.api.key));
    const own = await Promise.all(Array.from({ length: 3 }, () => Receiver.start())); // hosts of their own
    for (const one of own) one.answer = receiver.answer;
    for (let n = 0; n < 30; n++) {
      const [owner, events] = n < 15 ? [hooks, EVENTS] : [log, ['LOG_CREATED']];
      await owner.create({ url: new URL(`/slow/${n}`, own[n % 3]!.url).href, events });
    }
    await createCss(hooks, 2);
    await log.api.ask(CREATE_LOG, { input: { documentId: 'd', documentType: 't', dateTime: '2026-01-01' } });
    const taken = () => own.reduce((sum, { received }) => sum + received.length, 0);
    await until(() => taken() >= 20);
    const other = await ofNewTenant();
    const { webhook } = await other.create({ url: at('/well'), events: EVENTS });
    await createCss(other, 1);
    await other.settled(webhook.id, 1);
    expect(taken()).toBe(20);
    await Promise.all(own.map((one) => one.stop()));
  });

  it('that fail leave half of the slots of their tenant to those that do not', async () => {
    const hooks = await ofNewTenant();
    const own = await Promise.all([Receiver.start(), Receiver.start()]); // hosts of their own
    for (const one of own) one.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    const failing: string[] = [];
    for (let n = 0; n < 18; n++) {
      failing.push((await hooks.create({ url: own[n % 2]!.url, events: EVENTS })).webhook.id);
    }
    await createCss(hooks, 1);
    await until(async () => (await hooks.all()).every(({ pausedUntil }) => pausedUntil !== null));
    const { webhook } = await hooks.create({ url: at('/well'), events: EVENTS });
    for (const one of own) {
      one.received.length = 0;
      one.answer = () => ({ status: 204, afterMs: FOREVER_MS });
    }
    for (const id of failing) await hooks.passTime(id);
    const taken = () => own.reduce((sum, { received }) => sum + received.length, 0);
    await until(() => taken() >= 10);
    await createCss(hooks, 1);
    await hooks.settled(webhook.id, 1);
    expect(taken()).toBe(10);
    await Promise.all(own.map((one) => one.stop()));
  });

  it('are sent one event at first, and up to ten concurrently after successes', async () => {
    const hooks = await ofNewTenant();
    const { webhook } = await hooks.create({ url: at('/well'), events: EVENTS });
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    await createCss(hooks, 1);
    await until(async () => (await hooks.find(webhook.id)).pausedUntil !== null);
    await createCss(hooks, 79);
    const underWay: number[] = [];
    let now = 0;
    receiver.answer = () => {
      underWay.push((now += 1));
      setTimeout(() => (now -= 1), 45);
      return { status: 204, afterMs: 50 };
    };
    await hooks.passTime(webhook.id);
    await hooks.settled(webhook.id, 80);
    expect(underWay.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...underWay)).toBe(10);
  });

  it('are paused after a time-out, with one attempt made', async () => {
    const hooks = await ofNewTenant();
    const { webhook } = await hooks.create({ url: at('/slow'), events: EVENTS });
    await createCss(hooks, 20);
    const [first, ...others] = await hooks.until(webhook.id, (all) => all.some(({ attempts }) => attempts > 0));
    expect([first.attempts, first.lastError]).toEqual([1, 'the server did not answer within 15 s']);
    expect(others.every(({ attempts }) => attempts === 0)).toBe(true);
    expect(pathsOf('/slow')).toHaveLength(1);
    await until(async () => (await hooks.find(webhook.id)).pausedUntil !== null);
  });
});
