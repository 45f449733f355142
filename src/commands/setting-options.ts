import { type Command, InvalidArgumentError, Option } from 'commander';
import { overrideEnvironment } from '../common/config/config.js';
import { SETTINGS } from '../common/config/environment.js';

/** Takes every setting as an option too, before or after the name of a command. An option wins over the environment. */
export function takeSettings(program: Command): void {
  const options = SETTINGS.map(({ name, flag, description }) => ({
    name,
    option: new Option(`${flag} <value>`, description).helpGroup('Settings, each also a variable of the environment (PORT):'),
  }));
  for (const { option } of options) program.addOption(option);
  program.hook('preAction', () => {
    const given = program.opts<Record<string, string | undefined>>();
    const values = options.map(({ name, option }) => [name, given[option.attributeName()]] as const);
    overrideEnvironment(Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined)));
  });
}

/** Parses the value of an option. */
export function seconds(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds');
  return Number(text);
}

/** Parses the address of a server. */
export function address(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('must begin with http:// or https://');
}
