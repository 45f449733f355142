import { Command } from 'commander';
import { SERVICES, wholeServices } from '../../common/auth/scopes.js';
import { Config, ConfigError } from '../../common/config/config.js';
import { AppError } from '../../common/base/app-error.js';
import { print, say } from '../../common/base/printable.js';
import type { AdminCommands } from '../admin-commands.js';
import { address } from '../setting-options.js';
import { ServedApi, Unreachable } from '../webhooks/served-api.js';
import { withCommands } from '../with-commands.js';
import { fillDemo } from './fill-demo.js';

const TENANT = 'demo';
/** The name of the key tells a tenant that this command made from one that somebody else calls so. */
const KEY_NAME = 'platform-services demo';

interface DemoOptions {
  url?: string;
  remove?: boolean;
}

/** `platform-services demo`. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      `fills a new tenant ${TENANT} of a running server with a small company, to look at: files, templates, emails, messages and a month of ` +
        'log; prints only its key. With --remove, deletes that tenant with all it has',
    )
    .option('--url <address>', 'address of the server; by default http://localhost and the port of the settings', address)
    .option('--remove', 'delete the tenant')
    .action(({ url, remove: isRemoving }: DemoOptions) =>
      withCommands((commands) => (isRemoving ? remove(commands) : fill(commands, url))),
    );
}

/** @throws FAILED_PRECONDITION for a tenant that this command did not make */
async function remove(commands: AdminCommands): Promise<void> {
  const keys = await commands.keys.list();
  if (!keys.some(({ tenant, name }) => tenant.name === TENANT && name === KEY_NAME)) {
    throw new AppError('FAILED_PRECONDITION', `There is no tenant ${TENANT} that this command made`);
  }
  await commands.deleteTenant(TENANT, TENANT);
}

/** @throws ConfigError where no server answers; CONFLICT where the tenant is there: both before anything is made */
async function fill(commands: AdminCommands, url?: string): Promise<void> {
  const server = url ?? `http://localhost:${Config.fromProcess().port}`;
  const live = await fetch(`${server}/health/live`).catch(() => undefined);
  if (!live?.ok) throw new ConfigError(`${server} does not answer: start the server, or name its address by --url`);
  if (await commands.hasTenant(TENANT)) {
    throw new AppError('CONFLICT', `The tenant ${TENANT} is there already: remove it by platform-services demo --remove`);
  }
  const key = await commands.ofKeys.createOnCommandLine({
    tenant: TENANT,
    name: KEY_NAME,
    scope: wholeServices(SERVICES).join(' '),
  });
  try {
    await fillDemo(new ServedApi(server, key), (part) => say(part));
  } catch (error) {
    await remove(commands);
    throw error instanceof Unreachable ? new ConfigError(error.message, { cause: error }) : error;
  }
  print(key);
}
