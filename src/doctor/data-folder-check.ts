import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../common/config/config.js';
import { dataHolder } from '../common/database/server-lock.js';
import { makeDataFolder } from '../common/disk/data-folder.js';
import { roomOf } from '../common/disk/disk-space.js';
import { Fault } from './fault.js';
import { listen } from './machine-checks.js';
import { MIB } from '../common/base/amounts.js';

/** Free space below which a server will soon refuse uploads. */
const LITTLE_BYTES = 1024 * MIB;

/** Checks DATA_DIR without creating it: a folder owned by another user would lock the server out. */
export async function checkDataFolder(config: Config): Promise<string> {
  const { dataDir } = config;
  if (!config.usesDataDir) return 'not used';
  const existing = await nearest(dataDir);
  const exists = existing === dataDir;
  if (exists) {
    await makeDataFolder(dataDir).catch(({ message }: Error) => {
      throw new Fault(message, 'give DATA_DIR a folder of the user that runs the server');
    });
    const { mode } = await stat(dataDir);
    if ((mode & 0o077) !== 0) throw new Fault(`other users can open ${dataDir}`, `chmod 700 ${dataDir}`, 'warning');
  } else {
    await access(existing, constants.W_OK | constants.X_OK).catch(() => {
      throw new Fault(`${dataDir} cannot be created: ${existing} is not writable`, 'name another folder in DATA_DIR');
    });
  }
  const { freeBytes, keptFreeBytes } = roomOf(await statfs(existing));
  const free = `${Math.round(freeBytes / MIB)} MiB free`;
  if (freeBytes < keptFreeBytes) throw new Fault(`${dataDir}: ${free}, so uploads are refused`, 'free space on its disk');
  if (freeBytes < LITTLE_BYTES) throw new Fault(`${dataDir}: ${free}`, 'free space on its disk soon', 'warning');
  if (!exists) return `${dataDir}, which the first start creates, ${free}`;
  const holder = dataHolder(config);
  if (!holder) return `${dataDir}, ${free}`;
  if (await listens(config)) return `${dataDir}, ${free}, used by ${holder}`;
  const advice = 'stop that server, or set another DATA_DIR';
  throw new Fault(`${dataDir} is in use by ${holder}, which serves another PORT: a start would be refused`, advice, 'warning');
}

/** Returns whether a program uses the port, such as the server that owns the folder. */
const listens = async ({ port, host }: Config): Promise<boolean> => (await listen(port, host)) === 'EADDRINUSE';

/** Returns the folder, or its nearest existing parent. */
async function nearest(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : nearest(dirname(path));
}
