import cluster from 'node:cluster';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { ApiKeysService } from './common/auth/api-keys.service.js';
import { BoundKeysService } from './common/auth/bound-keys.service.js';
import { SERVICES } from './common/auth/scopes.js';
import { type Config, ConfigError } from './common/config/config.js';
import { hintOfNames } from './common/config/earlier-names.js';
import { faultOfNode, NODE_ADVICE } from './common/config/machine.js';
import { Readiness } from './common/health/readiness.js';
import { PublicAddress } from './common/http/public-address.js';
import { createLogger, type Logger } from './common/logging/logger.js';
import { IS_ALIVE, respond } from './common/workers/ipc.js';
import { StoredSecrets } from './common/signing/stored-secrets.js';
import { Signing } from './common/signing/signer.js';
import { LogRotationService } from './modules/document-log/seals/log-rotation.service.js';
import { BounceListener } from './modules/email/bounces/bounce-listener.job.js';
import { secretUse } from './commands/secret-use.js';

const SHUTDOWN_LIMIT_MS = 10_000;
/** Time within which a repeated signal is ignored: supervisors signal all processes of a node, and the first one forwards the signal. */
const SAME_SIGNAL_MS = 1_000;
/** Maximum number of keys, logs and sealed rows checked at startup. */
const MAX_LOOKED_AT = 1_000;

/**
 * Connections that the kernel may hold until the event loop accepts them; the kernel lowers it to its own maximum. With Node's 511, most of
 * thousands of clients that reconnect at once would wait for the retransmissions of TCP, 1 to 31 s later.
 */
const LISTEN_BACKLOG = 4_096;

type App = Awaited<ReturnType<typeof createApp>>;

/** Starts the application, and returns once it accepts requests. */
export async function serve(config: Config): Promise<void> {
  const { worker } = cluster;
  const logger = worker ? createLogger(config).child({ worker: worker.id }) : createLogger(config);
  if (worker) respond(worker, IS_ALIVE, async () => true);
  const app = await createApp(config, logger);
  const keys = app.get(ApiKeysService);
  const isUsable = config.bootstrapApiKey === undefined || (await keys.ensure(config.bootstrapApiKey));
  if (!isUsable) logger.warn('BOOTSTRAP_API_KEY was revoked, has expired, or is bound to another SECRET_KEY; it stays unusable');
  await listen(app, config);
  await app.get(BounceListener, { strict: false }).listen();
  stopOnSignals(app, config, logger);
  // Created only once the node listens: nobody would see the key of a failed start, and there is only one first key.
  const key = config.bootstrapApiKey === undefined ? await keys.createFirst() : undefined;
  if (config.whyOneWorker) logger.info(config.whyOneWorker);
  logger.info({ port: portOf(app), version: config.version, startMs: Math.round(performance.now()) }, 'ready');
  if (key) announce(key, app.get(PublicAddress).http);
  // Starts the first renderer before a caller waits for it, and logs failing checks early.
  void app.get(Readiness).read();
  if (worker && worker.id !== 1) return;
  warnOfNode(logger);
  void warnOfSettings(config, logger);
  void warnOfMissingSecrets(app, logger);
}

/** Warns of a Node line at its end. */
function warnOfNode(logger: Logger): void {
  const fault = faultOfNode(process.versions.node);
  if (fault) logger.warn(`${fault}: ${NODE_ADVICE}`);
}

/** Warns of settings without effect. */
async function warnOfSettings({ misspelt, renamed, chromiumPath }: Config, logger: Logger): Promise<void> {
  for (const { name, meant } of misspelt) logger.warn(`no setting has the name ${name}. Did you mean ${meant}?`);
  const hint = hintOfNames(renamed);
  if (hint) logger.info(hint);
  if (chromiumPath === undefined) return;
  await access(chromiumPath, constants.X_OK).catch(({ code }: NodeJS.ErrnoException) =>
    logger.warn({ path: chromiumPath, code }, 'CHROMIUM_PATH is not an executable program: PDFs are refused'),
  );
}

/** Checks which secrets the keys, logs and sealed secrets need. Runs once the node serves, since no finding prevents a start. */
async function warnOfMissingSecrets(app: App, logger: Logger): Promise<void> {
  try {
    const uses = await secretUse(
      app.get(Signing, { strict: false }).ids,
      {
        keys: app.get(BoundKeysService),
        rotation: app.get(LogRotationService, { strict: false }),
        secrets: app.get(StoredSecrets, { strict: false }),
      },
      MAX_LOOKED_AT,
    );
    const { keys, logs, secrets } = uses.at(-1)!;
    if (keys + logs + secrets === 0) return;
    const what = { keys, logs, secrets };
    logger.warn(
      what,
      'keys, logs or sealed secrets need a SECRET_KEY that is missing: add the previous SECRET_KEY to SECRET_KEYS_OLD',
    );
  } catch (error) {
    logger.debug({ err: error }, 'could not check which keys and logs need an older secret'); // for example during a shutdown
  }
}

/** Listens. @throws ConfigError naming the setting if the address cannot be used */
async function listen(app: App, { port, host }: Config): Promise<void> {
  await app.init();
  try {
    // Nest's own `listen` would log the error too.
    await app.getHttpAdapter().getInstance().listen({ port, host, backlog: LISTEN_BACKLOG });
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

/** Prints the key instead of logging it, since only the person who started the first node may see it. */
function announce(key: string, address: string): void {
  const consoles = SERVICES.map((service) => `  ${address}/${service}/graphql`);
  const lines = [
    '',
    'The first tenant, "default", was created with a key of all scopes. The key is shown only once:',
    '',
    `  ${key}`,
    '',
    'Studio and the GraphQL consoles ask for the key:',
    '',
    `  ${address}/studio`,
    ...consoles,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * Handles SIGTERM and SIGINT. Reports the node as not ready and still serves for DRAIN_SECONDS. Then refuses new requests, lets running
 * ones finish, and exits with 0, at the latest after another 10 s. A second signal, at least a second later, ends the draining.
 */
function stopOnSignals(app: App, { drainSeconds }: Config, logger: Logger): void {
  const drained = new AbortController();
  let stoppingSinceMs: number | undefined;
  const stop = async (signal: string): Promise<void> => {
    if (stoppingSinceMs !== undefined) {
      if (performance.now() - stoppingSinceMs > SAME_SIGNAL_MS) drained.abort();
      return;
    }
    stoppingSinceMs = performance.now();
    app.get(Readiness).stop();
    logger.info({ drainSeconds, signal }, 'stopping');
    await sleep(drainSeconds * 1_000, undefined, { signal: drained.signal }).catch(() => undefined);
    const limit = setTimeout(() => {
      logger.warn('stopping took 10 s; running requests and jobs are cut off');
      process.exit(0);
    }, SHUTDOWN_LIMIT_MS);
    await app.close().catch((error: unknown) => logger.error({ err: error }, 'could not stop cleanly'));
    clearTimeout(limit);
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}
