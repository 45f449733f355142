import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { Controller, type INestApplication, Injectable, Module, Post, UseGuards } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Webhook } from 'standardwebhooks';
import { type Client, createClient, type FileEvent, type PlatformEvent } from '../../clients/js/dist/index.js';
import {
  OnPlatformEvent,
  PLATFORM,
  PlatformEvents,
  PlatformHealthIndicator,
  PlatformModule,
  type PlatformOptions,
  VerifiedWebhook,
  WebhookEvent,
} from '../../clients/nestjs/dist/index.js';
import { PlatformTestingModule, TENANT, type Tenant } from '../../clients/nestjs/dist/testing.js';
import { freePort, SERVER } from '../support/process.js';
import { TestServer } from '../support/server.js';
import { RECEIVER_SETTINGS } from '../support/webhooks.js';
import { until } from '../support/websockets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

@Injectable()
class Arrivals {
  readonly names: string[] = [];
  readonly types: string[] = [];
  failure: Error | undefined;

  @OnPlatformEvent('file.done')
  arrived({ data }: Extract<FileEvent, { type: 'file.done' }>): void {
    if ('name' in data && data.name) this.names.push(data.name);
  }

  @OnPlatformEvent('file.deleted', 'recipient.bounced')
  async other({ type }: PlatformEvent): Promise<void> {
    if (this.failure) throw this.failure;
    this.types.push(type);
  }
}

@Controller('own')
class OwnRoute {
  @Post()
  @UseGuards(VerifiedWebhook)
  receive(@WebhookEvent() event: PlatformEvent): string {
    return event.type;
  }
}

/** Starts an application, as a user writes it. */
async function start(
  options: PlatformOptions,
  { port = 0, adapter = new FastifyAdapter() }: { port?: number; adapter?: AbstractHttpAdapter } = {},
): Promise<INestApplication> {
  @Module({
    imports: [PlatformModule.forRootAsync({ useFactory: async () => options, webhookPath: 'hooks' })],
    providers: [Arrivals],
    controllers: [OwnRoute],
  })
  class App {}
  const app = await NestFactory.create(App, adapter, { logger: false });
  await app.listen(port, '127.0.0.1');
  return app;
}

/** Sends an event as the platform signs it. */
async function send(
  app: INestApplication,
  path: string,
  event: object,
  { secret = SECRET, ageMs = 0, type = 'application/cloudevents+json; charset=utf-8' } = {},
): Promise<Response> {
  const body = JSON.stringify(event);
  const at = new Date(Date.now() - ageMs);
  const headers = {
    'content-type': type,
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
  return fetch(`${await app.getUrl()}/${path}`, { method: 'POST', headers, body });
}

describe('the NestJS module', () => {
  let server: TestServer;
  let options: PlatformOptions;
  beforeAll(async () => {
    server = await TestServer.start(RECEIVER_SETTINGS);
    options = { url: server.address, key: await server.createKey(), webhookSecrets: SECRET };
  });
  afterAll(() => server.stop());

  const adapters = { Fastify: () => new FastifyAdapter(), Express: () => new ExpressAdapter() };
  it.each(Object.entries(adapters))('calls the handler of an event that the platform sends to %s', async (_, create) => {
    const adapter = create() as AbstractHttpAdapter;
    const port = await freePort();
    const client: Client = createClient(options);
    const { secret } = await client.files.createWebhook(
      { input: { url: `http://127.0.0.1:${port}/hooks`, events: ['FILE_DONE'] } },
      { secret: true },
    );
    const app = await start({ ...options, webhookSecrets: [SECRET, secret] }, { port, adapter });
    await app.get<Client>(PLATFORM).files.upload(Buffer.from('120 EUR'), { name: 'invoice.txt' });
    const { names } = app.get(Arrivals);
    await until(() => (names.length > 0 ? names : undefined));
    expect(names).toEqual(['invoice.txt']);
    await app.close();
  });

  it('answers 400 to what the platform did not sign just now, and calls no handler', async () => {
    const app = await start(options);
    const event = { id: 'e1', type: 'recipient.bounced', data: {} };
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    for (const path of ['hooks', 'own']) {
      expect((await send(app, path, event, { secret: other })).status).toBe(400);
      expect((await send(app, path, event, { ageMs: 600_000 })).status).toBe(400);
      expect((await fetch(`${await app.getUrl()}/${path}`, { method: 'POST' })).status).toBe(400);
    }
    expect(app.get(Arrivals).types).toEqual([]);
    const own = await send(app, 'own', event);
    expect([own.status, await own.text()]).toEqual([201, 'recipient.bounced']);
    await app.close();
  });

  it('answers 204 once all handlers are done, and 500 if one fails, so that the event is repeated', async () => {
    const app = await start(options);
    const arrivals = app.get(Arrivals);
    expect((await send(app, 'hooks', { id: 'e2', type: 'recipient.bounced', data: {} })).status).toBe(204);
    arrivals.failure = new Error('the database is down');
    expect((await send(app, 'hooks', { id: 'e3', type: 'file.deleted', data: {} })).status).toBe(500);
    expect((await send(app, 'hooks', { id: 'e4', type: 'unknown.type', data: {} })).status).toBe(204);
    expect(arrivals.types).toEqual(['recipient.bounced']);
    await app.close();
  });

  it('accepts no webhook without secrets, or of another content type', async () => {
    const event = { id: 'e5', type: 'recipient.bounced', data: {} };
    const open = await start({ ...options, webhookSecrets: [] });
    expect((await send(open, 'hooks', event)).status).toBe(500);
    await open.close();
    const app = await start(options);
    expect((await send(app, 'hooks', event, { type: 'application/json' })).status).toBe(400);
    expect((await send(app, 'hooks', event, { type: 'text/csv' })).status).toBe(415);
    expect(app.get(Arrivals).types).toEqual([]);
    await app.close();
  });

  it('reports the health of the platform: up with any key, down with a wrong one or without a server', async () => {
    const healthOf = async (own: Partial<PlatformOptions>) => {
      const app = await start({ ...options, retries: 0, ...own });
      const health = await app.get(PlatformHealthIndicator).isHealthy();
      await app.close();
      return health;
    };
    expect(await healthOf({})).toEqual({ platform: { status: 'up' } });
    const key = await server.createKey('email-api:mutation:sendMessage');
    expect(await healthOf({ key })).toEqual({ platform: { status: 'up' } });
    const down = (message: RegExp) => ({ platform: { status: 'down', message: expect.stringMatching(message) } });
    expect(await healthOf({ key: 'psk_cut' })).toEqual(down(/not well-formed/));
    expect(await healthOf({ url: `http://127.0.0.1:${await freePort()}` })).toEqual(down(/ECONNREFUSED/));
  });
});

describe('the NestJS module for tests', () => {
  it('gives the providers a tenant of their own, whose events reach the handlers', async () => {
    const command = [process.execPath, ...SERVER.slice(1, -1), `${root}dist/bundle/main.js`];
    @Module({ imports: [PlatformTestingModule.forRoot({ server: { command } })], providers: [Arrivals] })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    const tenant = app.get<Tenant>(TENANT);
    await tenant.recordEvents();
    await app.get<Client>(PLATFORM).files.upload(Buffer.from('120 EUR'), { name: 'invoice.txt' });
    await app.get(PlatformEvents).dispatch((await tenant.nextEvent({ type: 'file.done' })) as never);
    expect(app.get(Arrivals).names).toEqual(['invoice.txt']);
    await app.close();
  });
});
