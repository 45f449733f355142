import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { badInput } from '../base/app-error.js';
import { checkText } from '../base/text.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Maximum length of a key name. */
export const MAX_KEY_NAME = 100;
/** Maximum lifetime of a key. */
export const MAX_KEY_SECONDS = 2 ** 31 - 1;
/** Time within which a revoked key stops working on every node. */
export const REVOKED_WITHIN_MS = 5_000;
const PREFIX_LENGTH = 8;
const SECRET_LENGTH = 40; // 238 bits
const CHECKSUM_LENGTH = 6; // 62^6 holds every CRC-32
const FORMAT = new RegExp(`^psk_([0-9A-Za-z]{${PREFIX_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * Generates a key, `psk_<prefix>_<secret><checksum>`. With the fixed prefix and the CRC-32, scanners find leaked keys, and
 * the server refuses mistyped or foreign strings without a query.
 */
export function generateApiKey(): string {
  const body = `psk_${random(PREFIX_LENGTH)}_${random(SECRET_LENGTH)}`;
  return body + checksum(body);
}

export function isApiKey(text: string): boolean {
  return FORMAT.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** Returns the part of a key shown in lists and logs. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, 'psk_'.length + PREFIX_LENGTH);
}

/** Checks a key name. @throws BAD_USER_INPUT naming the field */
export function checkKeyName(field: string, name: string | null | undefined): void {
  if (name === null || name === undefined) return;
  checkText(field, name, { min: 1, max: MAX_KEY_NAME });
  if (/\p{Cc}/u.test(name)) throw badInput(field, 'must not contain control characters');
}

/** Checks a lifetime. @throws BAD_USER_INPUT naming the field */
export function checkKeyLifetime(field: string, seconds: number | null | undefined): void {
  if (seconds === undefined || seconds === null) return;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_KEY_SECONDS) {
    throw badInput(field, `must be a whole number of seconds from 1 to ${MAX_KEY_SECONDS}`);
  }
}

/** Hashes a key. Plain SHA-256 suffices: nobody can guess a secret of 238 bits, so a slow hash would protect nothing. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function random(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
