import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { ApiKeysService } from './common/auth/api-keys.service.js';
import { SERVICES } from './common/auth/scopes.js';
import { type Config, ConfigError } from './common/config/config.js';
import { makeDataFolder } from './common/disk/data-folder.js';
import { Readiness } from './common/health/readiness.js';
import { PublicAddress } from './common/http/public-address.js';
import { createLog, type Log } from './common/logging/log.js';

const SHUTDOWN_LIMIT_MS = 10_000;

type App = Awaited<ReturnType<typeof createApp>>;

/** Makes the app, and answers once it takes requests. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config);
  if (config.usesDataDir) await makeDataFolder(config.dataDir);
  const app = await createApp(config, log);
  const keys = app.get(ApiKeysService);
  const isUsable = config.bootstrapApiKey === undefined || (await keys.ensure(config.bootstrapApiKey));
  if (!isUsable) log.warn('BOOTSTRAP_API_KEY was revoked, has expired, or is bound to another SECRET_KEY; it stays so');
  await listen(app, config);
  stopOnSignals(app, log);
  // Not before it listens: nobody would see the key of a start that fails, and there is only one first key.
  const key = config.bootstrapApiKey === undefined ? await keys.createFirst() : undefined;
  log.info({ port: portOf(app), version: config.version, startMs: Math.round(performance.now()) }, 'ready');
  if (key) announce(key, app.get(PublicAddress).http);
  // Starts the first renderer before somebody waits for it, and logs what does not work before somebody asks.
  void app.get(Readiness).read();
}

/** @throws ConfigError that names the setting when the address cannot be listened on */
async function listen(app: App, { port, host }: Config): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new ConfigError(`PORT ${port} is in use by another program; choose another port`);
    if (code === 'EACCES') throw new ConfigError(`PORT ${port} is not open to this user; choose one from 1024 on`);
    throw new ConfigError(
      `HOST must be an address of this machine, such as 0.0.0.0 or 127.0.0.1; ${host} cannot be used: ${code}`,
    );
  }
}

function portOf(app: App): number {
  return (app.getHttpServer().address() as AddressInfo).port;
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
    'The consoles, which ask for the key:',
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
