import cluster from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { ApiKeysService } from './common/auth/api-keys.service.js';
import { SERVICES } from './common/auth/scopes.js';
import { type Config, ConfigError } from './common/config/config.js';
import { Readiness } from './common/health/readiness.js';
import { PublicAddress } from './common/http/public-address.js';
import { createLogger, type Logger } from './common/logging/logger.js';

const SHUTDOWN_LIMIT_MS = 10_000;

type App = Awaited<ReturnType<typeof createApp>>;

/** Starts the app, and returns once it takes requests. */
export async function serve(config: Config): Promise<void> {
  const logger = cluster.worker ? createLogger(config).child({ worker: cluster.worker.id }) : createLogger(config);
  const app = await createApp(config, logger);
  const keys = app.get(ApiKeysService);
  const isUsable = config.bootstrapApiKey === undefined || (await keys.ensure(config.bootstrapApiKey));
  if (!isUsable) logger.warn('BOOTSTRAP_API_KEY was revoked, has expired, or is bound to another SECRET_KEY; it stays unusable');
  await listen(app, config);
  stopOnSignals(app, logger);
  // Created only once the node listens: nobody would see the key of a failed start, and there is only one first key.
  const key = config.bootstrapApiKey === undefined ? await keys.createFirst() : undefined;
  logger.info({ port: portOf(app), version: config.version, startMs: Math.round(performance.now()) }, 'ready');
  if (key) announce(key, app.get(PublicAddress).http);
  // Starts the first renderer before a caller waits for it, and logs failing checks before anyone asks for them.
  void app.get(Readiness).read();
}

/** @throws ConfigError naming the setting if the app cannot listen on the address */
async function listen(app: App, { port, host }: Config): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new ConfigError(`PORT ${port} is in use by another program; choose another port`);
    if (code === 'EACCES') throw new ConfigError(`PORT ${port} is not open to this user; choose 1024 or higher`);
    throw new ConfigError(
      `HOST must be an address of this machine, such as 0.0.0.0 or 127.0.0.1; ${host} cannot be used: ${code}`,
    );
  }
}

function portOf(app: App): number {
  return (app.getHttpServer().address() as AddressInfo).port;
}

/** Prints the key instead of logging it: it is shown only once and belongs to the person who started the first node. */
function announce(key: string, address: string): void {
  const consoles = SERVICES.map((service) => `  ${address}/${service}/graphql`);
  const lines = [
    '',
    'The first tenant, "default", was created with a key of all scopes. The key is shown only once:',
    '',
    `  ${key}`,
    '',
    'The consoles, which ask for the key:',
    '',
    ...consoles,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** On SIGTERM or SIGINT takes no more requests, lets running ones finish, and exits with 0, after 10 s at the latest. */
function stopOnSignals(app: App, logger: Logger): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    const limit = setTimeout(() => {
      logger.warn('the stop took 10 s; requests and work still under way are cut off');
      process.exit(0);
    }, SHUTDOWN_LIMIT_MS);
    await app.close().catch((error: unknown) => logger.error({ err: error }, 'could not stop cleanly'));
    clearTimeout(limit);
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}
