import { randomBytes } from 'node:crypto';
import { allRowsOf } from './support/behind-the-api.js';
import { callerTrace, Collector } from './support/collector.js';
import { FROM, SEND } from './support/email.js';
import { TestServer } from './support/server.js';
import { MailServer } from './support/smtp.js';
import { Client, inSeconds, Push, PUSH, REGISTER, until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const STORED = ['Message', 'GlobalMessage', 'OperationKey', 'RecipientCutoff', 'Email', 'EmailRecipient', 'EmailContent'];
const MAILS =
  'query($filter:EmailMessagesFilter){messages(filter:$filter,limit:100){items{lastError recipients{address lastError}}}}';
const PUSHES = 'query($filter:MessagesFilter){messages(filter:$filter){items{id}}}';

/** With a token in every name and address of a recipient, and in nothing else. */
describe('the log of a node and its exported spans name no recipient', () => {
  let collector: Collector;
  let mail: MailServer;
  let server: TestServer;
  let key: string;
  let token: string;
  beforeAll(async () => {
    [collector, mail] = await Promise.all([Collector.start(), MailServer.start()]);
    const settings = { SMTP_URL: mail.url, EMAIL_FROM: FROM, LOG_LEVEL: 'debug' };
    server = await TestServer.start({ ...collector.settings, ...settings });
    key = await server.createKey();
  });
  beforeEach(() => (token = `ann${randomBytes(8).toString('hex')}`));
  afterEach(async () => {
    // Spans leave in their order, so the others have come when those of a last request have.
    const { traceId, headers } = callerTrace();
    await (await server.api('email', key)).send('{version}', {}, headers);
    await collector.trace(traceId, (spans) => spans.length > 0);
    const exported = Buffer.concat(collector.bytes).toString('latin1');
    expect(exported).toContain('platform.tenant.id');
    const told = [...server.logLines, ...exported.split('\n')].filter((text) => text.toLowerCase().includes(token));
    expect(told).toEqual([]);
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([collector.stop(), mail.stop()]);
  });

  /** Lets the database fail, in words that have the whole row on PostgreSQL, or without the tables. */
  const whileItFails = async (how: 'refuses rows' | 'has no tables', run: () => Promise<unknown>) => {
    const database = allRowsOf('no API makes the database fail', server);
    const each = async (statement: (table: string) => string[]) => {
      for (const sql of STORED.flatMap(statement)) await database.$executeRawUnsafe(sql);
    };
    const isPostgres = databaseKind === 'postgresql';
    const refuse = (table: string) =>
      isPostgres
        ? [`ALTER TABLE "${table}" ADD CONSTRAINT "refused" CHECK (false) NOT VALID`]
        : ['INSERT', 'UPDATE'].map(
            (event) =>
              `CREATE TRIGGER "${event} ${table}" BEFORE ${event} ON "${table}" BEGIN SELECT RAISE(ABORT, 'refused'); END`,
          );
    const accept = (table: string) =>
      isPostgres
        ? [`ALTER TABLE "${table}" DROP CONSTRAINT "refused"`]
        : ['INSERT', 'UPDATE'].map((event) => `DROP TRIGGER "${event} ${table}"`);
    const rename = (from: string, to: string) => [`ALTER TABLE "${from}" RENAME TO "${to}"`];
    await each(how === 'refuses rows' ? refuse : (table) => rename(table, `no ${table}`));
    await run();
    await each(how === 'refuses rows' ? accept : (table) => rename(`no ${table}`, table));
  };

  it('of a push that is delivered, queued, refused, or fails in the database', async () => {
    const push = new Push(await server.api('websockets-manager', key));
    const [ann, absent, long] = [token, `absent ${token}`, `${token} ${'of a long name '.repeat(20)}`];
    const [client, other] = [await push.connect(ann), await push.connect(long)];
    const send = (input: object) => push.api.send(PUSH, { input: { message: 'm', ...input } });
    await send({ recipients: [ann, absent, long], expiresAt: inSeconds(600) });
    await client.received(1);
    await send({ recipients: [ann, ann, '', ' ', `${token}\0`, token.repeat(100)] });
    await send({ recipients: ann, expiresAt: token, topic: 5 });
    await push.api.send(`{messages(filter:{recipient:"${token}",status:LOST}){items{id}}}`);
    await push.api.send(REGISTER, { input: { recipient: token.repeat(100) } });
    const { connectionUri, token: own } = await push.register(ann);
    for (const wrong of [connectionUri.slice(0, -20), connectionUri.replace(own.value, token)]) {
      expect((await (await Client.open(wrong)).closed).code).toBe(4401);
    }
    for (const how of ['refuses rows', 'has no tables'] as const) {
      await whileItFails(how, async () => {
        const { errors } = await send({ recipients: [ann, long], expiresAt: inSeconds(600), idempotencyKey: 'k' });
        expect(errors).toHaveLength(1);
        await push.api.send(PUSHES, { filter: { recipient: ann } });
        await push.api.send(`mutation{disconnectRecipient(recipient:"${ann}")}`);
        await Client.open(connectionUri).then(
          (client) => client.close(),
          () => undefined, // the node may refuse what it cannot look up
        );
      });
    }
    await push.disconnect(ann);
    await Promise.all([client.closed, other.close()]);
  });

  it('of a mail that is sent, refused by the service or its server, or fails in the database', async () => {
    const api = await server.api('email', key);
    const address = (what: string) => `${what}.${token}@${token}.example`;
    const [sent, gone, busy, whole, dropped] = ['sent', 'gone', 'busy', 'whole', 'dropped'].map(address) as string[];
    mail.recipients.set(gone!, 550).set(busy!, 451);
    for (const one of [gone!, busy!, whole!]) mail.words.set(one, `5.1.1 <${one}> ${one.toUpperCase()} ${one.replace('@', '=')}`);
    mail.treatments.set(whole!, { code: 554, at: 'DATA' }).set(dropped!, 'drop before DATA');
    const send = (to: object, rest: object = {}) =>
      api.send(SEND, { input: { to, subject: 's', textBody: 't', ...rest } }, callerTrace().headers);
    await send([sent, gone, busy].map((one) => ({ address: one, name: token })));
    await send({ address: whole, name: token });
    const areTried = async () =>
      ((await api.ask(MAILS)).messages.items as { lastError: string | null }[]).every(({ lastError }) => lastError !== null);
    await until(areTried);
    await send({ address: dropped, name: token }); // which ends the connections of all
    await until(areTried);
    for (const replies of [['550 5.1.1', '451 5.1.1'], ['554 5.1.1']]) {
      expect(server.logLines.join('')).toContain(JSON.stringify({ replies }).slice(1, -1));
    }
    for (const bad of [`${token}@`, `${token} @x.example`, `${token}@${token}.example\n`, `${token}\0@x.example`]) {
      expect((await send({ address: bad })).errors).toHaveLength(1);
      expect((await send({ address: sent, name: `${token}\n` }, { cc: [{ address: bad }] })).errors).toHaveLength(1);
    }
    await send({ address: token, name: 5 });
    await api.send(`{messages(filter:{recipient:"${token}",status:LOST}){items{id}}}`);
    for (const how of ['refuses rows', 'has no tables'] as const) {
      await whileItFails(how, async () => {
        expect((await send({ address: sent, name: token }, { idempotencyKey: 'k' })).errors).toHaveLength(1);
        await api.send(MAILS, { filter: { recipient: sent } });
      });
    }
  });
});
