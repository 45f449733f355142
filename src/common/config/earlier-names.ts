import type { Setting } from './environment.js';
import { ConfigError } from './settings/config-error.js';

type Variables = Record<string, string | undefined>;

/** Setting that is given by its earlier name. */
export interface EarlierName {
  earlier: string;
  name: string;
}

/** Renames variables with the earlier name of a setting. @throws ConfigError if both names are set, to different values */
export function withPresentNames(given: Variables, settings: readonly Setting[]): { present: Variables; renamed: EarlierName[] } {
  const present = { ...given };
  const renamed: EarlierName[] = [];
  for (const { name, earlier } of settings) {
    if (earlier === undefined || present[earlier] === undefined) continue;
    if (present[name] !== undefined && present[name] !== present[earlier]) {
      throw new ConfigError(`${name} and ${earlier}, its earlier name, are set to different values: leave out ${earlier}`);
    }
    present[name] = present[earlier];
    delete present[earlier];
    renamed.push({ earlier, name });
  }
  return { present, renamed };
}

/** Returns a hint that names each setting given by its earlier name, or undefined. */
export function hintOfNames(renamed: readonly EarlierName[]): string | undefined {
  if (renamed.length === 0) return undefined;
  return `earlier names are still accepted: ${renamed.map(({ earlier, name }) => `${earlier} is now ${name}`).join(', ')}`;
}
