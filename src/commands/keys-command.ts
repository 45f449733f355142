import { Command, InvalidArgumentError } from 'commander';
import { generateApiKey } from '../common/auth/api-key.js';
import type { ApiKeysService } from '../common/auth/api-keys.service.js';
import { ENDPOINTS, type Service, SERVICES, wholeServices } from '../common/auth/scopes.js';
import { columns, print } from '../common/base/printable.js';
import { badInput } from '../common/base/app-error.js';
import { seconds } from './setting-options.js';
import { withCommands } from './cli.module.js';

/** Options of `keys create` that define the scope of the key. */
interface ScopeOptions {
  scope?: string;
  service: Service[];
  allServices?: boolean;
  readOnly?: boolean;
}

/** Combines the entries of --scope with those of the services. @throws BAD_USER_INPUT if options conflict */
function scopeOf({ scope, service, allServices, readOnly }: ScopeOptions): string {
  if (allServices && service.length > 0) throw badInput('service', 'conflicts with --all-services');
  const services = allServices ? SERVICES : service;
  if (scope === undefined && services.length === 0) {
    throw badInput('scope', 'is required, unless --all-services or --service is given');
  }
  const mutation = scope?.split(/\s+/).find((entry) => /:mutation:/.test(entry));
  if (readOnly && mutation) throw badInput('scope', `has ${mutation}, which conflicts with --read-only`);
  const entries = wholeServices(services, readOnly ? ['query'] : undefined);
  return [...(scope === undefined ? [] : [scope]), ...entries].join(' ');
}

/** Appends a value of --service to the earlier ones. */
function serviceOption(text: string, earlier: Service[]): Service[] {
  const service = ENDPOINTS.find((name) => name === text);
  if (service) return [...earlier, service];
  throw new InvalidArgumentError(`must be one of ${ENDPOINTS.join(', ')}`);
}

interface CreateOptions extends ScopeOptions {
  tenant: string;
  name?: string;
  expiresIn?: number;
}

const createCommand = (): Command =>
  withScope(new Command('create'))
    .description(
      'creates a key, and its tenant if it does not exist; prints only the key. Also creates the database if DATA_DIR or ' +
        'DATABASE_URL names a new one',
    )
    .requiredOption('--tenant <name>', 'tenant of the key')
    .option('--name <name>', 'display name of the key')
    .option('--expires-in <seconds>', 'lifetime of the key; without it, the key never expires', seconds)
    .action(({ tenant, name, expiresIn, ...options }: CreateOptions) => {
      const order = { tenant, name, scope: scopeOf(options), expiresInSeconds: expiresIn };
      return withCommands(async ({ ofKeys }) => print(await ofKeys.createOnCommandLine(order)), { mayBeNew: true });
    });

interface UpdateOptions extends ScopeOptions {
  name?: string | false;
  expiresIn?: number | false;
}

const updateCommand = (): Command =>
  withScope(new Command('update').argument('<id>'))
    .description('changes a key by the id that list prints; takes effect on every node within 5 seconds')
    .option('--name <name>', 'new display name')
    .option('--no-name', 'removes the name')
    .option('--expires-in <seconds>', 'new lifetime, from now on', seconds)
    .option('--no-expires-in', 'the key never expires')
    .action((id: string, { name, expiresIn, ...options }: UpdateOptions) => {
      const isScoped = options.scope !== undefined || options.allServices || options.service.length > 0;
      if (!isScoped && name === undefined && expiresIn === undefined) throw badInput('name', 'or another new value is required');
      const change = { name: orNull(name), expiresInSeconds: orNull(expiresIn), scope: isScoped ? scopeOf(options) : undefined };
      return withCommands(({ ofKeys }) => ofKeys.updateOnCommandLine(id, change));
    });

/** Turns the `false` of an option `--no-…` into null. */
const orNull = <T>(value: T | false | undefined): T | null | undefined => (value === false ? null : value);

/** Adds the options that define a scope. */
const withScope = (command: Command): Command =>
  command
    .option('--scope <entries>', 'scope entries, such as "file-management-api:query:* file-management-api:mutation:*"')
    .option('--service <name>', `all operations of a service: ${SERVICES.join(', ')}; can be repeated`, serviceOption, [])
    .option('--all-services', 'all operations of all services')
    .option('--read-only', 'only queries of these services');

/** Creates the `keys` command. */
export function keysCommand(): Command {
  const keys = new Command('keys').description('manages tenants and their service access keys').addCommand(createCommand());
  keys
    .command('list')
    .description('lists keys, one per line, tab-separated: id, tenant, prefix, scope, created, expires, last used, revoked, name')
    .action(() => withCommands(async ({ keys }) => (await keys.list()).forEach((key) => print(lineOf(key)))));
  keys.addCommand(updateCommand());
  keys
    .command('revoke <id>')
    .description('revokes a key by the id that list prints; takes effect on every node within 5 seconds')
    .action((id: string) => withCommands(({ ofKeys }) => ofKeys.revokeOnCommandLine(id)));
  keys
    .command('bind <id...>')
    .description(
      'binds keys as list shows them, by id, to a new SECRET_KEY: after the secret is replaced, a key is refused until it is bound to the ' +
        'new one; takes effect on every node within 5 seconds',
    )
    .action((ids: string[]) =>
      withCommands(async ({ boundKeys }) => {
        for (const id of ids) await boundKeys.bind(id);
      }),
    );
  keys
    .command('generate')
    .description('prints a well-formed key for BOOTSTRAP_API_KEY; stores nothing')
    .action(() => print(generateApiKey()));
  return keys;
}

function lineOf(key: Awaited<ReturnType<ApiKeysService['list']>>[number]): string {
  const times = [key.createdAt, key.expiresAt, key.lastUsedAt, key.revokedAt].map((time) => time?.toISOString() ?? '-');
  return columns(key.id, key.tenant.name, key.prefix, key.scope, ...times, key.name ?? '-');
}
