import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { closeToOthers } from '../disk/private-files.js';

/** Returns the secret behind all signatures: SECRET_KEY, or one created at the first start and kept in DATA_DIR. */
export async function loadSecretKey(config: Config): Promise<Buffer> {
  if (config.secretKey) return Buffer.from(config.secretKey);
  const file = join(config.dataDir, 'secret.key');
  await closeToOthers(file);
  const kept = await readFile(file).catch(() => undefined);
  if (kept && kept.length >= 32) return kept;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const fresh = join(config.dataDir, `.secret.key.${process.pid}`);
  await writeFile(fresh, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
  // link() does not overwrite, so of two processes that start at once one wins and both read the same key.
  await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(fresh);
  return readFile(file);
}
