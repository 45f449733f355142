// @nightly: a node is killed again and again, and a database fails over
import { PostgresPair } from './nodes/postgres-server.mjs';
import { Api } from './support/api.js';
import { FROM } from './support/email.js';
import { describeWithOwnPostgres } from './support/postgres.js';
import { Deployment, freePort } from './support/process.js';
import { FaultyProxy } from './support/s3.js';
import { MailServer } from './support/smtp.js';
import { Push, until } from './support/websockets.js';

const PUSH = 'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id recipient}}}}';
const MESSAGES =
  'query($nextToken:String){messages(limit:1000,nextToken:$nextToken){nextToken items{id recipient status createdAt fallback{state emailId at error}}}}';
const MAILS = '{messages(limit:1,filter:{status:QUEUED}){items{id}}}';
/** Time to the fallbacks, within which most pushes are made. */
const AFTER_SECONDS = 10;
const PUSHES = 100;
const RECIPIENTS = Array.from({ length: 100 }, (_, index) => `r${index}`);
const CONNECTED = RECIPIENTS.slice(0, 50);
const KILLS = 9;
/** Pause between readings of all messages, which keep the node from its work. */
const BETWEEN_LISTS_MS = 2_000;
/** Time within which each mail is decided while a node is up. */
const MAX_LATE_MS = 5_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const addressOf = (recipient: string, push: number) => `${recipient}.${push}@example.com`;

/** A node that is started again after each kill, on one port, with recipients that reconnect. */
class Restarted {
  private readonly received = new Set<string>();
  private isOver = false;
  private server: Awaited<ReturnType<Deployment['serve']>>['server'];
  /** Times from each kill until the node was ready again. */
  readonly outages: [from: number, to: number][] = [];
  key = '';

  private constructor(
    private readonly deployment: Deployment,
    readonly mail: MailServer,
    private readonly port: number,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<Restarted> {
    const [mail, port] = [await MailServer.start(), await freePort()];
    const own = { PORT: String(port), SMTP_URL: mail.url, EMAIL_FROM: FROM, LOG_LEVEL: 'warn', ...settings };
    const node = new Restarted(await Deployment.create(own), mail, port);
    await node.serve();
    node.key = (await node.deployment.keys('create', '--tenant', 'shop', '--all-services')).match(/psk_\w+/)![0];
    return node;
  }

  get address(): string {
    return `http://localhost:${this.port}`;
  }

  api = (service: 'websockets-manager' | 'email') => new Api(this.address, service, this.key);

  private async serve(): Promise<void> {
    ({ server: this.server } = await this.deployment.serve({ LOG_LEVEL: 'info' }));
  }

  async killed(): Promise<void> {
    const from = Date.now();
    await this.server.stop('SIGKILL');
    await this.serve();
    this.outages.push([from, Date.now()]);
  }

  /** Repeats an operation until it is answered. */
  async sure<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      const done = await work().catch(() => undefined);
      if (done !== undefined) return done;
      await pause(200);
    }
  }

  /** Holds a connection of a recipient until the end. Notes the ids that it received. */
  async listen(recipient: string): Promise<void> {
    const push = new Push(this.api('websockets-manager'));
    while (!this.isOver) {
      const client = await push.connect(recipient).catch(() => undefined);
      if (!client) {
        await pause(200);
        continue;
      }
      client.socket.on('message', (data) => this.received.add((JSON.parse(String(data)) as { id: string }).id));
      const ended = (async () => {
        while (!this.isOver) await pause(100);
      })();
      await Promise.race([client.closed, ended]);
      client.socket.terminate();
    }
  }

  wasReceived = (id: string) => this.received.has(id);

  /** Makes all pushes, each until it is answered. Returns the addresses by message. */
  async pushAll(): Promise<Map<string, string>> {
    const addresses = new Map<string, string>();
    const api = this.api('websockets-manager');
    for (let index = 0; index < PUSHES; index++) {
      const to = RECIPIENTS.map((recipient) => ({ address: addressOf(recipient, index) }));
      const fallback = { after: AFTER_SECONDS, to, subject: 's', textBody: 't' };
      const input = { recipients: RECIPIENTS, message: 'm', idempotencyKey: `push ${index}`, fallback };
      const { results } = (await this.sure(() => api.ask(PUSH, { input }))).pushMessage;
      for (const { item } of results) addresses.set(item.id, addressOf(item.recipient, index));
      await pause(50);
    }
    return addresses;
  }

  async messages(): Promise<any[]> {
    const found: any[] = [];
    for (let nextToken: string | null = null; ;) {
      const page: any = await this.sure(() => this.api('websockets-manager').ask(MESSAGES, { nextToken }));
      found.push(...page.messages.items);
      if (!(nextToken = page.messages.nextToken)) return found;
    }
  }

  /** Waits until every fallback is decided and every mail sent. */
  async settled(queryDue: (sql: string) => Promise<unknown>): Promise<any[]> {
    const all = await until(async () => {
      const messages = await this.messages();
      if (messages.every(({ fallback }) => fallback.state !== 'WAITING')) return messages;
      await pause(BETWEEN_LISTS_MS);
      return undefined;
    }, 300_000);
    await queryDue(`UPDATE "Email" SET "dueAt" = "createdAt" WHERE "status" = 'QUEUED'`);
    await until(async () => (await this.sure(() => this.api('email').ask(MAILS))).messages.items.length === 0, 300_000);
    return all;
  }

  query = (sql: string) => this.deployment.query('only time ends the leases of the dead node', sql);

  async stop(): Promise<void> {
    this.isOver = true;
    await this.deployment.remove();
    await this.mail.stop();
  }
}

/** Checks that everybody has the message or one mail, and that no mail has two Message-IDs. */
function verify(node: Restarted, messages: any[], addresses: ReadonlyMap<string, string>): void {
  expect(messages).toHaveLength(PUSHES * RECIPIENTS.length);
  expect(addresses.size).toBe(PUSHES * RECIPIENTS.length);
  const idsOf = new Map<string, Set<string>>();
  for (const { to, parsed } of node.mail.mails) {
    const [address] = to;
    idsOf.set(address!, (idsOf.get(address!) ?? new Set()).add(parsed.messageId!));
  }
  const neither: unknown[] = [];
  const wrong: unknown[] = [];
  for (const { id, status, fallback } of messages) {
    const mails = [...(idsOf.get(addresses.get(id)!) ?? [])];
    if (mails.length === 0 && !(status === 'DELIVERED' && node.wasReceived(id))) neither.push({ id, status, fallback });
    if (mails.join() !== (fallback.state === 'SENT' ? `<${fallback.emailId}@sender.example>` : ''))
      wrong.push({ id, fallback, mails });
  }
  expect([neither, wrong]).toEqual([[], []]);
  const sent = messages.filter(({ fallback }) => fallback.state === 'SENT').length;
  expect(sent).toBeGreaterThanOrEqual((PUSHES * RECIPIENTS.length) / 2);
}

/** Checks that each mail was decided within 5 s of its time, or of the end of an outage within those 5 s. */
function verifyTimes(messages: any[], outages: readonly (readonly [from: number, to: number])[]): void {
  const late = messages.flatMap(({ createdAt, fallback: { state, at } }) => {
    const due = Date.parse(createdAt) + AFTER_SECONDS * 1_000;
    let from = due;
    for (const [begin, end] of outages) if (begin <= from + MAX_LATE_MS && end > from) from = end;
    const lateMs = Date.parse(at) - from;
    return state === 'SENT' && lateMs > MAX_LATE_MS ? [lateMs] : [];
  });
  expect(late).toEqual([]);
}

describe('10,000 fallbacks, half of their recipients connected', () => {
  it('leave nobody with neither message nor mail, and nobody with two mails, over nine kills of the node', async () => {
    const node = await Restarted.start();
    try {
      const listening = CONNECTED.map((recipient) => node.listen(recipient));
      const pushing = node.pushAll();
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(1_000 + 250 * (kill % 4));
        await node.killed();
      }
      const addresses = await pushing;
      const messages = await node.settled(node.query);
      verify(node, messages, addresses);
      verifyTimes(messages, node.outages);
      void listening;
    } finally {
      await node.stop();
    }
  });
});

describeWithOwnPostgres('10,000 fallbacks on a PostgreSQL with a standby', () => {
  it('leave nobody with neither message nor mail, and nobody with two mails, when it fails over', async () => {
    const pair = await PostgresPair.start();
    const proxy = await FaultyProxy.to(`http://127.0.0.1:${pair.primary.port}`);
    const node = await Restarted.start({ DATABASE_URL: `postgresql://test@${new URL(proxy.endpoint).host}/postgres` });
    try {
      const listening = CONNECTED.map((recipient) => node.listen(recipient));
      const addresses = await node.pushAll();
      await until(async () => (await node.messages()).some(({ fallback }) => fallback.state === 'SENT'));
      const lostAt = Date.now();
      await pair.losePrimary();
      await pair.promote();
      proxy.lead(pair.primary.port);
      const outage = [lostAt, Date.now()] as const;
      const messages = await node.settled((sql) => pair.primary.run(sql));
      verify(node, messages, addresses);
      verifyTimes(messages, [outage]);
      void listening;
    } finally {
      await node.stop();
      await proxy.close();
      await pair.remove();
    }
  });
});
