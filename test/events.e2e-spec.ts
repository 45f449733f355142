import { CloudEvent } from 'cloudevents';
import type { Service } from '../src/common/auth/scopes.js';
// Past the API: a run of the sweeper without its pause.
import { FileExpiry } from '../src/modules/file-management/expiry/file-expiry.job.js';
import { RetentionJob } from '../src/common/tenants/retention.job.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { eventsOf, Webhooks } from './support/webhooks.js';

const SHEET = 'name text author{id name email profile} createdAt updatedAt id';
const TEMPLATE = `id name type active subject body contentType css layoutId locale sampleParams version comment author{id name email profile} parentCss{${SHEET}} createdAt updatedAt`;
const FILE = `id name active comment author{id name email profile} contentType contentLength status error{code message} createdAt updatedAt
  expiresAt externalReference maxBytes uploaded public cacheControl attributes{name value} checksumSha256 etag`;
const LOG = `id documentId documentType attributeId dateTime authorId comment custom1 custom2 action createdAt updateAt erasedAt
  attribute{id name} attributeNewValue{raw display} attributeOldValue{raw display} author{id name profile} eventSource{id name}
  eventLocation{id geoLocation}`;

describe('events', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start({ FILE_RETENTION_DAYS: '30', LOG_RETENTION_DAYS: '30' });
  });
  afterAll(() => email.stop());

  /** A webhook of a new tenant for all events of a service, which are fetched. */
  const listening = async (service: Service) => {
    const hooks = new Webhooks(email.server, await email.server.api(service));
    const { data } = await hooks.api.send('{__type(name:"WebhookEvent"){enumValues{name}}}');
    const events = data.__type.enumValues.map(({ name }: { name: string }) => name);
    const { webhook } = await hooks.create({ url: 'poll:', events });
    const until = async (count: number): Promise<any[]> => {
      const deliveries = await hooks.until(webhook.id, (all) => all.length >= count);
      const events = eventsOf(deliveries);
      for (const event of events) expect(new CloudEvent(event as object).validate()).toBe(true);
      expect(events.map(({ id, subject }) => ({ id, subject }))).toEqual(deliveries.map(({ id, subject }) => ({ id, subject })));
      return events;
    };
    return { hooks, api: hooks.api, until };
  };
  const ofTypes = (...types: string[]) => types.map((type) => expect.objectContaining({ type }));

  it('of templates and stylesheets contain them as the API returns them', async () => {
    const { api, until } = await listening('document-rendering');
    const author = { id: 'a', name: 'Ann', email: null, profile: null };
    const css = (
      await api.ask(`mutation($input:CreateCssInput!){createCss(input:$input){${SHEET}}}`, {
        input: { name: 'c', text: 'a{}', author },
      })
    ).createCss;
    const template = (
      await api.ask(`mutation($input:CreateTemplateInput!){createTemplate(input:$input){${TEMPLATE}}}`, {
        input: { name: 't', type: 'document', body: '<p>{{x}}</p>', contentType: 'html', parentCssId: css.id },
      })
    ).createTemplate;
    const updated = (
      await api.ask(
        `mutation($id:ID!){updateTemplate(id:$id,input:{body:"<p>{{y}}</p>",contentType:html,comment:"c"}){${TEMPLATE}}}`,
        { id: template.id },
      )
    ).updateTemplate;
    await api.ask('mutation($id:ID!){deleteTemplate(id:$id){id}}', { id: template.id });
    const changed = (await api.ask(`mutation($id:ID!){updateCss(id:$id,input:{text:"b{}"}){${SHEET}}}`, { id: css.id }))
      .updateCss;
    await api.ask('mutation($id:ID!){deleteCss(id:$id){id}}', { id: css.id });
    const events = await until(6);
    expect(events).toEqual(
      ofTypes(
        'stylesheet.created',
        'template.created',
        'template.updated',
        'template.deleted',
        'stylesheet.updated',
        'stylesheet.deleted',
      ),
    );
    expect(events.map(({ data }) => data)).toEqual([css, template, updated, updated, changed, changed]);
  });

  it('of files contain them as the API returns them, without signed URLs', async () => {
    const { api, until } = await listening('file-management');
    const create = async (input: object) =>
      (await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}', { input })).createFile;
    const put = (url: string, body: string) => fetch(url, { method: 'PUT', body });
    const shown = async (id: string) => (await api.ask(`query($id:ID!){file(ID:$id){${FILE}}}`, { id })).file;
    const file = await create({ name: 'a.txt', attributes: [{ name: 'k', value: 'v' }] });
    await put(file.uploadUrl, 'hello');
    const done = await shown(file.id);
    const wrong = await create({ name: 'b.txt', checksumSha256: 'a'.repeat(64) });
    expect((await put(wrong.uploadUrl, 'x')).status).toBe(400);
    const failed = await shown(wrong.id);
    await api.ask('mutation($id:String){deleteFile(id:$id){id}}', { id: file.id });
    const brief = await create({ expiresIn: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await email.server.app.get(FileExpiry, { strict: false }).expire();
    const events = await until(4);
    expect(events).toEqual(ofTypes('file.done', 'file.failed', 'file.deleted', 'file.expired'));
    expect(events.map(({ data }) => data)).toEqual([done, failed, done, await shown(brief.id)]);
    expect(events[1].data.error.code).toBe('BAD_USER_INPUT');
    expect(JSON.stringify(events)).not.toMatch(/uploadUrl|downloadUrl|signature/);
  });

  it('of log records are sent for each stored, edited or removed record, and for no repeat', async () => {
    const { hooks, api, until } = await listening('document-log');
    const record = { documentId: 'd', documentType: 't', dateTime: '2026-01-01T00:00:00Z', author: { id: 'a', name: 'Ann' } };
    const parts = { attribute: { id: 'b' }, attributeNewValue: { raw: 'v' }, eventSource: { name: { en: 'shop' } } };
    const input = { ...record, ...parts, idempotencyKey: 'k' };
    const CREATE = `mutation($input:CreateLogInput!){createLog(input:$input){itemId item{${LOG}}}}`;
    const { item } = (await api.ask(CREATE, { input })).createLog;
    await api.ask(CREATE, { input });
    await api.ask('mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}', {
      input: [record, { ...record, documentId: '' }, { ...record, documentId: 'e' }],
    });
    await api.ask('mutation($id:ID!){updateLog(input:{id:$id,comment:"c"}){id}}', { id: item.id });
    const events = await until(4);
    expect(events).toEqual(ofTypes('log.created', 'log.created', 'log.created', 'log.edited'));
    expect(events[0].data).toEqual(item);
    expect(events.map(({ data }) => data.documentId)).toEqual(['d', 'd', 'e', 'd']);
    expect(events[3].data).toEqual({ ...item, comment: 'c', updateAt: expect.any(String) });
    expect((await hooks.all()).length).toBe(1);
  });

  it('of mails report how each ended', async () => {
    const { api, until } = await listening('email');
    const send = async (to: string) =>
      (
        await api.ask('mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', {
          input: { to: { address: to }, subject: 's', textBody: 'secret text' },
        })
      ).sendMessage.id as string;
    const [refused, later] = [someone(), someone()];
    email.mail.recipients.set(refused, 550);
    email.mail.treatments.set(later, { code: 451, at: 'MAIL' });
    const sent = await send(someone());
    await until(1);
    const failed = await send(refused);
    await until(2);
    const cancelled = await send(later);
    const FIND = 'query($id:ID!){messages(filter:{id:$id}){items{id status attempts lastError}}}';
    for (let attempts = 0; attempts === 0;) attempts = (await api.ask(FIND, { id: cancelled })).messages.items[0].attempts;
    for (;;) {
      const { errors } = await api.send('mutation($id:ID!){cancelMessage(id:$id){id}}', { id: cancelled });
      if (!errors) break;
    }
    const events = await until(3);
    expect(events).toEqual(ofTypes('message.sent', 'message.failed', 'message.failed'));
    expect(events.map(({ subject }) => subject)).toEqual([sent, failed, cancelled]);
    expect(events[0].data).toMatchObject({ id: sent, status: 'SENT', subject: 's', recipients: [{ status: 'SENT' }] });
    expect(events[1].data).toMatchObject({ status: 'FAILED', lastError: expect.stringMatching(/550/) });
    expect(JSON.stringify(events)).not.toContain('secret text');
  });

  it('are removed at the end of their period, and when they name an erased person', async () => {
    const { hooks, api } = await listening('document-rendering');
    const create = (author: object) =>
      api.ask('mutation($input:CreateCssInput!){createCss(input:$input){id}}', { input: { name: 'n', text: '', author } });
    await create({ id: 'person-1', email: 'Ann@Example.com' });
    await create({ id: 'person-2' });
    const [{ id: webhookId }] = await hooks.all();
    const tenantId = await email.server.tenantIdOf(api);
    const admin = await email.server.api('admin');
    const ERASE = 'mutation($input:ErasePersonInput!){erasePerson(input:$input){id}}';
    await admin.ask(ERASE, { input: { tenantId, emailAddress: 'ann@example.com' } });
    const left = await hooks.until(webhookId, (all) => all.length < 2);
    expect(eventsOf(left).map(({ data }) => data.author.id)).toEqual(['person-2']);
    const rows = allRowsOf('only time makes an event old', email.server);
    await rows.event.updateMany({ where: { tenantId }, data: { id: '01900000-0000-7000-8000-000000000000' } });
    const retention = email.server.app.get(RetentionJob, { strict: false });
    while ((await hooks.deliveries(webhookId)).length > 0) {
      for (const task of retention['tasks'].values()) task.dueAtMs = 0;
      await retention.run(new AbortController().signal);
    }
  });
});
