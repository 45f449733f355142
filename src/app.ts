import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { Config } from './common/config/config.js';
import { createFastifyAdapter } from './common/http/fastify-adapter.js';
import { readJsonBodies } from './common/http/json-body.js';
import { RequestGate } from './common/http/request-gate.js';
import { type Log, NestLog } from './common/logging/log.js';

/** The whole application, not yet listening: what `npm start` serves and what the tests talk to. */
export async function createApp(config: Config, log: Log): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, log), createFastifyAdapter(config, log), {
    logger: new NestLog(log),
    bodyParser: false,
    abortOnError: false,
  });
  const server = app.getHttpAdapter().getInstance();
  readJsonBodies(server);
  app.get(RequestGate).install(server);
  return app;
}
