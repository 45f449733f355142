// @nightly: workers that are killed and frozen
import { readFileSync } from 'node:fs';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { holdsOnSeveralNodes } from './contracts/nodes.contract.js';
import { needing, SERVICE } from './support/needs.js';
import { Api, type GraphqlAnswer } from './support/api.js';
import { FROM, SEND, someone } from './support/email.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { MailServer } from './support/smtp.js';
import { type Client, inSeconds, Push, until } from './support/websockets.js';

const LIMIT = 5_000;
const MAILS = 100;
const { TEST_REDIS_URL } = process.env;
const withRedis = needing(SERVICE.redis).describe;
const TWO = { PORT: '0', WORKERS: '2', REDIS_URL: TEST_REDIS_URL! };

/** Takes a new connection for each request, so that the workers take turns. */
class FreshApi extends Api {
  override send(query: string, variables: Record<string, unknown> = {}): Promise<GraphqlAnswer> {
    return super.send(query, variables, { connection: 'close' });
  }
}

/** Returns the ping that confirms the first frame; a heartbeat may come before both. */
const pingBehindFrame = ({ socket, frames }: Client) =>
  new Promise<Buffer>((resolve) => socket.on('ping', (payload) => frames.length > 0 && resolve(payload)));

withRedis('a node of two workers', () => {
  let deployment: Deployment;
  let server: ServerProcess;
  let address: string;
  let push: Push;
  const fresh = async (tenant: string) => new FreshApi(address, 'websockets-manager', await keyOf(tenant));
  const keyOf = (tenant: string) => deployment.keys('create', '--tenant', tenant, '--scope', ALL_SCOPES);
  const lines = (pattern: RegExp) => [...server.output.matchAll(pattern)];
  /** The workers that serve, by what each logged once it did. */
  const serving = () => lines(/"worker":(\d+)[^\n]*"msg":"ready"/g).map(([, id]) => Number(id));
  const metrics = async (): Promise<string> => (await fetch(`${address}/metrics`, { headers: { connection: 'close' } })).text();
  const figure = async (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await metrics())?.[1]);
  const childrenOf = ({ child: { pid } }: ServerProcess) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const complete = async (times: number) => {
    await until(() => lines(/"msg":"all workers serve"/g).length >= times);
    await until(async () => (await figure('workers')) === 2);
  };
  const connectMany = (names: string[]): Promise<Client[]> => Promise.all(names.map((name) => push.connect(name)));

  beforeAll(async () => {
    deployment = await Deployment.create({ ...TWO, RATE_LIMIT_PER_MINUTE: String(LIMIT) });
    server = deployment.start();
    address = await server.ready();
    await complete(1);
    push = new Push(await fresh('shop'));
  });
  afterAll(() => deployment.remove());

  it('prints the first key once', () => {
    expect(serving()).toEqual([1, 2]);
    expect(lines(/psk_\w+/g)).toHaveLength(1);
  });

  it('serves one port with both, counts the requests of both, and is ready as one', async () => {
    const api = await fresh('count');
    const counted = 'graphql_operations_total\\{service="websockets-manager",operation="version",outcome="ok"\\}';
    const before = (await figure(counted)) || 0;
    const answers: GraphqlAnswer[] = [];
    for (let count = 0; count < 20; count++) answers.push(await api.send('{version}'));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await figure(counted)).toBe(before + 20);
    const workers = new Set(lines(/"worker":(\d+)[^\n]*websockets-manager\/graphql/g).map(([, id]) => id));
    expect([...workers].sort()).toEqual(['1', '2']);
    // A busy machine may take longer to start a first renderer than a check may take.
    const ready = async () => (await (await fetch(`${address}/health/ready`)).json()) as { status: string; checks: object };
    await until(async () => (await ready()).status === 'ok');
    expect(await ready()).toMatchObject({ status: 'ok', checks: { bus: 'ok' } });
  });

  it('charges the points of a key to one count in both workers', async () => {
    // Tried again where the machine was too busy for Redis to answer in time: then each worker counted by itself.
    await until(async () => {
      const api = await fresh('rated');
      const answers: GraphqlAnswer[] = [];
      for (let count = 0; count < 20; count++) answers.push(await api.send('{version}'));
      const left = answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]));
      return left.every((points, index) => points === LIMIT - 1 - index);
    });
  });

  describe('as several nodes', () => {
    let others: Push;
    beforeAll(async () => {
      others = new Push(await fresh('several'));
    });
    holdsOnSeveralNodes(() => [others, others, others]);
  });

  it('delivers a push to recipients of both, and lists each of them once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `many${index}`);
    const clients = await connectMany(names);
    const { results } = await push.push(names, 'to all of you');
    for (const client of clients) await client.received(1);
    await until(async () => (await push.messages({ status: 'DELIVERED' }, { limit: 100 })).items.length >= results.length);
    const { onlineRecipients } = await push.api.ask('{onlineRecipients(limit:5){items{recipient} count nextToken}}');
    expect(onlineRecipients).toMatchObject({ count: 8, items: names.slice(0, 5).map((recipient) => ({ recipient })) });
    for (const name of names) expect(await push.disconnect(name)).toBe(1);
    for (const client of clients) expect((await client.closed).code).toBe(4403);
  });

  it('continues with a worker killed: the other one serves and holds its connections, a new one starts and knows of them', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `killed${index}`);
    const clients = await connectMany(names);
    const gone = new Set<string>();
    clients.forEach((client, index) => void client.closed.then(() => gone.add(names[index]!)));
    process.kill(childrenOf(server).at(-1)!, 'SIGKILL');
    await server.until(/"msg":"a worker exited; starting another one"/);
    expect((await push.api.send('{version}')).status).toBe(200);
    await until(async () => {
      const { count } = (await push.api.ask('{onlineRecipients{count}}')).onlineRecipients;
      return count < names.length && count === names.length - gone.size;
    });
    expect(gone.size).toBeLessThan(names.length);
    const waiting = { expiresAt: inSeconds(600) };
    await push.push(names, 'to those who stayed and those who return', waiting);
    await complete(2);
    const all = await Promise.all(clients.map((client, at) => (gone.has(names[at]!) ? push.connect(names[at]!) : client)));
    for (const client of all) await client.received(1);
    await push.push(names, 'again', waiting);
    for (const client of all) await client.received(2);
    for (const client of all) await client.close();
  });

  it('continues with a worker frozen: it holds one new connection at most, and its metrics are left out', async () => {
    const frozen = childrenOf(server).at(-1)!;
    process.kill(frozen, 'SIGSTOP');
    try {
      let answered = 0;
      const all = Array.from({ length: 10 }, () => push.api.send('{version}'));
      for (const one of all) void one.then(() => answered++);
      await until(async () => answered >= all.length - 1);
      expect(await figure('workers')).toBe(1);
      process.kill(frozen, 'SIGCONT');
      for (const { status } of await Promise.all(all)) expect(status).toBe(200);
    } finally {
      process.kill(frozen, 'SIGCONT');
    }
  });

  it('replaces a worker that is frozen for good, and WebSockets reconnect', async () => {
    const times = lines(/"msg":"all workers serve"/g).length;
    process.kill(childrenOf(server).at(-1)!, 'SIGSTOP');
    await server.until(/"msg":"a worker did not respond for 20 s; it is killed"/);
    await complete(times + 1);
    const client = await push.connect('after the silence');
    await push.push('after the silence', 'hello');
    await client.received(1);
    await client.close();
  });

  it('stops both on SIGTERM, records what was confirmed, and exits with 0', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `last${index}`);
    const clients = await Promise.all(names.map((name) => push.connect(name, {}, { autoPong: false })));
    const pings = clients.map(pingBehindFrame);
    const { results } = await push.push(names, 'goodbye', { expiresAt: inSeconds(600) });
    const pids = childrenOf(server);
    clients.forEach(({ socket }, index) => void pings[index]!.then((payload) => socket.pong(payload)));
    for (const client of clients) await client.received(1);
    await Promise.all(pings);
    expect(await server.stop()).toBe(0);
    for (const client of clients) expect((await client.closed).code).toBe(1001);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(lines(/"signal":"SIGTERM","msg":"stopping"/g)).toHaveLength(2);

    const again = deployment.start({ WORKERS: '1' });
    const after = new Push(new Api(await again.ready(), 'websockets-manager', push.api.key));
    const { items } = await after.messages({ status: 'DELIVERED' }, { limit: 100 });
    const delivered = new Set(items.map(({ id }: { id: string }) => id));
    expect(results.filter(({ item }: any) => !delivered.has(item.id))).toEqual([]);
    expect(again.output).not.toContain('"worker":');
    await again.stop();
  });
});

withRedis('the background work of two workers', () => {
  it('happens once: a mail server that was down gets each queued mail, and each new one, a single time', async () => {
    const mail = await MailServer.start();
    const deployment = await Deployment.create({ ...TWO, SMTP_URL: mail.url, EMAIL_FROM: FROM });
    try {
      const server = deployment.start();
      const address = await server.ready();
      await server.until(/"msg":"all workers serve"/);
      const key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
      const api = new FreshApi(address, 'email', key);
      const send = async () => {
        const to = Array.from({ length: MAILS }, someone);
        await Promise.all(to.map((one) => api.ask(SEND, { input: { to: { address: one }, subject: 's', textBody: 't' } })));
        return to;
      };
      await mail.stop();
      const waiting = await send();
      await server.until(/"msg":"a mail will be retried"/);
      await mail.listen();
      const all = [...waiting, ...(await send())];
      const QUEUED = '{messages(filter:{status:QUEUED},limit:1){items{id}}}';
      await until(async () => (await api.ask(QUEUED)).messages.items.length === 0);
      expect(mail.mails.flatMap(({ to }) => to).sort()).toEqual(all.sort());
    } finally {
      await deployment.remove();
      await mail.stop();
    }
  });
});

withRedis('a node of two workers that cannot start', () => {
  it('reports the reason in one line, once, and exits with 1', async () => {
    const deployment = await Deployment.create(TWO);
    try {
      const refused = deployment.start({ HOST: '192.0.2.1' });
      expect(await refused.exited).toBe(1);
      const said = refused.output.split('\n').filter((line) => line.startsWith('platform-services did not start: '));
      expect(said).toEqual([expect.stringContaining('HOST must be an address of this machine')]);
    } finally {
      await deployment.remove();
    }
  });
});
