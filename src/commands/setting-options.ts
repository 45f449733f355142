import { type Command, InvalidArgumentError, Option } from 'commander';
import { overrideEnvironment } from '../common/config/config.js';
import { flagOf, SETTINGS } from '../common/config/environment.js';

/** Accepts every setting as an option, before or after the command. Options override the environment. */
export function takeSettings(program: Command): void {
  const options = SETTINGS.flatMap(({ name, earlier, flag, description }) => {
    const option = new Option(`${flag} <value>`, description).helpGroup('Settings, each also an environment variable (PORT):');
    const hidden = earlier && new Option(`${flagOf(earlier)} <value>`).hideHelp();
    return [{ name, earlier, option }, ...(hidden ? [{ name, earlier, option: hidden }] : [])];
  });
  for (const { option } of options) program.addOption(option);
  program.hook('preAction', () => {
    const given = program.opts<Record<string, string | undefined>>();
    for (const { name, earlier, option } of options) {
      const value = given[option.attributeName()];
      // An option takes precedence over a variable of either name.
      if (value !== undefined) overrideEnvironment({ ...(earlier && { [earlier]: '' }), [name]: value });
    }
  });
}

/** Parses an option in whole seconds. */
export function seconds(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds');
  return Number(text);
}

/** Parses the URL of a server. */
export function address(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('must begin with http:// or https://');
}
