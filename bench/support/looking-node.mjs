// Node with the number of idle connections in its argument, without sockets. Measures the processor time of one poll for queued
// messages on the configured database. Reports the ms of each case to its parent, and whether the connections count as idle.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createApp } from '../../dist/app.js';
import { ApiKeysService } from '../../dist/common/auth/api-keys.service.js';
import { Config } from '../../dist/common/config/config.js';
import { Database } from '../../dist/common/database/database.js';
import { createLogger } from '../../dist/common/logging/logger.js';
import { BacklogService } from '../../dist/modules/websockets-manager/delivery/backlog.service.js';
import { Connection } from '../../dist/modules/websockets-manager/sockets/connection.js';
import { Connections } from '../../dist/modules/websockets-manager/sockets/connections.js';
import { GraphqlApi } from './graphql-api.mjs';

const CONNECTIONS = Number(process.argv[2]);
const PER_PUSH = 1_000;
const LOOKS = 20;
/** Age that messages need: a poll skips those of the last 5 s, which may still be in transit. */
const SENT_MS = 5_500;
const PUSH = 'mutation($input:MessageInput!){pushMessage(input:$input){results{error{message}}}}';
const SOCKET = { writable: true };

const config = Config.read(process.env);
const app = await createApp(config, createLogger(config));
await app.listen(0, '127.0.0.1');
const get = (token) => app.get(token, { strict: false });
const backlog = get(BacklogService);
backlog.stop();
backlog.isStopped = false; // looks, but only when it is told to
const key = await get(ApiKeysService).create({ tenant: 'bench', scope: 'websockets-manager-api:mutation:*' });
const api = new GraphqlApi(`http://127.0.0.1:${app.getHttpServer().address().port}`, 'websockets-manager', key);

await pushToAbsent(1);
const { tenantId } = await get(Database).acrossTenants('the tenant of the measurement is looked for').message.findFirstOrThrow();
for (let index = 0; index < CONNECTIONS; index++) connect(`idle ${index}`);
const figures = [await ofLook('one message waits for an absent recipient', true)];
for (let pushes = 0; pushes < 9; pushes++) await pushToAbsent(PER_PUSH);
figures.push(await ofLook('9,001 messages of a minute wait for absent recipients', true));
for (let pushes = 0; pushes < 2; pushes++) await pushToAbsent(PER_PUSH);
figures.push(await ofLook('11,001 messages of a minute: more than a look names, so that it asks for each connection', false));
process.send(figures);
await app.close();

async function pushToAbsent(count) {
  const recipients = Array.from({ length: count }, () => `absent ${randomUUID()}`);
  await api.ask(PUSH, { input: { message: 'm', recipients, expiresAt: '2099-01-01T00:00:00Z' } });
}

function connect(recipient) {
  const presence = { connectionId: randomUUID(), nodeId: 'bench', tenantId, recipient, topic: null, sourceIp: '127.0.0.1' };
  const connection = new Connection(
    { ...presence, connectedAt: Date.now() - 60_000 },
    SOCKET,
    () => {},
    () => {},
  );
  connection.held = undefined; // its backlog was sent
  get(Connections).add(connection);
}

/** Polls several times before it measures, to exclude compilation and earlier garbage. */
async function ofLook(what, hasBar) {
  await delay(SENT_MS);
  for (let count = 0; count < LOOKS; count++) await backlog.sendUnsent();
  const before = process.cpuUsage();
  for (let count = 0; count < LOOKS; count++) await backlog.sendUnsent();
  const { user, system } = process.cpuUsage(before);
  return { what, hasBar, ms: (user + system) / 1_000 / LOOKS };
}
