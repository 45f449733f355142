import { Command } from 'commander';
import { SERVICES, wholeServices } from '../../common/auth/scopes.js';
import { Config, ConfigError } from '../../common/config/config.js';
import { AppError } from '../../common/base/app-error.js';
import { print, say } from '../../common/base/printable.js';
import type { AdminCommands } from '../admin-commands.js';
import { address } from '../setting-options.js';
import { ServedApi, Unreachable } from '../webhooks/served-api.js';
import { withCommands } from '../cli.module.js';
import { fillDemo } from './fill-demo.js';

const TENANT = 'demo';
/** Key name that marks a tenant as created by this command, not by somebody else under the same name. */
const KEY_NAME = 'platform-services demo';

interface DemoOptions {
  url?: string;
  remove?: boolean;
}

/** Creates the `demo` command. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      `creates the tenant ${TENANT} on a running server with sample data of a small company: files, templates, emails, messages and a month of ` +
        'log; prints only its key. With --remove, deletes that tenant and its data',
    )
    .option('--url <url>', 'URL of the server; by default http://localhost and the port of the settings', address)
    .option('--remove', 'delete the tenant')
    .action(({ url, remove: isRemoving }: DemoOptions) =>
      withCommands((commands) => (isRemoving ? remove(commands) : fill(commands, url))),
    );
}

/** Deletes the demo tenant. @throws FAILED_PRECONDITION for a tenant not created by this command */
async function remove(commands: AdminCommands): Promise<void> {
  const keys = await commands.keys.list();
  if (!keys.some(({ tenant, name }) => tenant.name === TENANT && name === KEY_NAME)) {
    throw new AppError('FAILED_PRECONDITION', `No tenant ${TENANT} was created by this command`);
  }
  await commands.deleteTenant(TENANT, TENANT);
}

/** Fills a new tenant. Throws before it creates anything. @throws ConfigError if no server answers; CONFLICT if the tenant exists */
async function fill(commands: AdminCommands, url?: string): Promise<void> {
  const server = url ?? `http://localhost:${Config.fromProcess().port}`;
  const live = await fetch(`${server}/health/live`).catch(() => undefined);
  if (!live?.ok) throw new ConfigError(`${server} does not answer: start the server, or give its URL with --url`);
  if (await commands.hasTenant(TENANT)) {
    throw new AppError('CONFLICT', `The tenant ${TENANT} already exists: remove it with platform-services demo --remove`);
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
