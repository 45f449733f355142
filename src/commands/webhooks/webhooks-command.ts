import { Command, InvalidArgumentError, Option } from 'commander';
import { SERVICES } from '../../common/auth/scopes.js';
import { isSecret, SECRET_FORM } from '../../common/events/delivery/signature.js';
import type { TenantService } from '../../common/events/outbox/event.js';
import { address } from '../setting-options.js';
import type { ListenOptions } from './listen.js';

/** Creates the `webhooks` command. */
export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks').description('forwards the events of a server to your machine');
  webhooks
    .command('listen')
    .description(
      'forwards new events of a running server to a URL that the server cannot reach, signed like webhooks; prints the ' +
        'secret, then one line per event, tab-separated: time, type, subject, outcome; Ctrl-C stops it and removes its webhooks',
    )
    .requiredOption('--forward <url>', 'URL to send events to, such as http://localhost:4000/hooks', address)
    .addOption(
      new Option('--key <key>', 'service access key; prefer the environment variable').env('PLATFORM_KEY').makeOptionMandatory(),
    )
    .addOption(
      new Option('--url <url>', 'URL of the server').env('PLATFORM_URL').default('http://localhost:3000').argParser(address),
    )
    .option('--service <names>', 'services, separated by commas; by default all that the key may access', services)
    .option('--events <names>', 'events, separated by commas, such as file.done or FILE_DONE; by default all', events)
    .option('--secret <secret>', 'secret to sign with; by default derived from the key, so it is the same at each start', secret)
    .action(async (options: ListenOptions) => {
      const { listen } = await import('./listen.js');
      await listen(options);
    });
  return webhooks;
}

function services(text: string): TenantService[] {
  const names = listOf(text);
  const isService = (name: string): name is TenantService => SERVICES.some((service) => service === name);
  if (names.every(isService)) return names;
  throw new InvalidArgumentError(`must be one or more of ${SERVICES.join(', ')}`);
}

const events = (text: string): string[] => listOf(text).map((name) => name.toUpperCase().replace('.', '_'));

function secret(text: string): string {
  if (isSecret(text)) return text;
  throw new InvalidArgumentError(`must be ${SECRET_FORM}`);
}

const listOf = (text: string): string[] => [...new Set(text.split(',').map((name) => name.trim()))];
