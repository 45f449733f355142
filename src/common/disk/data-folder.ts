import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { ConfigError } from '../config/config.js';
import { isHalfRestored, makeFolders } from './folders.js';

const REASONS: Record<string, string> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'there is a file in its place',
  EROFS: 'its file system is read-only (EROFS)',
  ENOENT: 'no folder can be created there (ENOENT)',
};

/**
 * Creates DATA_DIR without permissions for other users; an existing one keeps its mode.
 * @throws ConfigError naming DATA_DIR if it is not a folder, one that this user cannot write to, or one with an unfinished
 * restore
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await makeFolders(dataDir);
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw error; // start.ts explains a full disk
    const reason = REASONS[code ?? ''] ?? `${code}`;
    throw new ConfigError(`DATA_DIR must be a folder that this user can write to; ${dataDir} cannot be used: ${reason}`);
  }
  if (isHalfRestored(dataDir)) {
    throw new ConfigError(
      'DATA_DIR has only part of a backup, since its restore was interrupted; run platform-services restore --replace again',
    );
  }
}
