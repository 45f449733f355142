import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { ApiKeysService } from './common/auth/api-keys.service.js';
import { SERVICES } from './common/auth/scopes.js';
import type { Config } from './common/config/config.js';
import { Readiness } from './common/health/readiness.js';
import { PublicAddress } from './common/http/public-address.js';
import { createLog, type Log } from './common/logging/log.js';

const SHUTDOWN_LIMIT_MS = 10_000;

type App = Awaited<ReturnType<typeof createApp>>;

/** Makes the app, and answers once it takes requests. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config);
  const app = await createApp(config, log);
  const key = await makeSureOfFirstKey(app, config, log);
  await app.listen(config.port, config.host);
  stopOnSignals(app, log);
  log.info({ port: portOf(app), version: config.version, startMs: Math.round(performance.now()) }, 'ready');
  if (key) announce(key, app.get(PublicAddress).http);
  // Starts the first renderer before somebody waits for it, and logs what does not work before somebody asks.
  void app.get(Readiness).read();
}

function portOf(app: App): number {
  return (app.getHttpServer().address() as AddressInfo).port;
}

async function makeSureOfFirstKey(app: App, config: Config, log: Log): Promise<string | undefined> {
  const keys = app.get(ApiKeysService);
  if (!config.bootstrapApiKey) return keys.createFirst();
  const usable = await keys.ensure(config.bootstrapApiKey);
  if (!usable) log.warn('BOOTSTRAP_API_KEY was revoked, has expired, or is bound to another SECRET_KEY; it stays so');
  return undefined;
}

/** Printed, not logged: the secret is shown this once and belongs to the person who started the first node. */
function announce(key: string, address: string): void {
  const consoles = SERVICES.map((service) => `  ${address}/${service}/graphql`);
  const lines = [
    '',
    'The first tenant, "default", was made with a key of all scopes. It is shown this once:',
    '',
    `  ${key}`,
    '',
    'The consoles (put the key into the header x-api-key):',
    '',
    ...consoles,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** SIGTERM and SIGINT: take no more requests, finish what runs for up to 10 s, exit 0. */
function stopOnSignals(app: App, log: Log): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const limit = setTimeout(() => {
      log.warn('requests were still running after 10 s; they are cut off');
      process.exit(0);
    }, SHUTDOWN_LIMIT_MS);
    await app.close().catch((error: unknown) => log.error({ err: error }, 'could not stop cleanly'));
    clearTimeout(limit);
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}
