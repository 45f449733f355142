import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { Config } from './common/config/config.js';
import { createFastifyAdapter } from './common/http/fastify-adapter.js';
import { readJsonBodies } from './common/http/bodies/json-body.js';
import { RequestGate } from './common/http/request-gate.js';
import { RequestSpans } from './common/http/request-spans.js';
import { type Logger, NestLogger } from './common/logging/logger.js';
import { SocketServer } from './modules/websockets-manager/sockets/socket-server.js';
import { SocketServerAdapter } from './modules/websockets-manager/sockets/socket-server-adapter.js';

/** Creates the application without listening. Used by `npm start` and by the tests. */
export async function createApp(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(config, logger),
    createFastifyAdapter(config, logger),
    {
      logger: new NestLogger(logger),
      bodyParser: false,
      abortOnError: false,
    },
  );
  app.useWebSocketAdapter(new SocketServerAdapter(app, app.get(SocketServer, { strict: false })));
  const server = app.getHttpAdapter().getInstance();
  readJsonBodies(server);
  app.get(RequestSpans).install(server);
  app.get(RequestGate).install(server);
  return app;
}
