import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { ConfigError } from '../config/config.js';

/**
 * Creates DATA_DIR, closed to others; an existing one keeps its mode.
 * @throws ConfigError naming DATA_DIR if it is not a folder, or one that this user cannot write to
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw error; // start.ts explains a full disk
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const reason = isFile ? 'there is a file in its place' : `${code}`;
    throw new ConfigError(`DATA_DIR must be a folder that this user can write to; ${dataDir} cannot be used: ${reason}`);
  }
}
