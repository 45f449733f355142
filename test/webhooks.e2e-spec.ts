import { CloudEvent } from 'cloudevents';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { MAX_EVENT_BYTES } from '../src/common/events/outbox/cloud-event.js';
import {
  dueStatement,
  dueWebhooksStatement,
  makeDueStatement,
  outcomesStatement,
} from '../src/common/events/delivery/deliveries.queries.js';
import { SERVICES } from '../src/common/auth/scopes.js';
import { BackgroundJobs } from '../src/common/jobs/background-jobs.js';
import { countsStatement, waitingStatement } from '../src/common/events/webhooks/waiting-events.queries.js';
import { allRowsOf } from './support/behind-the-api.js';
import { dialect, explainedForMany } from './support/plans.js';
import { type Received, Receiver, RECEIVER_SETTINGS, REDELIVER, Webhooks } from './support/webhooks.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const EVENTS = ['STYLESHEET_CREATED', 'STYLESHEET_UPDATED', 'STYLESHEET_DELETED'];
const CREATE_CSS = 'mutation($input:CreateCssInput!){createCss(input:$input){id name text}}';
const DAY_MS = 86_400_000;

describe('webhooks', () => {
  let server: TestServer;
  let receiver: Receiver;
  let hooks: Webhooks;
  beforeAll(async () => {
    server = await TestServer.start(RECEIVER_SETTINGS);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    receiver = await Receiver.start();
    hooks = new Webhooks(server, await server.api('document-rendering'));
  });
  afterEach(() => receiver.stop());

  const createCss = async (name = 'n'): Promise<any> =>
    (await hooks.api.ask(CREATE_CSS, { input: { name, text: 'a{}' } })).createCss;
  const updateCss = (id: string) => hooks.api.ask('mutation($id:ID!){updateCss(id:$id,input:{text:"b{}"}){id}}', { id });
  const create = (input: object = {}) => hooks.create({ url: receiver.url, events: EVENTS, ...input });
  const verify = (secret: string, { body, headers }: Received) =>
    new StandardWebhook(secret).verify(body, headers as Record<string, string>);

  it('are sent each event once, signed by Standard Webhooks, as a CloudEvents object', async () => {
    const { webhook, secret } = await create();
    const { id } = await createCss('styles');
    const [request] = await receiver.until(1);
    expect(verify(secret, request!)).toMatchObject({ specversion: '1.0', type: 'stylesheet.created', subject: id });
    const event = new CloudEvent(JSON.parse(request!.body) as object);
    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({ source: '/document-rendering', data: { id, name: 'styles', text: 'a{}' } });
    expect(request!.headers['content-type']).toMatch(/^application\/cloudevents\+json/);
    const [delivery] = await hooks.settled(webhook.id, 1);
    expect(delivery).toMatchObject({
      id: request!.headers['webhook-id'],
      event: 'STYLESHEET_CREATED',
      type: 'stylesheet.created',
      subject: id,
      status: 'DELIVERED',
      attempts: 1,
      responseStatus: 204,
      nextAttemptAt: null,
      body: request!.body,
    });
    expect(await hooks.find(webhook.id)).toMatchObject({ failingSince: null, lastDeliveredAt: expect.any(String) });
    expect(() => verify(`whsec_${Buffer.alloc(24).toString('base64')}`, request!)).toThrow();
  });

  it('receive the events of one object in order', async () => {
    await create();
    const { id } = await createCss();
    for (let n = 0; n < 20; n++) await updateCss(id);
    await hooks.api.ask('mutation($id:ID!){deleteCss(id:$id){id}}', { id });
    await receiver.until(22);
    expect(receiver.types).toEqual(['stylesheet.created', ...Array(20).fill('stylesheet.updated'), 'stylesheet.deleted']);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'] as string);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('receive no other events, none of other tenants, and none while they are off', async () => {
    const other = new Webhooks(server, await server.api('document-rendering'));
    await other.create({ url: receiver.url, events: EVENTS });
    const { webhook } = await create({ events: ['STYLESHEET_UPDATED'] });
    const { webhook: off } = await create({ active: false });
    const { id } = await createCss();
    await updateCss(id);
    await hooks.settled(webhook.id, 1);
    expect(receiver.types).toEqual(['stylesheet.updated']);
    expect(await hooks.deliveries(off.id)).toEqual([]);
  });

  it('store no rows for a tenant without one', async () => {
    const quiet = new Webhooks(server, await server.api('document-rendering'));
    await quiet.api.ask(CREATE_CSS, { input: { name: 'n', text: '' } });
    const { webhook } = await create();
    await createCss();
    await hooks.settled(webhook.id, 1);
    const rows = await allRowsOf('no API shows events without a webhook', server).event.findMany({ distinct: ['tenantId'] });
    const [{ tenantId } = { tenantId: '' }] = await allRowsOf('no API shows ids of tenants', server).webhook.findMany({
      where: { id: webhook.id },
    });
    expect(rows.map((row) => row.tenantId)).toContain(tenantId);
    expect(await quiet.all()).toEqual([]);
  });

  it('retry what the receiver refused, with the same id and body, until it is accepted', async () => {
    const { webhook, secret } = await create();
    receiver.answer = () => ({ status: 500, body: 'x'.repeat(3_000) });
    await createCss();
    const [failed] = await hooks.until(webhook.id, ([one]) => one?.attempts === 1);
    expect(failed).toMatchObject({ status: 'PENDING', responseStatus: 500, answer: 'x'.repeat(1_024) });
    expect(failed.lastError).toMatch(/500/);
    const waitMs = Date.parse(failed.nextAttemptAt) - Date.parse(failed.attemptedAt);
    expect(waitMs).toBeGreaterThanOrEqual(5_000);
    expect(waitMs - failed.durationMs).toBeLessThan(7_000);
    expect(await hooks.find(webhook.id)).toMatchObject({ failingSince: failed.attemptedAt, lastError: failed.lastError });
    receiver.answer = () => ({ status: 200 });
    await hooks.passTime(webhook.id);
    const [delivered] = await hooks.settled(webhook.id, 1);
    expect(delivered).toMatchObject({ status: 'DELIVERED', attempts: 2, lastError: null });
    const [first, second] = receiver.received;
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    verify(secret, second!);
    expect(await hooks.find(webhook.id)).toMatchObject({ failingSince: null, lastError: null });
  });

  it('stop after ten attempts, and send again on request', async () => {
    const { webhook } = await create();
    receiver.answer = () => ({ status: 503 });
    await createCss();
    for (let attempts = 1; attempts <= 10; attempts++) {
      await hooks.until(webhook.id, ([one]) => one?.attempts === attempts);
      await hooks.passTime(webhook.id);
    }
    const [failed] = await hooks.settled(webhook.id, 1);
    expect(failed).toMatchObject({ status: 'FAILED', attempts: 10, nextAttemptAt: null });
    receiver.answer = () => ({ status: 200 });
    await hooks.passTime(webhook.id);
    const from = new Date(Date.now() - DAY_MS).toISOString();
    expect(await hooks.redeliver(webhook.id, { from })).toBe(1);
    expect(await hooks.settled(webhook.id, 1)).toMatchObject([{ id: failed.id, status: 'DELIVERED', attempts: 1 }]);
    expect(await hooks.redeliver(webhook.id, { from })).toBe(0);
    expect(await hooks.redeliver(webhook.id, { from, status: 'DELIVERED' })).toBe(1);
    await receiver.until(12);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('list the attempts of each delivery, also those before a redelivery, at most 20', async () => {
    const { webhook } = await create();
    receiver.answer = () => ({ status: receiver.received.length < 2 ? 500 : 204 });
    await createCss();
    await hooks.until(webhook.id, ([one]) => one?.attempts === 1);
    const [delivered] = await (async () => {
      for (let attempts = 1; attempts < 3; attempts++) {
        await hooks.until(webhook.id, ([one]) => one?.attempts === attempts);
        await hooks.passTime(webhook.id);
      }
      return hooks.settled(webhook.id, 1);
    })();
    const failed = { responseStatus: 500, error: 'The receiver answered with the status 500' };
    const ofSeries = [failed, failed, { at: delivered.attemptedAt, responseStatus: 204, error: null }];
    expect(delivered.history).toMatchObject(ofSeries);
    await createCss('at once');
    const [, second] = await hooks.settled(webhook.id, 2);
    expect(second.history).toEqual([{ at: second.attemptedAt, responseStatus: 204, durationMs: second.durationMs, error: null }]);
    expect(await hooks.redeliver(webhook.id, { ids: [delivered.id] })).toBe(1);
    await receiver.until(5);
    const [again] = await hooks.settled(webhook.id, 2);
    expect([again.attempts, again.history.length]).toEqual([1, 4]);
    expect(again.history.slice(0, 3)).toMatchObject(ofSeries);
    const rows = allRowsOf('thirty attempts would take weeks', server);
    const log = `ttempt that was cut\n${`${JSON.stringify({ ...again.history[0] })}\n`.repeat(30)}`;
    await rows.event.updateMany({ where: { webhookId: webhook.id, id: again.id }, data: { attemptLog: log } });
    expect((await hooks.deliveries(webhook.id))[0].history).toHaveLength(20);
  });

  it('count their queued events, and the share of the latest that were delivered', async () => {
    const { webhook } = await create();
    expect(await hooks.find(webhook.id)).toMatchObject({ waiting: 0, successRate: null });
    await createCss();
    await hooks.settled(webhook.id, 1);
    expect(await hooks.find(webhook.id)).toMatchObject({ waiting: 0, successRate: 1 });
    receiver.answer = () => ({ status: 500 });
    expect(await hooks.test(webhook.id)).toMatchObject({ status: 'FAILED' });
    await createCss('waits');
    await hooks.until(webhook.id, (all) => all.at(-1).attempts === 1);
    expect(await hooks.find(webhook.id)).toMatchObject({ waiting: 1, successRate: 0.5 });
  });

  it('obey Retry-After', async () => {
    const { webhook } = await create();
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await createCss();
    const [waiting] = await hooks.until(webhook.id, ([one]) => one?.attempts === 1);
    expect(Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.attemptedAt)).toBeGreaterThanOrEqual(3_599_000);
    // The pause is stored after the attempt.
    await until(async () => Date.parse((await hooks.find(webhook.id)).pausedUntil) - Date.now() > 3_500_000);
  });

  it('are switched off by 410, and on again by updateWebhook, which sends queued events', async () => {
    const { webhook } = await create();
    receiver.answer = () => ({ status: 410 });
    await createCss();
    await receiver.until(1);
    while ((await hooks.find(webhook.id)).active) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await hooks.find(webhook.id)).toMatchObject({
      disabledAt: expect.any(String),
      lastError: expect.stringMatching(/410/),
    });
    receiver.answer = () => ({ status: 200 });
    expect(await hooks.update(webhook.id, { active: true })).toMatchObject({ active: true, disabledAt: null, lastError: null });
    await hooks.passTime(webhook.id);
    expect(await hooks.settled(webhook.id, 1)).toMatchObject([{ status: 'DELIVERED' }]);
  });

  it('are switched off after five days without a success', async () => {
    const { webhook } = await create();
    receiver.answer = () => ({ status: 500 });
    await createCss();
    await hooks.until(webhook.id, ([one]) => one?.attempts === 1);
    await allRowsOf('only time makes a webhook fail for five days', server).webhook.updateMany({
      where: { id: webhook.id },
      data: { failingSince: new Date(Date.now() - 5 * DAY_MS - 1_000) },
    });
    await hooks.passTime(webhook.id);
    while ((await hooks.find(webhook.id)).active) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await hooks.find(webhook.id)).toMatchObject({ disabledAt: expect.any(String) });
  });

  it('of a slow receiver delay no other webhook', async () => {
    const slow = await Receiver.start();
    slow.answer = () => ({ status: 200, afterMs: 3_000 });
    await create({ url: slow.url });
    const { webhook } = await create();
    await createCss();
    const [delivery] = await hooks.settled(webhook.id, 1);
    expect(delivery.status).toBe('DELIVERED');
    expect(slow.received.length).toBe(1);
    await slow.stop();
  });

  it('sign with both secrets while one is rotated, and with the new one alone after that', async () => {
    const { webhook, secret } = await create();
    const { secret: next, webhook: rotated } = await hooks.rotate(webhook.id);
    expect(Date.parse(rotated.previousSecretUntil) - Date.now()).toBeGreaterThan(DAY_MS - 60_000);
    await createCss();
    const [both] = await receiver.until(1);
    verify(secret, both!);
    verify(next, both!);
    const { secret: last } = await hooks.rotate(webhook.id, 0);
    await createCss();
    const [, alone] = await receiver.until(2);
    verify(last, alone!);
    expect(() => verify(next, alone!)).toThrow();
  });

  it('sign with every secret whose overlap has not ended, up to five, and with the new one alone after an overlap of 0', async () => {
    const { webhook, secret } = await create();
    const secrets: string[] = [secret];
    for (let n = 0; n < 5; n++) secrets.push((await hooks.rotate(webhook.id, 3_600 - n)).secret);
    await expect(hooks.rotate(webhook.id, 3_600)).rejects.toThrow(/FAILED_PRECONDITION/);
    await createCss();
    const [request] = await receiver.until(1);
    for (const one of secrets) verify(one, request!);
    const { secret: last } = await hooks.rotate(webhook.id, 0);
    await createCss();
    const [, alone] = await receiver.until(2);
    verify(last, alone!);
    for (const one of secrets) expect(() => verify(one, alone!)).toThrow();
    const [both] = await Promise.all([hooks.rotate(webhook.id), hooks.rotate(webhook.id)]);
    await createCss();
    const [, , third] = await receiver.until(3);
    for (const one of [last, both.secret]) verify(one, third!);
  });

  it('resend events by redeliver under their ids, whatever their status: queued ones are sent now', async () => {
    const { webhook } = await create();
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    await createCss();
    await until(async () => (await hooks.find(webhook.id)).pausedUntil !== null);
    const [waiting] = await hooks.deliveries(webhook.id);
    receiver.answer = () => ({ status: 204 });
    expect(await hooks.redeliver(webhook.id, { ids: [waiting.id, waiting.id, webhook.id] })).toBe(1);
    expect(await hooks.settled(webhook.id, 1)).toMatchObject([{ id: waiting.id, status: 'DELIVERED', attempts: 1 }]);
    expect(await hooks.redeliver(webhook.id, { ids: [waiting.id] })).toBe(1);
    await receiver.until(3);
    await hooks.settled(webhook.id, 1);
    expect(await hooks.redeliver(webhook.id, { ids: [waiting.id], status: 'FAILED' })).toBe(0);
    const from = waiting.createdAt;
    expect(await hooks.redeliver(webhook.id, { from, status: 'PENDING' })).toBe(0);
    const refusals = [{}, { ids: [] }, { ids: Array(101).fill(waiting.id) }, { from: '2100-01-01', to: from }].map((given) =>
      hooks.api.refusal(REDELIVER, { webhookId: webhook.id, ...given }),
    );
    expect((await Promise.all(refusals)).map(({ code, field }) => [code, field])).toEqual([
      ['BAD_USER_INPUT', 'from'],
      ['BAD_USER_INPUT', 'ids'],
      ['BAD_USER_INPUT', 'ids'],
      ['BAD_USER_INPUT', 'from'],
    ]);
    const polled = await create({ url: 'poll:' });
    await createCss();
    const [fetched] = await hooks.deliveries(polled.webhook.id);
    expect(await hooks.redeliver(polled.webhook.id, { ids: [fetched.id] })).toBe(0);
    await hooks.confirm(polled.webhook.id, [fetched.id]);
    expect(await hooks.redeliver(polled.webhook.id, { ids: [fetched.id] })).toBe(1);
    expect(await hooks.deliveries(polled.webhook.id)).toMatchObject([{ status: 'PENDING', nextAttemptAt: null }]);
  });

  it('resend many events once in five minutes, 20 a second over all webhooks of a host', async () => {
    const { webhook } = await create();
    const { webhook: sibling } = await create();
    await Promise.all(Array.from({ length: 120 }, () => createCss()));
    await receiver.until(240);
    for (const { id } of [webhook, sibling])
      await until(async () => (await hooks.page(id, { status: 'PENDING' })).items.length === 0);
    const from = webhook.createdAt;
    await hooks.update(webhook.id, { events: ['STYLESHEET_DELETED'] }); // what is redelivered stays countable
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } }); // and waits
    const again = { from, status: 'DELIVERED' };
    expect(await hooks.redeliver(webhook.id, again)).toBe(120);
    const refusal = await hooks.api.refusal(REDELIVER, { webhookId: webhook.id, from, status: 'PENDING' });
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/try again in (300|29\d) s/) });
    expect(await hooks.redeliver(sibling.id, again)).toBe(120);
    const rows = await allRowsOf('the list shows no event that is sent meanwhile', server).event.findMany({
      where: { webhookId: { in: [webhook.id, sibling.id] }, attempts: 0, status: 'PENDING' },
      orderBy: { dueAt: 'asc' },
    });
    const due = rows.map(({ dueAt }) => dueAt!.getTime());
    expect(due.length).toBeGreaterThan(100);
    expect(due.slice(1).every((time, index) => time - due[index]! >= 49)).toBe(true);
    await allRowsOf('only time ends a window', server).webhook.updateMany({
      where: { id: webhook.id },
      data: { redeliveredAt: new Date(Date.now() - 300_000) },
    });
    expect(await hooks.redeliver(webhook.id, { from, status: 'PENDING' })).toBeGreaterThan(100);
  });

  it('resend at most 100 MiB of events a day for a tenant', async () => {
    const { webhook } = await create();
    const { webhook: sibling } = await create();
    await createCss();
    for (const { id } of [webhook, sibling]) await hooks.settled(id, 1);
    const [event] = await hooks.deliveries(webhook.id);
    const bytesOf = (id: string, redeliveredBytes: number, redeliverUntil: Date) =>
      allRowsOf('a test cannot send 100 MiB', server).webhook.updateMany({
        where: { id },
        data: { redeliveredBytes, redeliverUntil },
      });
    await bytesOf(sibling.id, 100 << 20, new Date());
    const refusal = await hooks.api.refusal(REDELIVER, { webhookId: webhook.id, ids: [event.id] });
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/100 MiB.*try again in \d+ s/) });
    await bytesOf(sibling.id, 100 << 20, new Date(Date.now() - DAY_MS));
    expect(await hooks.redeliver(webhook.id, { ids: [event.id] })).toBe(1);
  });

  it('are tested by a ping, whose delivery reports the response of the receiver', async () => {
    const { webhook, secret } = await create({ active: false });
    receiver.answer = () => ({ status: 202, body: 'thanks' });
    expect(await hooks.test(webhook.id)).toMatchObject({
      event: null,
      type: 'ping',
      subject: webhook.id,
      status: 'DELIVERED',
      responseStatus: 202,
      answer: 'thanks',
    });
    expect(verify(secret, receiver.received[0]!)).toMatchObject({ type: 'ping', data: {} });
    receiver.answer = () => ({ status: 400, body: 'no' });
    expect(await hooks.test(webhook.id)).toMatchObject({ status: 'FAILED', attempts: 1, responseStatus: 400, answer: 'no' });
  });

  it('with the URL poll: are fetched and confirmed', async () => {
    const { webhook } = await create({ url: 'poll:' });
    const { id } = await createCss();
    const [event] = await hooks.deliveries(webhook.id, { status: 'PENDING' });
    expect(JSON.parse(event.body)).toMatchObject({ type: 'stylesheet.created', subject: id });
    expect(event.nextAttemptAt).toBeNull();
    expect(await hooks.confirm(webhook.id, [event.id, webhook.id])).toBe(1);
    expect(await hooks.confirm(webhook.id, [event.id])).toBe(0);
    expect(await hooks.deliveries(webhook.id)).toMatchObject([{ id: event.id, status: 'DELIVERED' }]);
    const sent = await create();
    const refusals = [
      await hooks.api.refusal('mutation($id:ID!){testWebhook(id:$id){id}}', { id: webhook.id }),
      await hooks.api.refusal('mutation($id:ID!,$event:ID!){confirmWebhookDeliveries(webhookId:$id,ids:[$event])}', {
        id: sent.webhook.id,
        event: event.id,
      }),
    ];
    expect(refusals.map(({ code }) => code)).toEqual(['FAILED_PRECONDITION', 'FAILED_PRECONDITION']);
  });

  it('list their deliveries in pages, by status, event and time', async () => {
    const { webhook } = await create({ url: 'poll:' });
    const { id } = await createCss();
    await updateCss(id);
    await createCss();
    const [first, second, third] = await hooks.deliveries(webhook.id);
    const { items, nextToken } = await hooks.page(webhook.id, undefined, undefined, 2);
    expect(items).toEqual([third, second]);
    expect(await hooks.page(webhook.id, undefined, nextToken, 2)).toEqual({ items: [first], nextToken: null });
    expect(await hooks.deliveries(webhook.id, { event: 'STYLESHEET_UPDATED' })).toEqual([second]);
    await hooks.confirm(webhook.id, [first.id]);
    expect((await hooks.deliveries(webhook.id, { status: 'PENDING' })).map((one) => one.id)).toEqual([second.id, third.id]);
    expect(await hooks.deliveries(webhook.id, { to: new Date(Date.parse(first.createdAt) - 1).toISOString() })).toEqual([]);
    expect((await hooks.deliveries(webhook.id, { from: first.createdAt, to: third.createdAt })).length).toBe(3);
  });

  it('that cannot be called for a reason of the server are retried each second, and no more often', async () => {
    const { webhook } = await create();
    const rows = allRowsOf('no API damages a stored secret', server);
    const { secret } = await rows.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    await rows.webhook.update({ where: { id: webhook.id }, data: { secret: 'lost.secret' } });
    await createCss();
    const failures = () =>
      server.logLines.filter((line) => line.includes('could not be served; trying again') && line.includes(webhook.id));
    while (failures().length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    const [, second, third, fourth] = failures().map((line) => JSON.parse(line).time as number);
    expect(third! - second!).toBeGreaterThan(500);
    expect(fourth! - third!).toBeGreaterThan(500);
    await rows.webhook.update({ where: { id: webhook.id }, data: { secret } });
    expect(await hooks.settled(webhook.id, 1)).toMatchObject([{ status: 'DELIVERED', attempts: 1 }]);
  });

  it('of a suspended tenant queue events, and send them once it is resumed', async () => {
    const { webhook } = await create();
    receiver.answer = () => ({ status: 500 });
    await createCss();
    await hooks.until(webhook.id, ([one]) => one?.attempts === 1);
    await server.suspend(hooks.api);
    await hooks.passTime(webhook.id);
    const other = new Webhooks(server, await server.api('document-rendering'));
    const { webhook: ofOther } = await other.create({ url: receiver.url, events: EVENTS });
    await other.api.ask(CREATE_CSS, { input: { name: 'n', text: '' } });
    await other.until(ofOther.id, ([one]) => one?.attempts === 1);
    expect(receiver.received.length).toBe(2);
    receiver.answer = () => ({ status: 204 });
    await server.resume(hooks.api);
    await receiver.until(3);
    while ((await hooks.api.send('{version}')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await hooks.settled(webhook.id, 1)).toMatchObject([{ status: 'DELIVERED', attempts: 2 }]);
  });

  it('are limited to 20 per service, even if 40 are created concurrently', async () => {
    const made = await Promise.allSettled(Array.from({ length: 40 }, () => create({ url: 'poll:' })));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await hooks.all()).toHaveLength(20);
    expect(await hooks.refused({ url: 'poll:', events: EVENTS })).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await hooks.delete((await hooks.all())[0].id);
    await create({ url: 'poll:' });
  });

  it.each([
    [{ url: '' }, 'input.url'],
    [{ url: 'ftp://example.com/' }, 'input.url'],
    [{ url: 'http://user:password@example.com/' }, 'input.url'],
    [{ url: 'http://10.0.0.1/' }, 'input.url'],
    [{ url: `https://example.com/${'x'.repeat(2_000)}` }, 'input.url'],
    [{ events: [] }, 'input.events'],
    [{ events: ['STYLESHEET_CREATED', 'STYLESHEET_CREATED'] }, 'input.events'],
    [{ description: 'x'.repeat(257) }, 'input.description'],
  ])('refuse %j', async (input, field) => {
    const refusal = await hooks.refused({ url: receiver.url, events: EVENTS, ...input });
    expect(refusal).toMatchObject({ code: 'BAD_USER_INPUT', field });
    expect(await hooks.all()).toEqual([]);
  });

  it('send events only to keys that may read their objects', async () => {
    const scope =
      'document-rendering-api:mutation:* document-rendering-api:query:templates document-rendering-api:query:webhooks';
    const narrow = new Webhooks(server, await server.api('document-rendering', await server.createKey(scope)));
    expect(await narrow.refused({ url: 'poll:', events: EVENTS })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(/document-rendering-api:query:css/),
    });
    const { webhook } = await narrow.create({ url: 'poll:', events: ['TEMPLATE_CREATED'] });
    await expect(narrow.update(webhook.id, { events: ['TEMPLATE_CREATED', 'STYLESHEET_CREATED'] })).rejects.toThrow(/FORBIDDEN/);
  });

  it('with the most queued events over the limit of their tenant are switched off, and retain them', async () => {
    const { webhook: unread } = await create({ url: 'poll:' });
    const { webhook: other } = await create({ url: 'poll:', events: ['STYLESHEET_UPDATED'] });
    const { id } = await createCss();
    await Promise.all(Array.from({ length: 5 }, () => updateCss(id)));
    const tenantId = await server.tenantIdOf(hooks.api);
    const admin = await server.api('admin');
    const SET = 'mutation($id:ID!,$limits:[TenantLimitInput!]!){setTenantLimits(id:$id,limits:$limits){limits{name used}}}';
    const limit = async (events: number): Promise<any[]> =>
      (await admin.ask(SET, { id: tenantId, limits: [{ name: 'waitingEvents', limit: events }] })).setTenantLimits.limits;
    expect(await limit(11)).toContainEqual({ name: 'waitingEvents', used: 11 });
    const look = () => server.app.get(BackgroundJobs, { strict: false }).runNow();
    await look();
    expect((await hooks.find(unread.id)).active).toBe(true);
    expect(await limit(10)).toContainEqual({ name: 'waitingEvents', used: 11 });
    await until(async () => {
      await look(); // a limit applies within 5 s
      return !(await hooks.find(unread.id)).active;
    });
    expect(await hooks.find(unread.id)).toMatchObject({
      active: false,
      disabledAt: expect.any(String),
      lastError: expect.stringMatching(/limit of 10 queued events/),
    });
    expect((await hooks.find(other.id)).active).toBe(true);
    await updateCss(id);
    expect(await hooks.deliveries(unread.id, { status: 'PENDING' })).toHaveLength(6);
    const waiting = await hooks.deliveries(unread.id);
    await hooks.confirm(
      unread.id,
      waiting.map((event) => event.id),
    );
    await hooks.update(unread.id, { active: true });
    await look();
    expect((await hooks.find(unread.id)).active).toBe(true);
  });

  it('receive an event without its object, and a mark, if the object is too large', async () => {
    const { webhook } = await create({ url: 'poll:' });
    const text = 'x'.repeat(MAX_EVENT_BYTES);
    const { createCss: large } = await hooks.api.ask(CREATE_CSS, { input: { name: 'n', text } });
    const [event] = await hooks.deliveries(webhook.id);
    expect(JSON.parse(event.body)).toMatchObject({ subject: large.id, datatruncated: true, data: { id: large.id } });
    expect(Buffer.byteLength(event.body)).toBeLessThan(1_000);
  });

  it('are read by the index of due events, and updated by their ids', async () => {
    const { webhook } = await create({ url: 'poll:' });
    const rows = allRowsOf('the plan of a statement is the subject', server);
    const { id, tenantId } = await rows.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    if (databaseKind === 'postgresql') await rows.$executeRawUnsafe('ANALYZE "Event"');
    const { plan } = await explainedForMany(rows, dueStatement(dialect, { id, tenantId }, 200));
    expect(plan).toContain('Event_due_idx');
    const polling = (
      await explainedForMany(rows, dueWebhooksStatement(dialect, { holder: id, excluded: [id], share: 20, limit: 200 }))
    ).plan;
    if (databaseKind === 'sqlite') expect(polling).toMatch(/SEARCH e .*INDEX Event_due_idx \(webhookId=\? AND dueAt<\?\)/);
    const settling = (await explainedForMany(rows, outcomesStatement(dialect, { id, tenantId }, '[]'))).plan;
    // PostgreSQL chooses by the number of rows, of which there are few here.
    if (databaseKind === 'sqlite') expect(settling).toContain('sqlite_autoindex_Event_1 (webhookId=? AND id=?)');
    const waiting = (await explainedForMany(rows, waitingStatement(dialect, [tenantId], 9))).plan;
    if (databaseKind === 'sqlite')
      expect(waiting).toMatch(/SEARCH e .*INDEX Event_undelivered_idx \(webhookId=\? AND status=\?\)/);
    const counting = (await explainedForMany(rows, countsStatement(dialect, tenantId, [id]))).plan;
    if (databaseKind === 'sqlite') expect(counting).toMatch(/SEARCH e USING INDEX sqlite_autoindex_Event_1 \(webhookId=\?\)/);
    const again = (await explainedForMany(rows, makeDueStatement(dialect, tenantId, '[]'))).plan;
    if (databaseKind === 'sqlite') expect(again).toContain('sqlite_autoindex_Event_1 (webhookId=? AND id=?)');
  });

  it.each(SERVICES)('of %s are tested with a sample of each of its events, marked as a test', async (service) => {
    const own = new Webhooks(server, await server.api(service));
    const { data } = await own.api.send('{__type(name:"WebhookEvent"){enumValues{name}}}');
    const types: string[] = data.__type.enumValues.map(({ name }: { name: string }) => name);
    const { webhook, secret } = await own.create({ url: receiver.url, events: types.slice(0, 1) });
    for (const type of types) {
      const delivery = await own.test(webhook.id, type);
      expect(delivery).toMatchObject({ event: type, status: 'DELIVERED', attempts: 1 });
      const sent = verify(secret, receiver.received.at(-1)!) as Record<string, any>;
      expect(sent).toMatchObject({ type: delivery.type, subject: delivery.subject, source: `/${service}`, test: true });
      expect(Object.keys(sent.data as object).length).toBeGreaterThan(1);
      expect(new CloudEvent(sent).validate()).toBe(true);
    }
  });

  it('store their secrets sealed', async () => {
    const { webhook, secret } = await create();
    const row = await allRowsOf('no API shows a secret again', server).webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    expect(JSON.stringify(row)).not.toContain(secret.slice('whsec_'.length));
    const { data } = await hooks.api.send('{__type(name:"Webhook"){fields{name}}}');
    expect(data.__type.fields.map(({ name }: { name: string }) => name)).not.toContain('secret');
  });
});
