import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config/config.js';
import { LEAST_SECRET_BYTES, MAX_OLD_SECRETS } from '../config/settings/secrets.js';
import { makeFolders, syncFolder } from '../disk/folders.js';
import { closeToOthers } from '../disk/private-files.js';

const KEY_FILE = 'secret.key';
/** File of the earlier generated secrets, newest first, one per line. */
const OLD_KEYS_FILE = 'secret.keys.old';

/**
 * Returns the secrets of all signatures. The first one signs: SECRET_KEY, or a secret generated at the first start and stored in
 * DATA_DIR. The others are accepted: SECRET_KEYS_OLD, and earlier generated secrets.
 */
export async function loadSecretKeys(config: Config): Promise<[Buffer, ...Buffer[]]> {
  const others = config.secretKeysOld;
  if (config.secretKey) return [Buffer.from(config.secretKey), ...others.map((secret) => Buffer.from(secret))];
  const current = await generatedKey(config);
  // A crash of generateSecretKey can leave the current secret among the old ones.
  const old = [...new Set([...(await oldKeys(config)), ...others])].filter((secret) => secret !== String(current));
  return [current, ...old.map((secret) => Buffer.from(secret))];
}

/**
 * Replaces the secret in DATA_DIR, and stores the current one among the old ones. After each step, a node can start with the files.
 * @throws ConfigError without a generated secret, or with MAX_OLD_SECRETS old ones
 */
export async function generateSecretKey(config: Config): Promise<void> {
  if (config.secretKey) {
    throw new ConfigError(
      'SECRET_KEY is set, so none is generated: set it to a new secret, and SECRET_KEYS_OLD to the current one',
    );
  }
  const current = String(await generatedKey(config));
  const old = [current, ...(await oldKeys(config)).filter((secret) => secret !== current)];
  if (old.length > MAX_OLD_SECRETS) {
    throw new ConfigError(
      `${join(config.dataDir, OLD_KEYS_FILE)} has ${MAX_OLD_SECRETS} secrets: remove those that are no longer needed`,
    );
  }
  await replace(config, OLD_KEYS_FILE, `${old.join('\n')}\n`);
  await replace(config, KEY_FILE, randomBytes(32).toString('hex'));
}

async function generatedKey({ dataDir }: Config): Promise<Buffer> {
  const file = join(dataDir, KEY_FILE);
  await closeToOthers(file);
  const kept = await readFile(file).catch(() => undefined);
  if (kept && kept.length >= LEAST_SECRET_BYTES) return kept;
  await makeFolders(dataDir);
  const fresh = join(dataDir, `.secret.key.${process.pid}`);
  await writeFile(fresh, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
  // link() does not overwrite: of two processes that start concurrently, one wins and both read the same key.
  await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(fresh);
  return readFile(file);
}

async function oldKeys({ dataDir }: Config): Promise<string[]> {
  const file = join(dataDir, OLD_KEYS_FILE);
  await closeToOthers(file);
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  return lines.filter((line) => Buffer.byteLength(line) >= LEAST_SECRET_BYTES);
}

/** Replaces a file atomically, and returns once that would survive a power cut. */
async function replace({ dataDir }: Config, name: string, content: string): Promise<void> {
  const fresh = join(dataDir, `.${name}.${process.pid}`);
  await writeFile(fresh, content, { mode: 0o600, flush: true });
  await rename(fresh, join(dataDir, name));
  await syncFolder(dataDir);
}
