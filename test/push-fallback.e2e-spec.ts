import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { Inbox } from './support/inbox.js';
import { CREATE } from './support/rendering.js';
import type { TestServer } from './support/server.js';
import { CANCEL, inSeconds, Push, until } from './support/websockets.js';

const FALLBACK = 'fallback{state emailId at error}';
const PUSH = `mutation($input:MessageInput!){pushMessage(input:$input){results{recipient item{id status ${FALLBACK}}}}}`;
const MESSAGES = `query($filter:MessagesFilter){messages(filter:$filter){items{id recipient status ${FALLBACK}}}}`;
const WEBHOOK = 'mutation($input:CreateWebhookInput!){createWebhook(input:$input){webhook{id}}}';
const DELIVERIES = 'query($id:ID!){webhookDeliveries(webhookId:$id){items{body}}}';

let email: Email;
let push: Push;
let mails: Email;
let server: TestServer;

beforeAll(async () => {
  email = await Email.start();
  ({ server } = email);
});
beforeEach(async () => {
  mails = await email.another();
  push = new Push(await server.api('websockets-manager', mails.api.key));
});
afterAll(async () => {
  await server.stop();
  await email.mail.stop();
});

const mailTo = (address: string, rest: object = {}) => ({ after: 60, to: [{ address }], subject: 's', textBody: 't', ...rest });
const send = async (recipients: string[], fallback: object | undefined, rest: object = {}) =>
  (await push.api.ask(PUSH, { input: { recipients, message: 'm', fallback, ...rest } })).pushMessage.results.map(
    ({ item }: { item: any }) => item,
  );
const refused = (fallback: object, api: Api = push.api, recipients = ['ann']) =>
  api.refusal(PUSH, { input: { recipients, message: 'm', fallback } });
const list = async (filter: object = {}) => (await push.api.ask(MESSAGES, { filter })).messages.items;
const stateOf = async (id: string) => (await list()).find((one: any) => one.id === id).fallback;
const pass = () =>
  allRowsOf('only time makes a fallback due', server).fallbackMail.updateMany({ data: { dueAt: new Date(Date.now() - 1_000) } });
const decided = (id: string) => until(async () => (await stateOf(id)).state !== 'WAITING' && stateOf(id));
const subjects = async () => (await mails.page()).items.map(({ subject }: any) => subject);

describe('a push with a fallback', () => {
  it('mails a recipient who is not connected, once, and names the mail', async () => {
    const to = someone();
    const [item] = await send(['ann'], mailTo(to, { textBody: 'You have news' }));
    expect(item).toMatchObject({ status: 'CANCELLED', fallback: { state: 'WAITING', emailId: null, error: null } });
    expect(Date.parse(item.fallback.at) - Date.now()).toBeGreaterThan(50_000);
    await pass();
    const { state, emailId } = await decided(item.id);
    expect(state).toBe('SENT');
    const [mail] = await email.mail.to(to);
    expect(mail!.parsed.text).toMatch(/^You have news/);
    expect(await mails.finished(emailId)).toMatchObject({ status: 'SENT', to: [{ address: to }] });
    expect(await allRowsOf('its content is shown nowhere', server).fallbackMail.count({ where: { subject: 's' } })).toBe(0);
  });

  it('mails nobody who confirmed the message, and shows so at once', async () => {
    const ann = await push.connect('ann');
    const [item] = await send(['ann'], mailTo(someone()));
    await push.settled(item.id, 'DELIVERED');
    expect(await stateOf(item.id)).toMatchObject({ state: 'NOT_NEEDED', emailId: null });
    const shown = await stateOf(item.id);
    await pass();
    const rows = allRowsOf('the API shows it before', server);
    await until(() => rows.messageFallback.findFirst({ where: { pushId: item.id, state: 'NOT_NEEDED' } }));
    expect(await stateOf(item.id)).toEqual(shown);
    expect(await subjects()).toEqual([]);
    expect(await rows.messageFallback.count({ where: { pushId: item.id, address: { not: null } } })).toBe(0);
    await ann.close();
  });

  it('sends each recipient a mail of its own, and a repeated recipient one, to its first address', async () => {
    const to = [someone(), someone(), someone()];
    const items = await send(['ann', 'bob', 'ann'], { after: 60, to: to.map((address) => ({ address })), textBody: 't' });
    expect(items).toHaveLength(2);
    await pass();
    for (const { id } of items) expect((await decided(id)).state).toBe('SENT');
    const { items: sent } = await mails.page();
    expect(sent.map((one: any) => one.to.map(({ address }: any) => address)).sort()).toEqual([[to[0]], [to[1]]].sort());
  });

  it('that is cancelled by the application mails nobody, even if it was CANCELLED before', async () => {
    const [waiting] = await send(['ann'], mailTo(someone()), { expiresAt: inSeconds(600) });
    const [missed] = await send(['bob'], mailTo(someone()));
    for (const { id } of [waiting, missed]) await push.api.ask(CANCEL, { id });
    expect(await stateOf(waiting.id)).toMatchObject({ state: 'NOT_NEEDED' });
    expect(await stateOf(missed.id)).toMatchObject({ state: 'NOT_NEEDED' });
    await pass();
    const rows = allRowsOf('the API shows it before', server);
    await until(async () => (await rows.messageFallback.count({ where: { pushId: waiting.id, state: 'WAITING' } })) === 0);
    expect(await subjects()).toEqual([]);
  });

  it('mails a recipient whose message expired, and one who is still waited for', async () => {
    const [item] = await send(['ann'], mailTo(someone()), { expiresAt: inSeconds(600) });
    await pass();
    expect(await decided(item.id)).toMatchObject({ state: 'SENT' });
    expect((await list())[0].status).toBe('PENDING');
    const ann = await push.connect('ann');
    await push.settled(item.id, 'DELIVERED');
    expect(await stateOf(item.id)).toMatchObject({ state: 'SENT' });
    await ann.close();
  });

  it('until: READ mails a recipient who confirmed but neither read nor archived the message', async () => {
    const inbox = new Inbox(push.api, 'ann');
    const ann = await push.connect('ann');
    const items: any[] = [];
    for (let made = 0; made < 3; made++)
      items.push(...(await send(['ann'], mailTo(someone(), { until: 'READ' }), { inbox: true })));
    const [left, read, archived] = items.map(({ id }) => id);
    await push.settled(left, 'DELIVERED');
    await inbox.mark('READ', { ids: [read] });
    await inbox.mark('ARCHIVED', { ids: [archived] });
    expect((await stateOf(read)).state).toBe('NOT_NEEDED');
    await pass();
    expect(await decided(left)).toMatchObject({ state: 'SENT' });
    const rows = allRowsOf('the API shows it before', server);
    await until(
      async () =>
        (await rows.messageFallback.count({ where: { pushId: { in: items.map(({ id }) => id) }, state: 'WAITING' } })) === 0,
    );
    for (const id of [read, archived]) expect((await stateOf(id)).state).toBe('NOT_NEEDED');
    expect(await subjects()).toHaveLength(1);
    await ann.close();
  });

  it('mails its template as it was at the push', async () => {
    const templates = await server.api('document-rendering', push.api.key);
    const input = {
      name: 'news',
      body: '<p>Hi {{ name }}</p>',
      contentType: 'html',
      type: 'email',
      subject: 'For {{ name }}',
    };
    const { createTemplate } = await templates.ask(CREATE, { input });
    const to = someone();
    const [item] = await send(['ann'], { after: 60, to: [{ address: to }], templateName: 'news', params: '{"name":"Ann"}' });
    await templates.ask('mutation($id:ID!){deleteTemplate(id:$id){id}}', { id: createTemplate.id });
    await pass();
    expect(await decided(item.id)).toMatchObject({ state: 'SENT' });
    const [mail] = await email.mail.to(to);
    expect([mail!.parsed.subject, mail!.parsed.text?.trim()]).toEqual(['For Ann', 'Hi Ann']);
  });

  it('from a sender that was deleted since is FAILED with the reason', async () => {
    const from = someone();
    await mails.api.ask('mutation($address:String!){verifyEmailIdentity(address:$address){address}}', { address: from });
    const [, url] = /(http\S+token=[\w-]+)/.exec((await email.mail.to(from))[0]!.parsed.text!)!;
    await fetch(url!, { method: 'POST', body: new URLSearchParams() });
    const [item] = await send(['ann'], mailTo(someone(), { from: { address: from } }));
    await mails.api.ask('mutation($address:String!){deleteEmailIdentity(address:$address){address}}', { address: from });
    await pass();
    expect(await decided(item.id)).toMatchObject({ state: 'FAILED', emailId: null, error: expect.stringContaining(from) });
    expect((await subjects()).filter((subject: string) => subject === 's')).toEqual([]);
  });

  it('with an idempotency key mails once, and returns its state when repeated', async () => {
    const fallback = mailTo(someone());
    const [item] = await send(['ann'], fallback, { idempotencyKey: 'k' });
    expect(await send(['ann'], fallback, { idempotencyKey: 'k' })).toEqual([item]);
    const input = { recipients: ['ann'], message: 'm', idempotencyKey: 'k' };
    expect(await push.api.refusal(PUSH, { input })).toMatchObject({ code: 'CONFLICT' });
    await pass();
    const { emailId } = await decided(item.id);
    expect((await send(['ann'], fallback, { idempotencyKey: 'k' }))[0].fallback).toMatchObject({ state: 'SENT', emailId });
    expect((await mails.page()).items).toHaveLength(1);
  });

  it('tells webhooks of the mail with the message and its fallback', async () => {
    const input = { url: 'poll:', events: ['MESSAGE_FELL_BACK'] };
    const { webhook } = (await push.api.ask(WEBHOOK, { input })).createWebhook;
    const [item] = await send(['ann'], mailTo(someone()));
    await pass();
    const { emailId } = await decided(item.id);
    const { items } = (await push.api.ask(DELIVERIES, { id: webhook.id })).webhookDeliveries;
    expect(JSON.parse(items[0].body)).toMatchObject({
      type: 'message.fell_back',
      subject: item.id,
      data: { id: item.id, recipient: 'ann', message: 'm', fallback: { state: 'SENT', emailId, error: null } },
    });
    expect(items).toHaveLength(1);
  });
});

describe('pushMessage', () => {
  it('refuses a fallback that sendMessage would refuse, naming its field, and stores no message', async () => {
    const cases: [object, string, string][] = [
      [mailTo('a', { to: [] }), 'BAD_USER_INPUT', 'input.fallback.to'],
      [mailTo('no address'), 'BAD_USER_INPUT', 'input.fallback.to.0.address'],
      [mailTo(someone(), { after: 4 }), 'BAD_USER_INPUT', 'input.fallback.after'],
      [mailTo(someone(), { after: 2_592_001 }), 'BAD_USER_INPUT', 'input.fallback.after'],
      [mailTo(someone(), { until: 'READ' }), 'BAD_USER_INPUT', 'input.fallback.until'],
      [mailTo(someone(), { textBody: null }), 'BAD_USER_INPUT', 'input.fallback.textBody'],
      [mailTo(someone(), { subject: 'a\nb' }), 'BAD_USER_INPUT', 'input.fallback.subject'],
      [mailTo(someone(), { templateName: 'x' }), 'BAD_USER_INPUT', 'input.fallback.subject'],
      [mailTo(someone(), { params: '{}' }), 'BAD_USER_INPUT', 'input.fallback.params'],
      [mailTo(someone(), { from: { address: 'b@example.org' } }), 'FAILED_PRECONDITION', 'input.fallback.from.address'],
      [{ after: 60, to: [{ address: someone() }], templateName: 'none' }, 'NOT_FOUND', 'input.fallback.templateName'],
    ];
    for (const [fallback, code, field] of cases) expect([field, await refused(fallback)]).toMatchObject([field, { code, field }]);
    expect(await list()).toEqual([]);
  });

  it('refuses a fallback to a key without the scope entry of sendMessage, and names the entry', async () => {
    const api = await server.api('websockets-manager', await server.createKey('websockets-manager-api:mutation:*'));
    const { code, message } = await refused(mailTo(someone()), api);
    expect([code, message]).toEqual(['FORBIDDEN', expect.stringContaining('email-api:mutation:sendMessage')]);
    await api.ask(PUSH, { input: { recipients: ['ann'], message: 'm' } });
  });
});

describe('a confirmation and a fallback at the same moment', () => {
  it('exclude each other: a message has a mail if and only if its fallback is SENT, and NOT_NEEDED stays', async () => {
    const ann = await push.connect('ann', {}, { autoPong: false });
    const ids: string[] = [];
    for (let index = 0; index < 40; index++) ids.push((await send(['ann'], mailTo(someone(), { subject: `s${index}` })))[0].id);
    await ann.received(40);
    const seen = new Set<string>();
    let isOver = false;
    const watching = (async () => {
      while (!isOver)
        for (const { id, fallback } of await list()) {
          if (fallback.state === 'NOT_NEEDED') seen.add(id);
          else if (seen.has(id)) throw new Error('a fallback was NOT_NEEDED before');
        }
    })();
    await pass();
    for (let sequence = 1; sequence <= 40; sequence++) {
      ann.socket.pong(String(sequence));
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    const rows = allRowsOf('the API shows confirmations before their decision', server);
    await until(async () => (await rows.messageFallback.count({ where: { pushId: { in: ids }, state: 'WAITING' } })) === 0);
    isOver = true;
    await watching;
    const messages = await list();
    const sent = messages.filter(({ fallback }: any) => fallback.state === 'SENT').map(({ id }: any) => `s${ids.indexOf(id)}`);
    expect((await subjects()).sort()).toEqual(sent.sort());
    expect(messages.map(({ fallback }: any) => fallback.state)).not.toContain('WAITING');
    await ann.close();
  });
});

describe('fallbacks of a tenant', () => {
  it('wait while it is suspended, and are mailed once it is resumed', async () => {
    const [item] = await send(['ann'], mailTo(someone()));
    await server.suspend(push.api);
    await pass();
    const other = new Push(await server.api('websockets-manager'));
    const input = { recipients: ['bob'], message: 'm', fallback: mailTo(someone()) };
    await other.api.ask(PUSH, { input });
    await pass();
    const rows = allRowsOf('a suspended tenant reads nothing', server);
    await until(async () => (await rows.messageFallback.count({ where: { state: 'WAITING' } })) === 1);
    expect(await rows.messageFallback.findFirst({ where: { pushId: item.id } })).toMatchObject({ state: 'WAITING' });
    await server.resume(push.api);
    await until(async () => (await push.api.send(MESSAGES)).errors === undefined);
    expect(await decided(item.id)).toMatchObject({ state: 'SENT' });
  });

  it('do not delay those of another: 1,000 due at once, and the other is decided among the first', async () => {
    const other = new Push(await server.api('websockets-manager'));
    const recipients = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
    const to = recipients.map((name) => ({ address: `${name}@example.com` }));
    await send(recipients, { after: 3_600, to, textBody: 't' });
    const input = { recipients: ['bob'], message: 'm', fallback: mailTo(someone()) };
    const { results } = (await other.api.ask(PUSH, { input })).pushMessage;
    await pass();
    const rows = allRowsOf('one count shows the order of decisions', server);
    await until(() => rows.messageFallback.findFirst({ where: { pushId: results[0].item.id, state: 'SENT' } }));
    const last = await until(async () => {
      const waiting = await rows.messageFallback.count({ where: { state: 'WAITING' } });
      return waiting === 0 ? rows.messageFallback.findFirst({ orderBy: { decidedAt: 'desc' } }) : undefined;
    });
    const own = await rows.messageFallback.findFirst({ where: { pushId: results[0].item.id } });
    const before = await rows.messageFallback.count({ where: { decidedAt: { lt: own!.decidedAt! }, name: null, state: 'SENT' } });
    expect([before <= 500, last.decidedAt! > own!.decidedAt!]).toEqual([true, true]);
  });

  it('of an erased person are removed with their mail, by recipient and by address', async () => {
    const [byName, byAddress] = [someone(), someone()];
    await send(['eve'], mailTo(byName));
    await send(['ann'], mailTo(byAddress));
    const admin = await server.api('admin');
    const tenantId = await server.tenantIdOf(push.api);
    const erase = 'mutation($input:ErasePersonInput!){erasePerson(input:$input){id}}';
    await admin.ask(erase, { input: { tenantId, recipient: 'eve' } });
    await admin.ask(erase, { input: { tenantId, emailAddress: byAddress.toUpperCase() } });
    const rows = allRowsOf('an erased row is shown nowhere', server);
    await until(async () => (await rows.messageFallback.count({ where: { tenantId } })) === 0);
    await until(async () => (await rows.fallbackMail.count({ where: { tenantId } })) === 0);
    expect((await list()).map(({ recipient, fallback }: any) => [recipient, fallback])).toEqual([['ann', null]]);
  });
});
