// @nightly: a large tenant, and a node that is killed
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { tenantTables } from './support/tenant-tables.js';
import { Client, Push, until } from './support/websockets.js';

const TABLES = tenantTables();

const ERASE = 'mutation($input:ErasePersonInput!){erasePerson(input:$input){id state problem endedAt erased{kind count}}}';
const STATE = 'query($id:ID!){personErasure(id:$id){id tenantId state problem endedAt erased{kind count}}}';
const SEND = 'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}';
const MAILS = '{messages(limit:100){items{id status recipients{address status}}}}';
const CONTENT = 'query($id:ID!){messages(filter:{id:$id}){items{content{html text attachments{name}}}}}';
const BATCH = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{error{message}}}}';
/** More than one step of any kind erases. */
const MANY = 1_500;
const ANN = { authorId: 'ann-7f3c', recipient: 'ann-at-home-7f3c', emailAddress: 'Ann.7f3c@Example.com' };

/** A tenant as an application uses it. */
class Tenant {
  constructor(
    readonly id: string,
    private readonly key: string,
    private readonly address: () => string,
  ) {}

  get files() {
    return new Api(this.address(), 'file-management', this.key);
  }
  get templates() {
    return new Api(this.address(), 'document-rendering', this.key);
  }
  get push() {
    return new Push(new Api(this.address(), 'websockets-manager', this.key));
  }
  get log() {
    return new Api(this.address(), 'document-log', this.key);
  }
  get email() {
    return new Api(this.address(), 'email', this.key);
  }

  send = async (...to: string[]): Promise<string> => {
    const input = { to: to.map((address) => ({ address })), subject: 's', textBody: 't' };
    return (await this.email.ask(SEND, { input })).sendMessage.id;
  };
  contentOf = async (id: string) => (await this.email.ask(CONTENT, { id })).messages.items[0].content;
  mails = async (): Promise<any[]> => (await this.email.ask(MAILS)).messages.items;
}

describe('the erasure of a person', () => {
  let deployment: Deployment;
  let server: ServerProcess;
  let address: string;
  let adminKey: string;
  let admin: Api;
  beforeAll(async () => {
    // Nothing listens on the port of the mail server, so mails keep waiting.
    const mail = { SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'a@sender.example' };
    deployment = await Deployment.create({ TENANT_DELETION_QUIET_SECONDS: '10', RATE_LIMIT_PER_MINUTE: '0', ...mail });
    adminKey = await deployment.keys('create', '--tenant', 'platform-admin', '--scope', 'admin-api:query:* admin-api:mutation:*');
    await start();
  });
  afterAll(() => deployment.remove());

  const start = async () => {
    server = deployment.start({ PORT: '0' });
    address = await server.ready();
    admin = new Api(address, 'admin', adminKey);
  };
  const newTenant = async (name: string): Promise<Tenant> => {
    const { id } = (await admin.ask(`mutation{createTenant(input:{name:"${name}"}){id}}`)).createTenant;
    const input = { tenantId: id, scope: ALL_SCOPES.split(' ') };
    const { secret } = (await admin.ask('mutation($input:CreateKeyInput!){createKey(input:$input){secret}}', { input }))
      .createKey;
    return new Tenant(id, secret, () => address);
  };
  const erase = async (input: object) => (await admin.ask(ERASE, { input })).erasePerson;
  const stateOf = async (id: string) => (await admin.ask(STATE, { id })).personErasure;
  const done = (id: string) =>
    until(async () => {
      const found = await stateOf(id);
      return found.state === 'DONE' ? found : undefined;
    });
  /** Returns the tables in which rows of a tenant contain a name of the person. */
  const tablesNaming = async ({ id }: Tenant, person: object): Promise<string[]> => {
    const names = Object.values(person).map((name) => String(name).toLowerCase());
    const naming: string[] = [];
    for (const table of TABLES) {
      const rows = JSON.stringify(
        await deployment.query(
          'no API shows all that is stored of a person',
          `SELECT * FROM "${table}" WHERE "tenantId" = '${id}'`,
        ),
      ).toLowerCase();
      if (names.some((name) => rows.includes(name))) naming.push(table);
    }
    return naming;
  };
  /** Creates data of Ann and Bob in every place that names persons. */
  const fill = async (tenant: Tenant) => {
    for (const [id, email] of [
      [ANN.authorId, 'other@example.com'],
      ['other', ANN.emailAddress],
      ['bob', 'bob@example.com'],
    ] as const) {
      const author = `author:{id:"${id}",email:"${email}",name:"x"}`;
      await tenant.files.ask(`mutation{createFile(input:{name:"f",${author}}){id}}`);
      const { createTemplate } = await tenant.templates.ask(`mutation{createTemplate(input:{name:"t ${email.length}${id.length}",type:document,contentType:plain,body:"b",${author}}){id}}`); // prettier-ignore
      await tenant.templates.ask(`mutation{putTemplateTranslation(templateId:"${createTemplate.id}",locale:"de",input:{body:"b",${author}}){locale}}`); // prettier-ignore
      await tenant.templates.ask(`mutation{createCss(input:{name:"c",text:"p{}",${author}}){id}}`);
      await tenant.templates.ask(`mutation{createPartial(input:{name:"p ${email.length}${id.length}",contentType:plain,body:"b",${author}}){id}}`); // prettier-ignore
    }
    const authors = [ANN.authorId, 'bob'];
    const record = { documentId: 'd', documentType: 't', dateTime: '2026-01-01T00:00:00Z' };
    await tenant.log.ask(BATCH, {
      input: authors.map((id) => ({ ...record, author: { id, name: `name of ${id}` }, comment: `c of ${id}` })),
    });
    const expiresAt = '2099-01-01T00:00:00Z';
    await tenant.push.push([ANN.recipient, 'bob'], 'a message', { expiresAt });
    await tenant.push.pushGlobal('to all', { expiresAt });
  };

  it('removes the person from every place of the tenant, leaves all others, and forgets the person itself', async () => {
    const [shop, other] = [await newTenant('shop'), await newTenant('other')];
    await fill(shop);
    await fill(other);
    const ann = await shop.push.connect(ANN.recipient);
    const bob = await shop.push.connect('bob');
    await ann.received(2);
    await bob.received(2);
    await shop.email.ask(`mutation{verifyEmailIdentity(address:"${ANN.emailAddress}"){address}}`);
    for (const one of [shop, other])
      await one.email.ask(
        `mutation{createSuppressions(input:[{address:"${ANN.emailAddress}"},{address:"bob@example.com"}]){error{code}}}`,
      );
    const alone = await shop.send('ANN.7F3C@example.com');
    const both = await shop.send(ANN.emailAddress, 'bob@example.com');
    const bobs = await shop.send('bob@example.com');
    await other.send(ANN.emailAddress);
    const { connectionUri } = await shop.push.register(ANN.recipient);

    const asked = await erase({ tenantId: shop.id, ...ANN });
    expect(asked).toMatchObject({ state: 'RUNNING', endedAt: null });
    expect((await ann.closed).code).toBe(4403);
    const { erased, problem } = await done(asked.id);
    expect(problem).toBeNull();
    expect(Object.fromEntries(erased.map(({ kind, count }: any) => [kind, count]))).toEqual({
      'authors of files': 2,
      'authors of templates': 2,
      'authors of stylesheets': 2,
      'authors of partials': 2,
      'authors of translations': 2,
      'authors of versions': 4,
      'log records': 1,
      messages: 2,
      mails: 2,
      suppressions: 1,
      identities: 1,
    });

    expect((await (await Client.open(connectionUri)).closed).code).toBe(4401);
    const left = await shop.mails();
    expect(left.map(({ id, recipients }) => [id, recipients.map((one: any) => one.address)])).toEqual([
      [bobs, ['bob@example.com']],
      [both, ['bob@example.com']],
    ]);
    expect(left.map(({ id }) => id)).not.toContain(alone);
    expect((await shop.push.messages()).items.map((item: any) => item.recipient)).toEqual(['bob', 'bob']);
    const { files } = await shop.files.ask('{files{items{author{id}}}}');
    expect(files.items.map(({ author }: any) => author?.id ?? null).sort()).toEqual(['bob', null, null]);
    const { logs } = await shop.log.ask('{logs{items{author{id} comment}}}');
    expect(logs.items.map(({ author, comment }: any) => [author?.id ?? null, comment])).toEqual(
      expect.arrayContaining([[null, null], ['bob', 'c of bob']]), // prettier-ignore
    );
    expect((await shop.log.ask('{verifyLogs{valid reason}}')).verifyLogs).toEqual({ valid: true, reason: null });

    // A cutoff voids the tokens of a recipient until the last of them has ended.
    expect(await tablesNaming(shop, ANN)).toEqual(['RecipientCutoff']);
    expect((await other.push.messages()).items.map((item: any) => item.recipient).sort()).toEqual([ANN.recipient, 'bob']);
    expect((await other.mails())[0].recipients).toMatchObject([{ address: 'Ann.7f3c@example.com' }]);
    expect((await other.log.ask('{logs{items{author{id}}}}')).logs.items.map(({ author }: any) => author.id).sort()).toEqual([ANN.authorId, 'bob']); // prettier-ignore
    await bob.close();
  });

  it('continues where a killed node stopped, through thousands of messages, mails and records', async () => {
    const big = await newTenant('big');
    const expiresAt = '2099-01-01T00:00:00Z';
    const fifty = (field: (index: number) => string) => `mutation{${Array.from({ length: 50 }, (_, index) => `f${index}:${field(index)}`).join(' ')}}`; // prettier-ignore
    const record = { documentId: 'd', documentType: 't', dateTime: '2026-01-01T00:00:00Z', author: { id: ANN.authorId } };
    for (let batch = 0; batch < 2; batch++) await big.log.ask(BATCH, { input: Array.from({ length: MANY / 2 }, () => record) });
    const push = fifty(
      () => `pushMessage(input:{recipients:["${ANN.recipient}"],message:"m",expiresAt:"${expiresAt}"}){item{id}}`,
    );
    const send = fifty(() => `sendMessage(input:{to:[{address:"${ANN.emailAddress}"}],subject:"s",textBody:"t"}){id}`);
    for (let count = 0; count < MANY / 50; count++) await Promise.all([big.push.api.ask(push), big.email.ask(send)]);
    await big.push.push('bob', 'm', { expiresAt });
    const count = async (table: string) =>
      Number(
        (
          (
            await deployment.query(
              'no API counts the rows of a table',
              `SELECT count(*) AS "count" FROM "${table}" WHERE "tenantId" = '${big.id}'`,
            )
          )[0] as any
        ).count,
      );
    expect([await count('Message'), await count('Email')]).toEqual([MANY + 1, MANY]);

    const { id } = await erase({ tenantId: big.id, ...ANN });
    await until(async () => (await count('Message')) + (await count('Email')) < 2 * MANY);
    await server.stop('SIGKILL');
    await deployment.releaseLeases();
    await start();
    expect((await done(id)).problem).toBeNull();
    expect([await count('Message'), await count('Email')]).toEqual([1, 0]);
    expect(await tablesNaming(big, ANN)).toEqual(['RecipientCutoff']);
    expect((await big.log.ask('{verifyLogs{valid erasedRecords}}')).verifyLogs).toEqual({ valid: true, erasedRecords: MANY });
  });

  it('is recorded in the admin log without naming the person, and a repeated push finds its messages removed', async () => {
    const tenant = await newTenant('recorded');
    const waiting = { expiresAt: '2099-01-01T00:00:00Z', idempotencyKey: 'k' };
    expect((await tenant.push.push(ANN.recipient, 'm', waiting)).item.recipient).toBe(ANN.recipient);
    const id = await deployment.command('tenants', 'erase-person', 'recorded', '--recipient', ANN.recipient);
    await done(id);
    expect(await deployment.command('tenants', 'erasure', id)).toBe('DONE\t1 messages');
    expect(await tenant.push.push(ANN.recipient, 'm', waiting)).toEqual({ item: null, error: null, results: [] });
    const listed = await admin.ask(`{personErasures(tenantId:"${tenant.id}"){items{id state}nextToken}}`);
    expect(listed.personErasures).toEqual({ items: [{ id, state: 'DONE' }], nextToken: null });
    const key = await deployment.keys('create', '--tenant', 'platform-admin', '--scope', 'document-log-api:query:*');
    const log = new Api(address, 'document-log', key);
    const query = `{logs(filter:{documentId:"${tenant.id}"}){items{action author{name} attribute{id} attributeNewValue{raw}}}}`;
    const { items } = (await log.ask(query)).logs;
    expect(items.filter(({ attribute }: any) => attribute.id === `erasure ${id}`)).toEqual([
      { action: 'endPersonErasure', author: { name: 'server' }, attribute: { id: `erasure ${id}` }, attributeNewValue: { raw: 'DONE, 1 messages' } }, // prettier-ignore
      { action: 'erasePerson', author: { name: 'command line' }, attribute: { id: `erasure ${id}` }, attributeNewValue: { raw: 'RUNNING: recipient' } }, // prettier-ignore
    ]);
    expect(JSON.stringify(items)).not.toContain(ANN.recipient);
  });

  it('of an address waits for an attempt to send to it and for mails from it, and finishes a mail without other recipients', async () => {
    const tenant = await newTenant('waiting');
    const both = await tenant.send(ANN.emailAddress, 'bob@example.com');
    await deployment.query(
      'no API sends to one recipient and not to another',
      `UPDATE "EmailRecipient" SET "status" = 'SENT' WHERE "emailId" = '${both}' AND "position" = 1 RETURNING 1`,
    );
    const later = deployment.settings.DATABASE_URL ? `now() + interval '1 day'` : String(Date.now() + 86_400_000);
    const held = `UPDATE "Email" SET "leaseHolder" = 'another', "dueAt" = ${later} WHERE "id" = '${both}' AND "leaseHolder" IS NULL RETURNING 1`;
    await until(async () => (await deployment.query('no API makes a node that is sending a mail', held)).length === 1);
    const reply = { to: { address: 'bob@example.com' }, replyTo: { address: ANN.emailAddress }, subject: 's', textBody: 't' };
    const fromAnn = (await tenant.email.ask(SEND, { input: reply })).sendMessage.id;
    const { id } = await erase({ tenantId: tenant.id, emailAddress: ANN.emailAddress.toUpperCase() });
    await until(async () => /^mails: .*being sent/.test((await stateOf(id)).problem ?? ''));
    expect((await tenant.mails()).find((mail) => mail.id === both).recipients).toHaveLength(2);
    await deployment.query(
      'no API makes a node that has stopped sending a mail',
      `UPDATE "Email" SET "leaseHolder" = NULL WHERE "id" = '${both}' RETURNING 1`,
    );
    await until(async () => /^mails: .*are queued for others/.test((await stateOf(id)).problem ?? ''));
    const sent = `UPDATE "Email" SET "status" = 'SENT' WHERE "id" = '${fromAnn}' AND "leaseHolder" IS NULL RETURNING 1`;
    await until(async () => (await deployment.query('no API sends a mail without a node', sent)).length === 1);
    await done(id);
    expect(await tenant.mails()).toMatchObject([
      { id: both, status: 'SENT', recipients: [{ address: 'bob@example.com', status: 'SENT' }] },
    ]);
    const bodies = await deployment.query(
      'no API shows the content of an erased mail',
      `SELECT "text", "html" FROM "Email" WHERE "id" = '${both}'`,
    );
    expect(bodies).toEqual([{ text: null, html: null }]);
    expect(await tenant.contentOf(both)).toBeNull();
  });

  it.each([
    ['nobody', {}, 'BAD_USER_INPUT', 'input'],
    ['an empty name', { recipient: '' }, 'BAD_USER_INPUT', 'input.recipient'],
    ['a name that is too long', { authorId: 'x'.repeat(1_025) }, 'BAD_USER_INPUT', 'input.authorId'],
    ['what is no address', { emailAddress: 'ann' }, 'BAD_USER_INPUT', 'input.emailAddress'],
    ['a NUL', { emailAddress: 'a\0@example.com' }, 'BAD_USER_INPUT', 'input.emailAddress'],
    ['a tenant that does not exist', { tenantId: 'nobody', recipient: 'x' }, 'NOT_FOUND', undefined],
  ])('refuses %s', async (_, input, code, field) => {
    const { id } = (await admin.ask('{tenants(limit:1){items{id}}}')).tenants.items[0];
    const refusal = await admin.refusal(ERASE, { input: { tenantId: id, ...input } });
    expect([refusal.code, refusal.field]).toEqual([code, field]);
    expect((await admin.ask(STATE, { id: 'nobody' })).personErasure).toBeNull();
  });
});
