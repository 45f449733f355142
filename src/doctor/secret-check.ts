import { type Config, isProduction } from '../common/config/config.js';
import { Fault } from './fault.js';

const LEAST_DIFFERENT = 10;
const WORDS = /change|secret|passw|example|default|develop|012345|123456|abcdef/i;
const REPEATED = /^(.{1,16}?)\1+$/s;

/** Reports secrets chosen by a person. In production these are failures. */
export function checkSecret({ secretKey, secretKeysOld }: Config): string {
  if (secretKey === undefined) return 'generated, and stored in DATA_DIR';
  const weak = [secretKey, ...secretKeysOld].findIndex(isWeak);
  if (weak === -1) return 'looks random';
  const name = weak === 0 ? 'SECRET_KEY' : 'a secret of SECRET_KEYS_OLD';
  const state = isProduction() ? 'failed' : 'warning';
  const advice =
    'generate a random one, for example with: openssl rand -hex 32; replace it in steps (platform-services rotate --help)';
  throw new Fault(`${name} looks chosen by hand, so it can be guessed`, advice, state);
}

/**
 * Returns whether a secret contains a common word, repeats itself, or has few different characters. Random secrets of 32 characters or
 * more pass, even in hexadecimal.
 */
function isWeak(secret: string): boolean {
  return new Set(secret).size < LEAST_DIFFERENT || WORDS.test(secret) || REPEATED.test(secret);
}
